/** The hex view names fields as the specification does, marks the fault, and is bounded. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { HEADER, HEADER_SIZE, RECORDS } from "../../corpus/writer/fields.ts";
import { hexRows, MOST_ROWS } from "./hex.ts";

/** A header and two tensor records behind it. */
function withTensors(): Uint8Array {
  const input = new Uint8Array(HEADER_SIZE + 2 * RECORDS.tensor.size);
  input[HEADER.tensor_table_offset[0]] = HEADER_SIZE;
  input[HEADER.tensor_count[0]] = 2;
  return input;
}

Deno.test("the field that holds the fault is marked, and is named by its path", () => {
  const at = HEADER_SIZE + RECORDS.tensor.size + RECORDS.tensor.fields.rank[0];
  const { rows } = hexRows(withTensors(), [HEADER.file_size[0] + 3, at]);
  const marked = rows.filter((row) => row.mark === "fault").map(({ name }) => name);
  assertEquals(marked, ["header.file_size", "tensor[1].rank"]);
});

Deno.test("any input, any header in it: rows do not overlap, marks are shown, length is bounded", () =>
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 2000 }),
      fc.array(fc.nat(3000), { maxLength: 3 }),
      fc.nat(2 ** 32 - 1),
      (input, marks, noise) => {
        if (input.length >= HEADER_SIZE) {
          const view = new DataView(input.buffer, input.byteOffset);
          view.setBigUint64(HEADER.tensor_table_offset[0], BigInt(noise % 4000), true);
          view.setUint32(HEADER.tensor_count[0], noise, true);
        }
        const { rows, more } = hexRows(input, marks);
        assert(rows.length <= MOST_ROWS + 2 && more >= 0);
        for (const mark of marks.filter((one) => one < input.length)) {
          assert(rows.some((row) => row.mark === "fault" && row.offset <= mark), `${mark}`);
        }
        rows.slice(1).forEach((row, i) => assert(row.offset > rows[i].offset));
      },
    ),
    { numRuns: 60 },
  ));

Deno.test("a fault far inside a long input is shown", () => {
  const { rows } = hexRows(new Uint8Array(1 << 20), [900_001]);
  assert(rows.some((row) => row.mark === "fault" && row.offset <= 900_001 && row.offset > 899_900));
  assert(rows.length <= MOST_ROWS);
});
