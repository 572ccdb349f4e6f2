/** Stage 18: instructions of a template (classes.md section 5). */
import type { Code } from "../../../readers/contract.ts";
import type { Item } from "../../writer/cbor.ts";
import { corrupt, type Recipe } from "../case.ts";
import { replaced } from "../items.ts";
import { chat } from "../library.ts";
import { richTemplate } from "../rich.ts";
import { BAD, one } from "./relation.ts";

export const templates: Recipe = {
  name: "corrupt/relation/template",
  reason: "instructions that fit no alternative, and what a program asks of its place",
  spec: "classes.md 5",
  cites: ["classes-5 instruction = ", "classes-5 At an instruction"],
  cases() {
    const parent = richTemplate();
    const top = (
      local: string,
      program: Item,
      why: string,
      code: Code = "BadValue",
      cite = "classes-5 fitting no alternative",
    ) => one(templates, parent, local, ["program"], program, why, cite, code);
    // a program with the marker that the parent's body declares
    const inLoop = (
      local: string,
      inner: readonly Item[],
      why: string,
      code: Code = "BadValue",
      cite = "classes-5 fitting no alternative",
    ) => top(local, [[7, inner], [8]], why, code, cite);
    const place = "classes-5 Relations: 2, 3, 5, 6";
    return [
      top(
        "text",
        ["x", [8]],
        "an instruction that is a text",
        "WrongType",
        "classes-5 At an instruction",
      ),
      top(
        "uint",
        [1, [8]],
        "an instruction that is a number",
        "WrongType",
        "classes-5 At an instruction",
      ),
      top(
        "map",
        [{}, [8]],
        "an instruction that is a map",
        "WrongType",
        "classes-5 At an instruction",
      ),
      top(
        "null",
        [null, [8]],
        "an instruction that is null",
        "WrongType",
        "classes-5 At an instruction",
      ),
      inLoop(
        "inner-text",
        ["x"],
        "an instruction inside a loop that is a text",
        "WrongType",
        "classes-5 At an instruction",
      ),
      top("empty", [[], [8]], "an empty instruction"),
      ...[0, 10, 255, 2n ** 64n - 1n].map((opcode) =>
        top(`opcode-${opcode}`, [[opcode], [8]], `opcode ${opcode}`)
      ),
      top("opcode-text", [["1", 0], [8]], "an opcode that is a text"),
      top("opcode-negative", [[-1], [8]], "an opcode of -1"),
      top("literal-none", [[1], [8]], "emit_literal without its index"),
      top("literal-two", [[1, 0, 0], [8]], "emit_literal of two indexes"),
      top("literal-text", [[1, "0"], [8]], "emit_literal of a text"),
      top("literal-negative", [[1, -1], [8]], "emit_literal of -1"),
      top("token-none", [[4], [8]], "emit_token without its id"),
      top("token-null", [[4, null], [8]], "emit_token of null"),
      inLoop("role-operand", [[2, 0]], "emit_role with an operand"),
      inLoop("content-operand", [[3, "x"]], "emit_content with an operand"),
      inLoop("if-none", [[5]], "if_role without a role"),
      inLoop("if-no-block", [[5, "user"]], "if_role without a block"),
      inLoop("if-more", [[5, "user", [], []]], "if_role with two blocks"),
      inLoop("if-role-uint", [[5, 1, []]], "if_role of a number"),
      inLoop("if-block-uint", [[5, "user", 0]], "if_role whose block is a number"),
      inLoop("if-block-map", [[6, "tools", {}]], "if_present whose block is a map"),
      inLoop(
        "if-inner",
        [[5, "user", [[3], 0]]],
        "a number inside a block",
        "WrongType",
        "classes-5 At an instruction",
      ),
      inLoop(
        "if-identifier",
        [[5, "User", []]],
        "a role that is no identifier",
        "BadIdentifier",
        "classes-5 then `BadIdentifier`",
      ),
      inLoop(
        "if-identifier-empty",
        [[6, "", []]],
        "a field that is empty",
        "BadIdentifier",
        "classes-5 then `BadIdentifier`",
      ),
      top("loop-none", [[7], [8]], "a loop without a block"),
      top("loop-uint", [[7, 0], [8]], "a loop over a number"),
      top("loop-two", [[7, [], []], [8]], "a loop with two blocks"),
      top("marker-operand", [[8, 0]], "the marker with an operand"),
      top("stop-operand", [[9, 0], [8]], "stop with an operand"),
      top("role-outside", [[2], [8]], "emit_role outside a loop", "BadValue", place),
      top("content-outside", [[3], [8]], "emit_content outside a loop", "BadValue", place),
      top("if-role-outside", [[5, "user", []], [8]], "if_role outside a loop", "BadValue", place),
      top(
        "if-present-outside",
        [[6, "tools", []], [8]],
        "if_present outside a loop",
        "BadValue",
        place,
      ),
      top(
        "content-after-loop",
        [[7, []], [3], [8]],
        "emit_content after a loop",
        "BadValue",
        place,
      ),
      inLoop(
        "loop-in-loop",
        [[7, []]],
        "a loop in a loop",
        "BadValue",
        "classes-5 7 does not nest",
      ),
      inLoop(
        "loop-in-condition",
        [[5, "user", [[7, []]]]],
        "a loop in a condition in a loop",
        "BadValue",
        "classes-5 7 does not nest",
      ),
      ...[3, 4, 2 ** 32, 2n ** 64n - 1n].map((index) =>
        top(
          `literal-${index}`,
          [[1, index], [8]],
          `literal ${index} of 3`,
          "BadValue",
          "classes-5 blob index < blob_count",
        )
      ),
      corrupt(
        chat(),
        `${templates.name}/literal-without-blobs`,
        "literal 0 of none",
        replaced(chat(), ["body", "program"], [[1, 0]]),
        BAD,
        { cites: ["classes-5 blob index < blob_count"] },
      ),
      top(
        "instructions-4097",
        Array.from({ length: 4097 }, () => [8]),
        "4,097 instructions",
        "BadValue",
        "classes-5 at most 4,096 instructions",
      ),
      inLoop(
        "instructions-4097-nested",
        Array.from({ length: 4095 }, () => [3]),
        "4,097 instructions, most of them in a loop",
        "BadValue",
        "classes-5 at most 4,096 instructions",
      ),
      top(
        "marker-unused",
        [],
        "a generation marker that no instruction emits",
        "BadValue",
        "classes-5 generation_marker is not null",
      ),
      one(
        templates,
        parent,
        "marker-null",
        ["generation_marker"],
        null,
        "an instruction emits a marker that there is not",
        "classes-5 generation_marker is not null",
      ),
      corrupt(
        chat(),
        `${templates.name}/marker-null-in-loop`,
        "the same, in a loop",
        replaced(chat(), ["body", "program"], [[7, [[8]]]]),
        BAD,
        { cites: ["classes-5 generation_marker is not null"] },
      ),
    ];
  },
};
