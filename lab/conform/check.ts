/** `conform --check`: does a claim still hold when its testee is run again? */
import type { Index } from "../../corpus/index.ts";
import { foreign } from "../../reports/terminal.ts";
import { EXIT, setExit, UsageError } from "../exit.ts";
import { type Claim, compareClaims, parseClaim } from "./claim.ts";
import type { Conformed } from "./conform.ts";

/** Changed verdicts shown; the rest are counted. */
const SHOWN = 50;

/**
 * A claim on disk that can be checked against this corpus, before anybody is asked.
 * @throws UsageError where it cannot
 */
export function loadClaim(path: string, { version, content_id }: Index): Claim {
  const claim = parseClaim(Deno.readTextFileSync(path), path);
  const { corpus } = claim;
  if (corpus.content_id === content_id) return claim;
  throw new UsageError(
    `the claim is about corpus ${foreign(corpus.version)}, content id ` +
      `${foreign(corpus.content_id)}; this one is ${version}, ${content_id}`,
  );
}

/**
 * Compares a claim with the one that this run makes, prints, and sets the exit code.
 * @throws UsageError where this run makes none, or several
 */
export function checkClaim(claimed: Claim, { claims }: Conformed, json: boolean): void {
  if (claims.length !== 1) throw new UsageError("--check compares one testee");
  const actual = claims[0];
  if (actual === null) throw new UsageError("--check needs a run of the whole corpus");
  const broken = compareClaims(claimed, actual);
  const { name, version } = claimed.reader;
  const sameReader = name === actual.reader.name && version === actual.reader.version;
  if (json) {
    for (const one of broken) console.log(JSON.stringify(one));
    console.log(
      JSON.stringify({ claim: claimed.hash, same_reader: sameReader, broken: broken.length }),
    );
  } else {
    for (const { id, claimed, actual } of broken.slice(0, SHOWN)) {
      console.log(`${foreign(id)}\n  claimed ${foreign(claimed)}\n  actual  ${foreign(actual)}`);
    }
    if (broken.length > SHOWN) console.log(`... and ${broken.length - SHOWN} more`);
    if (!sameReader) {
      console.log(
        `the claim is by ${foreign(name)} ${foreign(version)}; this is ` +
          `${foreign(actual.reader.name)} ${foreign(actual.reader.version)}`,
      );
    }
    const cases = Object.keys(claimed.cases).length;
    console.log(
      broken.length === 0
        ? `the claim holds: ${cases} verdicts, corpus ${claimed.corpus.version}, ` +
          `content id ${claimed.corpus.content_id}`
        : `the claim does not hold: ${broken.length} of ${cases} verdicts differ`,
    );
  }
  if (broken.length > 0 || !sameReader) setExit(EXIT.broken);
}
