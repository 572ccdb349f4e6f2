/** `retrieve`: an index of documents by their vectors, built and asked. */
import { Command, InvalidArgumentError } from "commander";
import { retrievalIndex } from "../../corpus/writer/build/retrieval.ts";
import { REGISTERED } from "../../corpus/writer/profiles.ts";
import { compositionBody } from "../../readers/runtime/manifest.ts";
import { buildRetrieval, isReject, openRetrieval } from "../../readers/runtime/mod.ts";
import { foreign } from "../../reports/terminal.ts";
import { printReject } from "../activation.ts";
import { EXIT, setExit, UsageError } from "../exit.ts";
import { openFile } from "../files.ts";
import { readFloats } from "../floats.ts";
import { wholeNumber } from "../options.ts";
import { artifactFor, keptArtifact, putInto, report } from "../pack/artifacts.ts";

const METRICS = ["cosine", "dot", "l2"] as const;
const COMPOSITION = 6, INDEX = 8;

export default function (): Command {
  return new Command()
    .description(
      "An index of documents by their vectors (class 8): flat, under one of three metrics.",
    )
    .addCommand(build())
    .addCommand(query());
}

interface BuildOptions {
  vectors: string;
  dim: number;
  documents?: string;
  embedding: string;
  metric: string;
  type: string;
  out: string;
  json?: boolean;
}

function build(): Command {
  return new Command("build")
    .requiredOption("--vectors <file>", "raw little-endian f32, a row of dim values a document")
    .requiredOption("--dim <n>", "values of a vector", wholeNumber(1))
    .option("--documents <file>", "a JSON array of texts, one a vector; absent: empty ones")
    .requiredOption(
      "--embedding <id>",
      "the composition that the vectors came from: an id in the store, or a file",
    )
    .option("--metric <name>", METRICS.join(", "), "cosine")
    .option("--type <type>", "f32, or a profile under which vectors are kept", "f32")
    .requiredOption("--out <dir>", "the store to write into")
    .option("--json", "one JSON object")
    .description("Writes an index.")
    .addHelpText(
      "after",
      `
Example:
  deno task lab retrieve build --vectors v.f32 --dim 4 --documents texts.json \\
    --embedding COMPOSITION_ID --metric dot --out store`,
    )
    .action(buildIndex);
}

async function buildIndex(options: BuildOptions): Promise<void> {
  const { dim, type, out, json } = options;
  const metric = METRICS.find((name) => name === options.metric);
  if (!metric) throw new UsageError(`--metric ${foreign(options.metric)}: ${METRICS.join(", ")}`);
  if (type !== "f32" && !REGISTERED.has(type)) {
    const names = [...REGISTERED.keys()].join(", ");
    throw new UsageError(`--type ${foreign(type)}: f32, or one of ${names}`);
  }
  openFile(options.vectors).close();
  const vectors = readFloats(options.vectors), rows = vectors.length / dim;
  if (rows === 0) throw new UsageError(`${foreign(options.vectors)} holds no vector`);
  if (!Number.isInteger(rows)) {
    throw new UsageError(
      `${
        foreign(options.vectors)
      } holds ${vectors.length} values: whole rows of ${dim} are expected`,
    );
  }
  const documents = options.documents === undefined
    ? new Array<string>(rows).fill("")
    : readTexts(options.documents, rows);
  using embedding = await artifactFor(options.embedding, out, COMPOSITION);
  if (embedding === null) return;
  const built = buildRetrieval({
    embedding: embedding.identities,
    tokenizer: {
      ...embedding.identities,
      class: 4,
      artifact_id: compositionBody(embedding.candidate).tokenizer_id,
    },
    chunking: "whole-document",
    corpus_revision: await revision(documents),
    metric,
    dim,
    documents,
    vectors,
    type,
  });
  if ("refused" in built) {
    setExit(EXIT.broken);
    const at = "element" in built ? ` in vector ${Math.floor(built.element / dim)}` : "";
    return console.error(
      `lab: ${foreign(options.vectors)}: ${built.refused}${at}; nothing was written`,
    );
  }
  report(await putInto(out, retrievalIndex(built)), json);
}

/** @throws UsageError where the file is no array of so many texts */
function readTexts(path: string, count: number): string[] {
  openFile(path).close();
  let given: unknown;
  try {
    given = JSON.parse(Deno.readTextFileSync(path));
  } catch (error) {
    throw new UsageError(`${foreign(path)}: JSON is expected: ${(error as Error).message}`);
  }
  if (isTexts(given) && given.length === count) return given;
  throw new UsageError(`${foreign(path)}: an array of ${count} texts is expected, one a vector`);
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => typeof text === "string" && text.isWellFormed());

/** SHA-256 of the documents as a JSON array: what the vectors were made from. */
async function revision(documents: readonly string[]): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(JSON.stringify(documents));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

interface QueryOptions {
  store?: string;
  vector?: string;
  values?: number[];
  count: number;
  json?: boolean;
}

function query(): Command {
  return new Command("query")
    .argument("<index>", "an index; with --store, its id in it too")
    .option("--store <dir>", "the store in which an id is looked for")
    .option("--vector <file>", "what is asked for: dim raw little-endian f32 values")
    .option("--values <list>", "or these values, as 0.5,-1,2", values)
    .option("--count <n>", "the best so many", wholeNumber(1), 5)
    .option("--json", "one JSON object a hit")
    .description("The nearest documents, best first; under l2 the score is the distance.")
    .addHelpText(
      "after",
      "\nExample:\n  deno task lab retrieve query INDEX_ID --store store --values 1,0,0,0 --count 3",
    )
    .action(ask);
}

function values(text: string): number[] {
  const list = text.split(",").map(Number);
  if (text.trim() !== "" && list.every(Number.isFinite)) return list;
  throw new InvalidArgumentError("finite numbers are expected, as 0.5,-1,2.");
}

async function ask(name: string, options: QueryOptions): Promise<void> {
  const { vector: path, values, count, json } = options;
  if ((path === undefined) === (values === undefined)) {
    throw new UsageError("either --vector or --values says what is asked for");
  }
  if (path !== undefined) openFile(path).close();
  const vector = path === undefined ? Float32Array.from(values!) : readFloats(path);
  using kept = await keptArtifact(name, options.store, INDEX);
  if (kept === null) return;
  const index = openRetrieval(kept.candidate);
  if (isReject(index)) return printReject(name, index, json);
  const { dim } = index.body;
  if (vector.length !== dim || !vector.every(Number.isFinite)) {
    throw new UsageError(`${vector.length} values are asked for: ${dim} finite ones are expected`);
  }
  for (const hit of index.query(vector, count)) {
    if (json) console.log(JSON.stringify(hit));
    else {console.log(
        `${String(hit.row).padStart(6)}  ${hit.score.toPrecision(6).padStart(12)}  ${
          foreign(hit.document)
        }`,
      );}
  }
}
