/** Probes of growing work, asked of readers whose loops are counted. */
import { assert, assertEquals } from "@std/assert";
import { faultNamed } from "../faults/bench.ts";
import { patchOf } from "../faults/patched.ts";
import { buildSubject, endBuilding } from "./build.ts";
import { SUBJECT } from "./court.ts";
import { probeOf } from "./growth.ts";
import { load } from "./load.ts";
import { probeInput } from "./probe_name.ts";
import type { Flaw, Subject } from "./subject.ts";

async function askerOf(fault?: string) {
  const patch = fault === undefined ? undefined : patchOf(faultNamed(fault)!);
  const { code } = await buildSubject({ ...SUBJECT, level: "edges", patch });
  await endBuilding();
  const { exports: { subject }, steps } = await load<{ subject: Subject }>(code);
  return (probe: string): Flaw[] => {
    const flaws: Flaw[] = [];
    subject.probe!(probeInput(probe), (flaw) => flaws.push(flaw), steps);
    return flaws;
  };
}

Deno.test("a planted quadratic loop is counted at a size that no clock could tell, each time the same", async () => {
  const ask = await askerOf("quadratic-strings");
  const [flaw] = ask("literals");
  assertEquals(flaw.key, "growing cursor");
  const { size } = probeOf(probeInput(flaw.probe!))!;
  assert(size! < 500, flaw.probe);
  assertEquals(ask(flaw.probe!), [flaw]);
});

Deno.test("sound readers: their steps grow as their input does", async () => {
  const ask = await askerOf();
  for (const probe of ["tensors", "literals 250", "text 11", "operations"]) {
    assertEquals(ask(probe), [], probe);
  }
});
