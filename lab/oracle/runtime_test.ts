/** The oracles of the runtime on the house, and on runtimes with a planted fault. */
import { assertEquals } from "@std/assert";
import { activate } from "../../readers/runtime/activation.ts";
import { ActiveSlot } from "../../readers/runtime/context.ts";
import { isReject } from "../../readers/runtime/outcome.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { table } from "../../readers/table/reader.ts";
import { memorySource } from "../../readers/source.ts";
import { openCpu } from "../../kernels/cpu/backend.ts";
import { openWasm } from "../../kernels/wasm/backend.ts";
import { admits, HOUSE_ADMISSION } from "./admits.ts";
import { buildHouse } from "./house.ts";
import { judge, Observer } from "./observe.ts";
import { renderedLarge } from "./rendered.ts";
import { HOUSE_RESUMPTION, resumes } from "./resumes.ts";
import { roundTrip } from "./round_trip.ts";
import { houseRuntime } from "./runtime.ts";
import { sameNumbers } from "./same_numbers.ts";
import { seedArtifacts } from "../../mutators/seeds.ts";

const HOUSE = buildHouse();
const observer = new Observer([cursor, table]);

Deno.test("admits: every part of the house is taken, and so is the whole", async () => {
  for (const { bytes } of Object.values(HOUSE)) {
    assertEquals(await admits(HOUSE)(observer.observe(bytes)), null);
  }
});

Deno.test("admits: a runtime that throws, or answers for a reader, is found", async () => {
  const observation = observer.observe(HOUSE.composition.bytes);
  const throwing = admits(HOUSE, {
    ...HOUSE_ADMISSION,
    activate: () => Promise.reject(new RangeError("any text")),
  });
  assertEquals((await throwing(observation))?.class, "crash");
  const early = admits(HOUSE, {
    ...HOUSE_ADMISSION,
    activate: () =>
      Promise.resolve({ verdict: "reject", stage: 18, code: "BadValue", section: "manifest" }),
  });
  assertEquals((await early(observation))?.key, "admits 18 BadValue");
});

for (const [name, open] of [["cpu", openCpu], ["wasm", openWasm]] as const) {
  Deno.test(`resumes on ${name}: a cache goes through a file, and a wrong one is found`, async () => {
    const files = new Map(
      Object.values(HOUSE).map(({ bytes, identities }) => [identities.artifact_id, bytes]),
    );
    const context = await activate({
      composition: memorySource(HOUSE.composition.bytes),
      reader: cursor,
      backend: { name, open },
      slot: new ActiveSlot(),
      store: {
        ids: () => [...files.keys()],
        open: (id) => ({ ...memorySource(files.get(id)!), close() {} }),
        install: () => {
          throw new Error("nothing is installed here");
        },
      },
    });
    if (isReject(context)) throw new Error(context.code);
    assertEquals(await resumes(context, cursor, [4, 0, 1, 2, 3], 3), null);
    const wrong = await resumes(context, cursor, [4, 0, 1, 2, 3], 3, {
      ...HOUSE_RESUMPTION,
      async saveKv(conversation) {
        const { layers, ...rest } = await HOUSE_RESUMPTION.saveKv(conversation);
        return { ...rest, layers: layers.map(({ key, value }) => ({ key: value, value: key })) };
      },
    });
    assertEquals(wrong?.key, `resumes ${name} logits`);
    context.release();
  });
}

Deno.test("round trip, template and numbers: a planted fault of each is found", () => {
  const runtime = houseRuntime();
  const { loadTokenizer, render, backends } = runtime;
  const oracles = [
    roundTrip({
      loadTokenizer(...parts) {
        const good = loadTokenizer(...parts);
        if ("error" in good) return good;
        return { ...good, decodeText: (ids, options) => good.decodeText(ids, options).trimStart() };
      },
    }),
    renderedLarge({
      ...runtime,
      render(template, messages, options) {
        const output = render(template, messages, options);
        const large = { sort: "literal", text: new Uint8Array(5 << 20) } as const;
        return "error" in output ? [large] : output;
      },
    }),
    sameNumbers({
      ...runtime,
      backends: backends.map((backend) => ({
        ...backend,
        ops: {
          ...backend.ops,
          row(weight, row) {
            const values = backend.ops.row(weight, row) as Float32Array;
            return backend.name === "wasm" ? values.map((x) => x + 1) : values;
          },
        },
      })),
    }),
  ];
  const keys = [...seedArtifacts(3, 3), ...Object.values(HOUSE).map(({ bytes }) => bytes)]
    .flatMap((bytes) => judge(observer.observe(bytes), oracles))
    .map(({ oracle }) => oracle);
  assertEquals([...new Set(keys)].sort(), ["rendered", "round-trip", "same-numbers"]);
});
