/** `demo`: the whole path on the bundled model, each step held against its reference. */
import { Command } from "commander";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { styleText } from "node:util";
import { describeImportError, isImportError } from "../../corpus/importers/import.ts";
import { packLlama2c } from "../../corpus/importers/pack_llama2c.ts";
import { artifactFile } from "../../corpus/store.ts";
import { isWriteError } from "../../corpus/writer/fault.ts";
import type { Reader } from "../../readers/contract.ts";
import { type Context, generate, isReject, logits } from "../../readers/runtime/mod.ts";
import { fileSource } from "../../readers/source.ts";
import { bytesText, CLASS_NAMES } from "../../reports/words.ts";
import { activateNamed } from "../activation.ts";
import { EXIT, setExit } from "../exit.ts";
import { readFloats } from "../floats.ts";
import { differences } from "../oracle/verdicts.ts";
import { loadReaders } from "../readers.ts";

const MODEL = fileURLToPath(new URL("../../corpus/models/fable/", import.meta.url));

/** Largest distance of an f32 logit from its double-precision reference (fable/README.md). */
const LOGIT_BOUND = 1e-4;

/** What is used here of `expected.json`. */
interface Reference {
  readonly prompts: readonly {
    readonly name: string;
    readonly prompt: string;
    readonly sequence_ids: readonly number[];
    readonly continuation_ids: readonly number[];
    readonly logits: readonly { readonly position: number; readonly file: string }[];
  }[];
}

export default function (): Command {
  return new Command()
    .option("--out <dir>", "keep the artifacts in this store; absent: a temporary one")
    .description(
      "Packs the bundled model, verifies the artifacts with both readers, generates from the\n" +
        "reference prompts and compares text and logits with the reference. Exit code 0 only if\n" +
        "everything is as it must be.",
    )
    .addHelpText(
      "after",
      "\nExample:\n  deno task lab demo --out out/demo      then run and inspect what lies there",
    )
    .action(demo);
}

async function demo({ out }: { out?: string }): Promise<void> {
  const store = out ?? Deno.makeTempDirSync();
  try {
    console.log(`${styleText("bold", "SLM2 lab: one model, from checkpoint to text")}\n`);
    const ids = pack(store);
    await verify(store, ids);
    await speak(store, ids[ids.length - 1]);
  } finally {
    if (out === undefined) Deno.removeSync(store, { recursive: true });
  }
}

/** @returns the ids of the artifacts, the composition last */
function pack(store: string): string[] {
  const packed = packLlama2c({
    model: join(MODEL, "fable.bin"),
    tokenizer: join(MODEL, "fable-tok.bin"),
    out: store,
  });
  if (isImportError(packed)) throw new Error(describeImportError(packed));
  if (isWriteError(packed)) throw new Error(packed.expected);
  const artifacts = [packed.base, packed.tokenizer, packed.composition];
  heading("pack", "a llama2.c checkpoint and its tokenizer become three artifacts");
  for (const { identities, file_size } of artifacts) {
    line(
      CLASS_NAMES[identities.class],
      `${short(identities.artifact_id)}  ${bytesText(file_size)}`,
    );
  }
  return artifacts.map(({ identities }) => identities.artifact_id);
}

async function verify(store: string, ids: readonly string[]): Promise<void> {
  const readers = await loadReaders("cursor,table");
  heading(
    "verify",
    `${readers.map((reader) => reader.name).join(" and ")}, two readers written apart`,
  );
  for (const id of ids) {
    const [one, other] = readers.map((reader) => verdict(reader, join(store, artifactFile(id))));
    const differ = differences(one, other);
    if (differ.length > 0) setExit(EXIT.disagree);
    else if (one.verdict === "reject") setExit(EXIT.broken);
    const agreed = one.verdict === "accept"
      ? `both accept, every identity equal, whole_file ${short(one.identities.whole_file)}`
      : `both reject: ${one.code}`;
    line(
      short(id),
      mark(differ.length === 0 && one.verdict === "accept") +
        (differ.length === 0 ? agreed : `they disagree in ${differ.join(", ")}`),
    );
  }
}

function verdict(reader: Reader, path: string) {
  const source = fileSource(path);
  try {
    return reader.read({ source }).verdict;
  } finally {
    source.close();
  }
}

async function speak(store: string, composition: string): Promise<void> {
  const context = await activateNamed({ composition, store, reader: "cursor", backend: "cpu" });
  if (context === null) return;
  try {
    const { prompts }: Reference = JSON.parse(Deno.readTextFileSync(join(MODEL, "expected.json")));
    await generateAll(context, prompts);
    await compareLogits(context, prompts);
  } finally {
    context.release();
  }
}

async function generateAll(context: Context, prompts: Reference["prompts"]): Promise<void> {
  heading("run", "greedy text from the reference prompts, token for token");
  let tokens = 0;
  let milliseconds = 0;
  for (const { prompt, continuation_ids } of prompts) {
    const result = await generate(context, {
      prompt: { text: prompt },
      max_new_tokens: continuation_ids.length,
      ignore_stops: true,
    });
    if (isReject(result) || "fault" in result) throw new Error(JSON.stringify(result));
    const same = String(result.tokens) === String(continuation_ids);
    if (!same) setExit(EXIT.broken);
    tokens += result.tokens.length;
    milliseconds += result.timing.decode;
    const text = `${prompt}${result.text}`.replaceAll(/\s+/g, " ").trim();
    line(`${result.tokens.length} tokens`, `${mark(same)}${text.slice(0, 66)}…`);
  }
  line("", `${(tokens / milliseconds * 1000).toFixed(0)} tokens a second on this machine`);
}

async function compareLogits(context: Context, prompts: Reference["prompts"]): Promise<void> {
  heading("logits", `against double precision, bound ${LOGIT_BOUND}`);
  for (const { name, sequence_ids, logits: references } of prompts) {
    const found = await logits(context, sequence_ids, references.map((one) => one.position));
    if (isReject(found)) throw new Error(found.code);
    const distances = references.map(({ position, file }) => {
      const at = found.find((one) => one.position === position)!;
      return largestDistance(at.logits, readFloats(join(MODEL, file)));
    });
    const most = Math.max(...distances);
    const within = most <= LOGIT_BOUND;
    if (!within) setExit(EXIT.broken);
    const positions = references.map(({ position }) => position).join(", ");
    line(name, `${mark(within)}at most ${most.toExponential(1)} apart at positions ${positions}`);
  }
}

/** Infinite where a value is NaN: a NaN is never within a bound. */
function largestDistance(a: Float32Array, b: Float32Array): number {
  return a.reduce((most, value, i) => {
    const distance = Math.abs(value - b[i]);
    return Number.isNaN(distance) ? Infinity : Math.max(most, distance);
  }, a.length === b.length ? 0 : Infinity);
}

function heading(verb: string, what: string): void {
  console.log(`${styleText("bold", verb.padEnd(7))} ${what}`);
}

function line(label: string, text: string): void {
  console.log(`  ${label.padEnd(16)} ${text}`);
}

const short = (hex: string) => `${hex.slice(0, 12)}…`;
const mark = (good: boolean) =>
  good ? `${styleText("green", "ok")}  ` : `${styleText("red", "NO")}  `;
