/** `quant encode`, `quant decode`: rows of f32 values to blocks of one profile, and back. */
import { Command } from "commander";
import { QuantisedMatrix, WANTED } from "../../corpus/importers/quantise.ts";
import { REGISTERED } from "../../corpus/writer/profiles.ts";
import { decodeRow } from "../../kernels/quant/codec.ts";
import {
  LAYOUTS,
  type MatrixSpec,
  profileFormat,
  storedBytes,
} from "../../kernels/quant/format.ts";
import { foreign } from "../../reports/terminal.ts";
import { EXIT, setExit, UsageError } from "../exit.ts";
import { replaceFile, withFile } from "../files.ts";
import { readFloats, writeFloats } from "../floats.ts";
import { wholeNumber } from "../options.ts";

interface Options {
  profile: string;
  cols: number;
  rows?: number;
  scales?: string;
}

/** What is wrong with an input, and where; printed as it stands. */
interface Fault {
  readonly code: string;
  readonly why: string;
}

export default function (): Command {
  return new Command()
    .description(
      "Quantises rows of little-endian f32 values into the blocks of one profile, bit for bit as\n" +
        "slm2.md 7.2 has them, and dequantises them. What cannot be packed is named with its row\n" +
        "and block, and nothing is written then. The scales of q8-row, one f32 a row, are a file\n" +
        "of their own.",
    )
    .addCommand(direction("encode", "<in.f32>", "<out.bin>", encodeFile))
    .addCommand(
      direction("decode", "<in.bin>", "<out.f32>", decodeFile)
        .option("--rows <n>", "how many rows, where the size of the input leaves it open", whole),
    );
}

const whole = wholeNumber(1);

function direction(
  name: string,
  from: string,
  to: string,
  act: (from: string, to: string, options: Options) => Fault | null,
): Command {
  return new Command(name)
    .argument(from)
    .argument(to)
    .requiredOption("--profile <name>", "a registered profile, as q4-0.b32.row")
    .requiredOption("--cols <n>", "values in a row", whole)
    .option("--scales <file>", "q8-row alone: the scales, little-endian f32")
    .addHelpText(
      "after",
      `
Example:
  deno task lab quant ${name} --profile q8-0.b32.row --cols 256 ${from.slice(1, -1)} ${
        to.slice(1, -1)
      }

Profiles: ${[...REGISTERED.keys()].join(", ")}`,
    )
    .action((input: string, output: string, options: Options) => {
      const fault = act(input, output, options);
      if (fault === null) return;
      setExit(EXIT.broken);
      console.error(`lab: ${foreign(input)}: ${fault.why} (${fault.code}); nothing was written`);
    });
}

function profileOf({ profile, scales }: Options) {
  const how = profileFormat(profile);
  if (!how) {
    const names = [...REGISTERED.keys()].join(", ");
    throw new UsageError(`--profile ${foreign(profile)}: one of ${names} is expected`);
  }
  if ((how.format === "q8-row") !== (scales !== undefined)) {
    throw new UsageError("--scales belongs to q8-row, and to it alone");
  }
  return how;
}

function encodeFile(from: string, to: string, options: Options): Fault | null {
  const how = profileOf(options), { cols: columns } = options;
  return withFile(from, 1, (source) => {
    const size = source.size(), rows = size / (4 * columns);
    if (!Number.isInteger(rows) || rows < 1) {
      return {
        code: "ElementCount",
        why: `${size} bytes are no rows of ${columns} f32 values, ${4 * columns} bytes each`,
      };
    }
    const matrix = new QuantisedMatrix({ ...how, rows, columns }, source);
    return replaceFile(to, (write) => {
      const checked = matrix.check(write);
      if ("refused" in checked) {
        const { refused, row, block } = checked;
        const why = `expected ${WANTED[refused]} in row ${row}, block ${block}`;
        return { code: refused, why };
      }
      if (checked.scales && options.scales) writeFloats(options.scales, checked.scales);
      return null;
    });
  });
}

function decodeFile(from: string, to: string, options: Options): Fault | null {
  const how = profileOf(options), { cols: columns } = options;
  const bytes = Deno.readFileSync(from);
  const rows = options.rows ?? rowsOf({ ...how, columns }, bytes.length);
  const spec: MatrixSpec = { ...how, rows: rows ?? 0, columns };
  if (rows === null || storedBytes(spec) !== bytes.length) {
    const { elements } = LAYOUTS[how.format];
    const why = `${bytes.length} bytes are no rows of ${columns} values in blocks of ${elements}` +
      (rows === null ? ", or --rows must say how many" : `, of which --rows wants ${rows}`);
    return { code: "ElementCount", why };
  }
  if (how.tail === "exact" && rows * columns % LAYOUTS[how.format].elements !== 0) {
    return { code: "TailRule", why: `expected ${WANTED.TailRule}` };
  }
  const scales = options.scales === undefined ? undefined : readFloats(options.scales);
  if (scales && scales.length !== rows) {
    return { code: "ElementCount", why: `${scales.length} scales for ${rows} rows` };
  }
  return replaceFile(to, (write) => {
    const row = new Float32Array(columns);
    for (let i = 0; i < rows; i++) {
      decodeRow(spec, { bytes, scales }, i, row);
      write(new Uint8Array(row.buffer));
    }
    return null;
  });
}

/** The one number of rows whose blocks take `size` bytes; null where none or several do. */
function rowsOf(spec: Omit<MatrixSpec, "rows">, size: number): number | null {
  const takes = (rows: number) => storedBytes({ ...spec, rows });
  const { elements, bytes } = LAYOUTS[spec.format];
  const most = spec.tail === "row"
    ? size / takes(1)
    : Math.floor(size / bytes * elements / spec.columns);
  const fits = (rows: number) => Number.isInteger(rows) && rows > 0 && takes(rows) === size;
  return fits(most) && !fits(most - 1) ? most : null;
}
