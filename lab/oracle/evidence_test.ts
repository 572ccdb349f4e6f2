import { assert, assertEquals } from "@std/assert";
import { seedArtifacts } from "../../mutators/seeds.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { admit } from "../../readers/runtime/policy.ts";
import { evidence } from "./evidence.ts";
import { judge, Observer } from "./observe.ts";

const files = seedArtifacts(1, 20, 8192).filter((file) => file[36] === 11 || file[36] === 12);
const observer = new Observer([cursor]);
const keysOf = (hold: typeof admit) =>
  new Set(
    files.flatMap((file) => judge(observer.observe(file), [evidence(hold)]).map(({ key }) => key)),
  );

Deno.test("activation holds good provenance and receipts as the text says", () => {
  assert(files.length > 20);
  assertEquals(keysOf(admit), new Set());
});

Deno.test("a policy that is not held is seen, each by its own key", () => {
  assertEquals(
    keysOf((reader, composition, needed, policy) =>
      admit(reader, composition, needed, { ...policy, licenses: undefined })
    ),
    new Set(["evidence LicenseNotAllowed"]),
  );
  assertEquals(
    keysOf((reader, composition, needed, policy) =>
      admit(reader, composition, needed, { ...policy, receipts: [] })
    ),
    new Set(["evidence ReceiptFailed"]),
  );
  assertEquals(
    keysOf((reader, composition, needed, policy) =>
      admit(reader, composition, needed, { ...policy, evidence: [] })
    ),
    new Set(["evidence accept", "evidence ReceiptFailed"]),
  );
});
