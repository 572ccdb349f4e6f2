/** `lab testee`: one of our readers, spoken to over standard input and output. */
import { Command } from "commander";
import { loadReader, READER_NAMES } from "../readers.ts";
import { serve } from "../testee/serve.ts";

export default function (): Command {
  return new Command("testee")
    .description(
      "Speaks slm2-testee/1 (corpus/spec/testee.md) with one of the house's readers:\n" +
        "JSON lines in, JSON lines out, until standard input is closed.",
    )
    .requiredOption("--reader <name>", `which reader: ${READER_NAMES.join(" or ")}`)
    .addHelpText(
      "after",
      `
Example, typed by hand:
  $ deno task lab testee --reader cursor
  {"hello":"slm2-testee/1"}
  {"id":1,"op":"read","path":"model.slm"}

Nothing but answers goes to standard output; a reader that throws ends the program with a
trace on standard error.`,
    )
    .action(async ({ reader: name }: { reader: string }) => {
      const reader = await loadReader(name);
      // whatever logs from here on must not stand between answers
      console.log = console.info = console.debug = console.error;
      serve(reader);
    });
}
