/** What a process can let go of, as the system counts it. */
import { assert, assertEquals } from "@std/assert";
import { peakMemory, thrift } from "./memory.ts";

/** Resident bytes that stand in files. */
function ofFiles(): number {
  const [, kibibytes] = /^RssFile:\s+(\d+) kB$/m.exec(Deno.readTextFileSync("/proc/self/status"))!;
  return Number(kibibytes) * 1024;
}

Deno.test({
  name: "pages of the program go, and what still runs comes back",
  ignore: Deno.build.os !== "linux",
  fn() {
    const { dropProgram, dropFreed } = thrift();
    const before = ofFiles();
    dropProgram();
    dropFreed();
    assert(ofFiles() < before);
    assertEquals(JSON.parse('{"a":[1,2.5,"\\u00e9"]}'), { a: [1, 2.5, "é"] });
    assert(peakMemory() >= before);
  },
});
