/** `verify FILE...`: the verdict of each reader, and whether they agree. */
import { Command } from "commander";
import { styleText } from "node:util";
import type { Dependency, Policy, Reader, Verdict } from "../../readers/contract.ts";
import type { FileSource } from "../../readers/source.ts";
import { foreign } from "../../reports/terminal.ts";
import { CLASS_NAMES, STAGE_NAMES } from "../../reports/words.ts";
import { EXIT, setExit, UsageError } from "../exit.ts";
import { artifactPath, openFile, openNamedStore, withFile } from "../files.ts";
import { digest, policyLimit, repeated } from "../options.ts";
import { differences } from "../oracle/verdicts.ts";
import { loadReaders } from "../readers.ts";

interface Options {
  reader: string;
  policy: Policy;
  resolve: string[];
  store?: string;
  expectWholeFile?: string;
  expectId?: string;
  pieces: boolean;
  json?: boolean;
}

export default function (): Command {
  return new Command()
    .argument("<files...>", "SLM2 artifacts; with --store, ids in it too")
    .option("--reader <names>", "the readers to ask, by name", "cursor,table")
    .option("--policy <limit=value>", "a lower limit (slm2.md section 4); repeat", policyLimit, {})
    .option("--resolve <file>", "an artifact that dependencies may find; repeat", repeated, [])
    .option("--store <dir>", "dependencies may find every artifact of this store")
    .option("--expect-whole-file <hex>", "the whole_file that the file must have", digest)
    .option("--expect-id <hex>", "the artifact id that the file must have", digest)
    .option("--no-pieces", "leave out the identities of 4 MiB pieces, and their work")
    .option("--json", "one JSON object a file and reader")
    .description(
      "Asks each reader for its verdict: accepted, with all identities, or rejected, with the\n" +
        "stage, code, section and offset. Two readers that differ in anything but the offset stop\n" +
        "a release: exit code 3.",
    )
    .addHelpText(
      "after",
      `
Examples:
  deno task lab verify model.slm
  deno task lab verify --reader table --policy tensor_count=1000 *.slm
  deno task lab verify --store DIR composition.slm      also its dependencies
  deno task lab verify --store DIR COMPOSITION_ID       the same, by its id`,
    )
    .action(verify);
}

async function verify(files: readonly string[], options: Options): Promise<void> {
  const readers = await loadReaders(options.reader);
  openDependencies(options)?.forEach(({ source }) => source.close());
  for (const file of files) {
    const verdicts = verdictsIfThere(file, readers, options);
    if (verdicts === null) continue;
    const differ = verdicts.flatMap((one, i) => i === 0 ? [] : differences(verdicts[0], one));
    if (verdicts.some((one) => one.verdict === "reject")) setExit(EXIT.broken);
    if (differ.length > 0) setExit(EXIT.disagree);
    if (options.json) {
      readers.forEach((reader, i) =>
        console.log(JSON.stringify({ file, reader: reader.name, ...verdicts[i] }))
      );
    } else print(file, readers, verdicts, [...new Set(differ)]);
  }
}

/** null, said on standard error, where the file cannot be read: the others are judged all the same. */
function verdictsIfThere(file: string, readers: readonly Reader[], options: Options) {
  try {
    return verdictsOn(file, readers, options);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`lab: ${foreign(error.message, 1000)}`);
    setExit(EXIT.usage);
    return null;
  }
}

function verdictsOn(file: string, readers: readonly Reader[], options: Options): Verdict[] {
  const { policy, pieces, expectWholeFile: whole_file, expectId: artifact_id } = options;
  const dependencies = openDependencies(options);
  try {
    return withFile(
      artifactPath(file, options.store),
      readers.length,
      (source) =>
        readers.map((reader) =>
          reader.read({
            source,
            policy,
            pieces,
            expect: { ...(whole_file && { whole_file }), ...(artifact_id && { artifact_id }) },
            resolve: dependencies,
          }).verdict
        ),
    );
  } finally {
    dependencies?.forEach(({ source }) => source.close());
  }
}

interface Opened extends Dependency {
  readonly source: FileSource;
}

/**
 * undefined where no resolver was asked for; a folder of none is one that finds nothing. A store
 * claims the id in each name, so that a damaged file is `DependencyWholeFile` here as it is for
 * `run` (slm2.md, decision 1).
 */
function openDependencies({ resolve, store }: Options): Opened[] | undefined {
  if (resolve.length === 0 && store === undefined) return undefined;
  const given = resolve.map((path): Opened => ({ source: openFile(path) }));
  if (store === undefined) return given;
  const kept = openNamedStore(store);
  return [
    ...given,
    ...kept.ids().map((id): Opened => ({ source: kept.open(id)!, claimed_id: id })),
  ];
}

function print(
  file: string,
  readers: readonly Reader[],
  verdicts: readonly Verdict[],
  differ: readonly string[],
): void {
  const agree = differ.length === 0;
  const shown = agree ? verdicts.slice(0, 1) : verdicts;
  const who = readers.map((reader) => reader.name).join(" and ");
  console.log(
    `${foreign(file)}: ` +
      (agree
        ? readers.length > 1 ? `${who} agree` : who
        : styleText(["red", "bold"], `${who} DISAGREE in ${differ.join(", ")}`)),
  );
  shown.forEach((verdict, i) => {
    if (!agree) console.log(`  ${styleText("bold", readers[i].name)}`);
    if (verdict.verdict === "accept") printAccept(verdict);
    else printReject(verdict);
  });
}

function printAccept({ identities }: Extract<Verdict, { verdict: "accept" }>): void {
  console.log(`  ${styleText("green", "accepted")}, ${CLASS_NAMES[identities.class]}`);
  for (const [name, value] of Object.entries(identities)) {
    if (name === "class" || value === undefined) continue;
    const text = Array.isArray(value)
      ? `${value.length}${value.length > 0 ? ", each with its identity in --json" : ""}`
      : value;
    console.log(`    ${name.padEnd(18)} ${text}`);
  }
}

function printReject(verdict: Extract<Verdict, { verdict: "reject" }>): void {
  const { stage, code, section, offset, expected } = verdict;
  console.log(
    `  ${styleText("red", "rejected")} at stage ${stage} (${STAGE_NAMES[stage]}): ` +
      styleText("bold", code),
  );
  console.log(`    section ${section}` + (offset === undefined ? "" : `, offset ${offset}`));
  if (expected !== undefined) console.log(`    expected ${foreign(expected)}`);
}
