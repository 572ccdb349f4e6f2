import { assertEquals, assertThrows } from "@std/assert";
import {
  type FieldTable,
  getField,
  HEADER,
  HEADER_SIZE,
  patch,
  placeOf,
  RECORDS,
  setField,
  sizeOf,
  TENSOR,
} from "./fields.ts";
import { assemble } from "./write.ts";

Deno.test("the fields of every record follow one another without gap and fill it", () => {
  const tables: [FieldTable, number][] = [
    [HEADER, HEADER_SIZE],
    ...Object.values(RECORDS).map(({ fields, size }): [FieldTable, number] => [fields, size]),
  ];
  for (const [table, size] of tables) {
    let end = 0;
    for (const [name, [offset, type]] of Object.entries(table)) {
      assertEquals(offset, end, name);
      end += sizeOf(type);
    }
    assertEquals(end, size);
  }
});

const file = () =>
  assemble({
    artifact_class: 1,
    body: { architecture: { id: "tensor-pack/1", parameters: {} }, dependents: false },
    tensors: ["a", "b", "c"].map((name, layer) => ({
      role: "w",
      name,
      layer,
      shape: [2],
      type: "f32",
      payload: new Uint8Array(8),
    })),
  }).bytes;

Deno.test("a field is found, read and overwritten by its path", () => {
  const bytes = file();
  assertEquals(getField(bytes, "header.tensor_count"), 3);
  assertEquals(getField(bytes, "tensor[2].payload_length"), 8);
  assertEquals(getField(bytes, "tensor[1].layer"), 1);
  assertEquals(getField(bytes, "tensor[1].subindex_0"), -1);
  const good = file();
  setField(bytes, "tensor[2].payload_length", 2n ** 63n + 1n);
  assertEquals(getField(bytes, "tensor[2].payload_length"), 2n ** 63n + 1n);
  setField(bytes, "tensor[1].layer", -2);
  assertEquals(getField(bytes, "tensor[1].layer"), -2);
  setField(bytes, "tensor[0].payload_hash", new Uint8Array(32));
  assertEquals(getField(bytes, "tensor[0].payload_hash"), new Uint8Array(32));
  const changed = [...bytes.keys()].filter((i) => bytes[i] !== good[i]);
  const places = ["tensor[2].payload_length", "tensor[1].layer", "tensor[0].payload_hash"]
    .map((path) => placeOf(bytes, path));
  assertEquals(
    changed.every((i) => places.some(({ offset, size }) => i >= offset && i < offset + size)),
    true,
  );
});

Deno.test("a path that names no field is a bug, also a property of the prototype", () => {
  const bytes = file();
  for (const path of ["tensor[0].nothing", "nothing[0].flags", "tensor.flags", "header.toString"]) {
    assertThrows(() => placeOf(bytes, path), RangeError, path);
  }
  assertThrows(() => placeOf(bytes, "constructor[0].name"), RangeError);
});

Deno.test("a record is patched where it stands", () => {
  const two = new Uint8Array(2 * RECORDS.tensor.size);
  patch(two, TENSOR, "rank", 9, RECORDS.tensor.size);
  assertEquals([...two.keys()].filter((i) => two[i] !== 0), [192 + 2]);
});
