/**
 * Lists of expected failures: what a reader is known to get wrong, why, and how. An entry
 * is a claim like any other: a success, another result, or a case that is not asked breaks it.
 */
import { Ajv2020 } from "ajv/2020";
import { UsageError } from "../exit.ts";

export const KNOWN_FORMAT = "slm2-expected-failures/1";

/** One list; it speaks about the testee of that name. */
export interface KnownList {
  readonly format: typeof KNOWN_FORMAT;
  readonly testee: string;
  readonly failures: readonly KnownFailure[];
}

export interface KnownFailure {
  readonly id: string;
  /** the result on one line, as every report shows it */
  readonly result: string;
  /** why it is not mended yet: for people, and required */
  readonly reason: string;
}

const TEXT = { type: "string", minLength: 1 };
const validate = new Ajv2020().compile<KnownList>({
  type: "object",
  additionalProperties: false,
  required: ["format", "testee", "failures"],
  properties: {
    format: { const: KNOWN_FORMAT },
    testee: { type: "string" },
    failures: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["id", "result", "reason"],
        properties: { id: TEXT, result: TEXT, reason: TEXT },
      },
    },
  },
});

/** @throws UsageError where `text` is no such list, or has an id twice */
export function parseKnown(text: string, path: string): KnownList {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is not JSON`);
  }
  if (!validate(list)) {
    const [fault] = validate.errors ?? [];
    throw new UsageError(`${path} at ${fault?.instancePath || "/"} ${fault?.message}`);
  }
  const ids = list.failures.map(({ id }) => id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) throw new UsageError(`${path} has ${twice} twice`);
  return list;
}
