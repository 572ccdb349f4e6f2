/** Normalizer and pretokenizer ops of a tokenizer body (`classes.md` section 4). */
import { TEXT, UNSIGNED } from "./cbor.ts";
import type { Fault } from "./fault.ts";
import type { Item, Manifest } from "./manifest.ts";
import { array, fault18, id, type Shape } from "./shapes.ts";

/** Operands of an op, by major type. */
type Registry = Readonly<Record<string, readonly number[]>>;

export const NORMALIZERS: Registry = {
  "nfc": [],
  "nfkc": [],
  "lowercase": [],
  "strip-accents": [],
  "clean-control": [],
  "cjk-space": [],
  "prepend": [TEXT],
  "replace": [TEXT, TEXT],
  "collapse-space": [],
};
export const PRETOKENIZERS: Registry = {
  "gpt2-split": [],
  "whitespace-split": [],
  "punctuation-split": [],
  "digits-split": [UNSIGNED],
  "none": [],
};

/** `[ id, * (uint / text) ]` whose id and operands are a row of the registry. */
export function operation(registry: Registry): Shape {
  const rows = Object.entries(registry);
  return (m, at) => array(m, at) ?? checkOp(m, at);

  function checkOp(m: Manifest, at: Item): Fault {
    const name = m.content(at);
    if (m.count(at) === 0 || m.type(name) !== TEXT) {
      return fault18("BadValue", at, "an op that begins with its name");
    }
    const fault = id(m, name);
    if (fault !== null) return fault;
    const operands = rows.find(([known]) => m.isText(name, known))?.[1];
    if (operands === undefined || operands.length !== m.count(at) - 1) {
      return fault18("BadValue", at, "a registered op with its operands");
    }
    return m.each(at, (item, i) => {
      if (i === 0) return null;
      const isTyped = m.type(item) === operands[i - 1];
      const isZero = m.type(item) === UNSIGNED && m.count(item) === 0; // digits-split n, n >= 1
      return isTyped && !isZero ? null : fault18("BadValue", item, "a registered op's operand");
    });
  }
}
