/** `pack adapter`: any registered operations, as a person writes them down. */
import { Command } from "commander";
import { dirname, resolve } from "node:path";
import { decimalRational, type Target } from "../../corpus/importers/lora.ts";
import { adapter, type OperationParts } from "../../corpus/writer/build/adapter.ts";
import type { TensorDescription } from "../../corpus/writer/description.ts";
import { foreign } from "../../reports/terminal.ts";
import { UsageError } from "../exit.ts";
import { openFile } from "../files.ts";
import { floatBytes, readFloats } from "../floats.ts";
import { artifactFor, putInto, report } from "./artifacts.ts";
import { targets } from "./targets.ts";

interface Options {
  base: string;
  out: string;
  json?: boolean;
}

const BASE = 2;

/** The operands of each operation (classes.md section 3); a shape has the free size at null. */
const OPERANDS: Readonly<
  Record<OperationParts["op"], (target: Target, axis: number) => Record<string, Operand>>
> = {
  "lora/1": ({ shape: [out, into] }) => ({ a: { shape: [null, into] }, b: { shape: [out, null] } }),
  "additive-delta/1": ({ shape }) => ({ delta: { shape } }),
  "sparse-delta/1": () => ({ index: { shape: [null], type: "u64" }, value: { shape: [null] } }),
  "multiplicative-vector/1": ({ shape }, axis) => ({ v: { shape: [shape[axis] ?? 0] } }),
};

/** What an operation may have beside its op. */
const MEMBERS = "target, scale, axis, tensors";

interface Operand {
  readonly shape: readonly (number | null)[];
  /** absent: f32 */
  readonly type?: "u64";
}

export function packAdapter(): Command {
  return new Command("adapter")
    .argument("<file>", "operations as JSON: see below")
    .requiredOption("--base <id>", "the base that it changes: its id in the store, or a file")
    .requiredOption("--out <dir>", "the store to write into")
    .option("--json", "one JSON object")
    .description("An adapter of any registered operations, in the order given.")
    .addHelpText(
      "after",
      `
The file is an array of operations: op, target (a tensor's name), scale (decimal; absent: 1), axis
(of multiplicative-vector/1), tensors (by operand: numbers, or the name of a raw f32 file):
  [{"op": "sparse-delta/1", "target": "attention-q.0", "scale": 0.5,
    "tensors": {"index": [0, 97], "value": [1, -2]}}]
Operands: lora/1 a, b; additive-delta/1 delta; sparse-delta/1 index, value; multiplicative-vector/1 v.`,
    )
    .action(pack);
}

async function pack(path: string, { base: name, out, json }: Options): Promise<void> {
  openFile(path).close();
  using base = await artifactFor(name, out, BASE);
  if (base === null) return;
  const operations = readOperations(path, targets(base.candidate));
  report(await putInto(out, adapter(base.identities, operations)), json);
}

/** @throws UsageError that names the operation, and what is expected there */
function readOperations(path: string, base: readonly Target[]): OperationParts[] {
  let given: unknown;
  try {
    given = JSON.parse(Deno.readTextFileSync(path));
  } catch (error) {
    throw new UsageError(`${foreign(path)}: JSON is expected: ${(error as Error).message}`);
  }
  if (!Array.isArray(given) || given.length === 0) {
    throw new UsageError(`${foreign(path)}: an array of operations is expected`);
  }
  return given.map((one: unknown, order) => {
    const wrong = (expected: string): never => {
      throw new UsageError(`${foreign(path)}: operation ${order}: ${expected} is expected`);
    };
    if (typeof one !== "object" || one === null) return wrong("an object");
    const { op, target: name, scale = 1, axis = 0, tensors, ...rest } = one as Record<
      string,
      unknown
    >;
    const [strange] = Object.keys(rest);
    if (strange !== undefined) return wrong(`one of ${MEMBERS} in place of ${foreign(strange)}`);
    const operands = Object.entries(OPERANDS).find(([known]) => known === op);
    if (!operands) return wrong(`an op of ${Object.keys(OPERANDS).join(", ")}`);
    const target = base.find((tensor) => tensor.name === name);
    if (!target) return wrong("a target that is the name of a tensor of the base");
    const rational = decimalRational(String(scale).replace(/^-/, ""));
    if (rational === null) return wrong("a decimal scale");
    if (!target.shape.some((_, of) => of === axis)) {
      return wrong(`an axis from 0 to ${target.shape.length - 1}`);
    }
    if (typeof tensors !== "object" || tensors === null) return wrong("tensors by operand");
    const negative = String(scale).startsWith("-");
    return {
      op: operands[0] as OperationParts["op"],
      target,
      scale: negative ? [-BigInt(rational[0]), rational[1]] : rational,
      axis: axis as number,
      tensors: Object.fromEntries(
        Object.entries(operands[1](target, axis as number)).map(([operand, how]) => [
          operand,
          tensorOf(`${order}.${operand}`, how, (tensors as Record<string, unknown>)[operand], {
            folder: dirname(path),
            layer: target.layer,
            below: target.shape.reduce((product, n) => product * n, 1),
            wrong: (expected) => wrong(`${operand}: ${expected}`),
          }),
        ]),
      ),
    };
  });
}

function tensorOf(
  name: string,
  { shape, type }: Operand,
  given: unknown,
  at: { folder: string; layer: number; below: number; wrong: (expected: string) => never },
): TensorDescription {
  const values = numbersOf(given, at.folder);
  if (values === null) return at.wrong("an array of numbers, or the name of a raw f32 file,");
  if (type === "u64" && !rises(Array.from(values), at.below)) {
    return at.wrong(`whole numbers that rise, from 0 to ${at.below - 1},`);
  }
  const known = shape.reduce<number>((product, n) => product * (n ?? 1), 1);
  const free = shape.includes(null) ? values.length / known : 1;
  if (!Number.isInteger(free) || free < 1 || free * known !== values.length) {
    return at.wrong(`[${shape.map((n) => n ?? "n").join(", ")}] values`);
  }
  return {
    role: "operand",
    name,
    layer: at.layer,
    shape: shape.map((n) => n ?? free),
    type: type ?? "f32",
    payload: type === "u64"
      ? new Uint8Array(BigUint64Array.from(values, (x) => BigInt(x)).buffer)
      : floatBytes(Float32Array.from(values)),
  };
}

/** What activation asks of a sparse index (classes.md section 3). */
const rises = (index: readonly number[], below: number) =>
  index.every((x, i) => Number.isSafeInteger(x) && x > (index[i - 1] ?? -1) && x < below);

function numbersOf(given: unknown, folder: string): ArrayLike<number> & Iterable<number> | null {
  if (typeof given === "string") {
    const path = resolve(folder, given);
    openFile(path).close();
    return readFloats(path);
  }
  const numbers = Array.isArray(given) && given.every((x) => Number.isFinite(x));
  return numbers ? given as number[] : null;
}
