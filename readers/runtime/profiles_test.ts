import { assertEquals } from "@std/assert";
import { profileBody, profileId, REGISTERED as WRITTEN } from "../../corpus/writer/profiles.ts";
import { REGISTERED } from "./profiles.ts";

Deno.test("profiles: the same sixteen as the writer's, field by field and id by id", () => {
  const mine = [...REGISTERED.values()].map(({ name, profile_id, record }) => ({
    name,
    profile_id,
    record,
  }));
  const theirs = [...WRITTEN.values()].map((profile) => {
    const record = Uint8Array.from(profileBody(profile));
    return { name: profile.name, profile_id: profileId(profile.name, record).toHex(), record };
  });
  assertEquals(mine.length, 16);
  assertEquals(mine, theirs);
});
