/**
 * Oracle over a request: a runtime that has a composition's artifacts in a store finds them, or says
 * what is wrong with them, as a reader does with the same store for a resolver (classes.md section 6).
 */
import type { Hex, Reader, Verdict } from "../../readers/contract.ts";
import { activate, type ActivationRequest } from "../../readers/runtime/activation.ts";
import type { Context } from "../../readers/runtime/context.ts";
import { ActiveSlot } from "../../readers/runtime/context.ts";
import { isReject } from "../../readers/runtime/outcome.ts";
import { memorySource } from "../../readers/source.ts";
import { openCpu } from "../../kernels/cpu/backend.ts";
import { storeOf } from "./admits.ts";
import { checkOf, clause } from "./clauses.ts";
import { type Finding, type LaterOracle, type Observation, tuple } from "./oracle.ts";
import { throwPlace } from "./total.ts";

const NAME = "closes";
const COMPOSITION = 6;

/** Codes of the closure's own checks, which a runtime gives where a reader does and only there. */
const CODES: ReadonlySet<string> = new Set([
  "DependencyMissing",
  "DependencyClass",
  "DependencyWholeFile",
  "DependencyId",
  "TokenizerMismatch",
  "BaseMismatch",
  "LayoutMismatch",
  "TargetMissing",
  "TargetShape",
  "TargetQuant",
]);

type Activate = (request: ActivationRequest) => ReturnType<typeof activate>;

export function closes(run: Activate = activate): LaterOracle {
  return async (observation) => {
    const { bytes, asked, seen: [{ reader }] } = observation;
    if (asked?.op !== "read" || asked.resolve === undefined || bytes[36] !== COMPOSITION) {
      return null;
    }
    if (!accepts(reader, bytes)) return null;
    const store = stored(observation, reader);
    const resolve = [...store].map(([claimed_id, file]) => ({
      claimed_id,
      source: memorySource(file),
    }));
    const { verdict } = reader.read({ source: memorySource(bytes), resolve, pieces: false });
    const slot = new ActiveSlot();
    let context: Context | null = null;
    try {
      const answer = await run({
        composition: memorySource(bytes),
        store: storeOf(store),
        reader,
        backend: { name: "cpu", open: openCpu },
        slot,
      });
      if (!isReject(answer)) context = answer;
      const said: Verdict | "a context" = isReject(answer) ? answer : "a context";
      return parted(reader.name, verdict, said);
    } catch (error) {
      const text = error instanceof Error ? error.stack ?? error.message : String(error);
      return flaw("crash", `throw ${throwPlace(error)}`, text, "slm2-8-6");
    } finally {
      slot.commit(context, null);
    }
  };
}

const accepts = (reader: Reader, bytes: Uint8Array): boolean =>
  reader.read({ source: memorySource(bytes), pieces: false }).verdict.verdict === "accept";

/** What a store holds that was given these artifacts in order: each under the id that it has or claims. */
function stored({ asked }: Observation, reader: Reader): Map<Hex, Uint8Array> {
  const files = new Map<Hex, Uint8Array>();
  for (const artifact of asked?.op === "read" ? asked.resolve ?? [] : []) {
    if (!("bytes" in artifact)) continue;
    const { bytes, claimed_id } = artifact;
    const { verdict } = reader.read({ source: memorySource(bytes), pieces: false });
    const own = verdict.verdict === "accept" ? verdict.identities.artifact_id : undefined;
    const id = claimed_id ?? own;
    if (id !== undefined) files.set(id, bytes);
  }
  return files;
}

function parted(
  name: string,
  reader: Verdict,
  runtime: Verdict | "a context",
): Finding | null {
  const codeOf = (verdict: Verdict | "a context") =>
    verdict !== "a context" && verdict.verdict === "reject" && CODES.has(verdict.code)
      ? verdict.code
      : null;
  const [asked, said] = [codeOf(reader), codeOf(runtime)];
  if (asked === said) return null;
  const code = asked ?? said!;
  const told = runtime === "a context" ? runtime : tuple(runtime);
  const detail = `${name}, by the store: ${tuple(reader)}\nthe runtime: ${told}`;
  const decides = checkOf(25, code)?.clause.id ?? "slm2-8-6";
  return flaw(
    "disagreement",
    `${code} ${asked ? "missed" : "made up"}`,
    detail,
    decides,
  );
}

const flaw = (
  kind: Finding["class"],
  what: string,
  detail: string,
  decides: string,
): Finding => ({
  oracle: NAME,
  class: kind,
  key: `${NAME} ${what}`,
  detail,
  clause: clause(decides),
});
