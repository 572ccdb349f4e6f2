/** The ledger of released cases, `golden/ledger.txt`: an id, its version and its meaning a line. */
export const LEDGER = new URL("golden/ledger.txt", import.meta.url);

/** What was released: the version that brought a case, and a digest of what it asks and expects. */
export type Ledger = ReadonlyMap<string, { readonly since: string; readonly meaning: string }>;

/** Reads the ledger; empty before the first release. */
export function readLedger(): Ledger {
  let text = "";
  try {
    text = Deno.readTextFileSync(LEDGER);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return new Map(
    text.split("\n").filter((line) => line !== "").map((line) => {
      const [id, since, meaning] = line.split(" ");
      return [id, { since, meaning }];
    }),
  );
}
