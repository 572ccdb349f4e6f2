/** Stage 1, and stage 27 where expectations are given. */
import { asked, type Case, type Recipe, rejected } from "../case.ts";
import { base, bound, full, model, plain } from "../library.ts";

const flip = (hex: string, at: number) => {
  const digit = (Number.parseInt(hex[at], 16) ^ 1).toString(16);
  return hex.slice(0, at) + digit + hex.slice(at + 1);
};

const source: Recipe = {
  name: "source",
  reason: "a path under which there is nothing",
  spec: "slm2.md 8, stage 1",
  cites: [],
  cases: (): Case[] => [{
    id: "source/absent",
    reason: "nothing can be read there",
    tags: [],
    op: "read",
    expected: rejected([1, "SourceIo", "none"]),
  }],
};

const expected: Recipe = {
  name: "expect",
  reason: "what a caller expects of a file: its whole_file first, then its identity",
  spec: "slm2.md 8, stage 27",
  cites: ["slm2-8.27 given expectations", "slm2-8 A reader ends at stage 26"],
  cases: () =>
    [model(), base(), full(), bound()].flatMap((one) => {
      const { whole_file, artifact_id } = one.identities;
      const name = one.id.split("/").at(-1);
      const accept = (
        local: string,
        why: string,
        expect: { whole_file?: string; artifact_id?: string },
      ) =>
        asked(one, `expect/${name}-${local}`, why, { expect }, {
          verdict: "accept",
          identities: one.identities,
        });
      const reject = (
        local: string,
        why: string,
        code: "WholeFileHashMismatch" | "IdentityMismatch",
        expect: { whole_file?: string; artifact_id?: string },
      ) => asked(one, `expect/${name}-${local}`, why, { expect }, rejected([27, code, "file"]));
      return [
        accept("both", "both are right", { whole_file, artifact_id }),
        accept("whole-file", "whole_file alone", { whole_file }),
        accept("artifact-id", "artifact_id alone", { artifact_id }),
        accept("nothing", "nothing is expected", {}),
        reject(
          "other-whole-file",
          "whole_file differs in its first digit",
          "WholeFileHashMismatch",
          { whole_file: flip(whole_file, 0), artifact_id },
        ),
        reject(
          "other-whole-file-last",
          "whole_file differs in its last digit",
          "WholeFileHashMismatch",
          { whole_file: flip(whole_file, 63) },
        ),
        reject("other-artifact-id", "artifact_id differs in its first digit", "IdentityMismatch", {
          whole_file,
          artifact_id: flip(artifact_id, 0),
        }),
        reject(
          "other-artifact-id-last",
          "artifact_id differs in its last digit",
          "IdentityMismatch",
          { artifact_id: flip(artifact_id, 63) },
        ),
        reject("both-wrong", "both differ: whole_file is asked first", "WholeFileHashMismatch", {
          whole_file: flip(whole_file, 0),
          artifact_id: flip(artifact_id, 0),
        }),
        reject("swapped", "each in the other's place", "WholeFileHashMismatch", {
          whole_file: artifact_id,
          artifact_id: whole_file,
        }),
      ];
    }),
};

const pieces: Recipe = {
  name: "pieces",
  reason: "an accept leaves out piece_count and piece_root where the caller asks for that",
  spec: "slm2.md 9, testee.md 2",
  cites: ["slm2-9 An accept verdict carries"],
  cases: () =>
    [model(), full(), plain()].map((one) => {
      const { piece_count: _, piece_root: __, ...identities } = one.identities;
      return asked(one, `pieces/${one.id.split("/").at(-1)}-left-out`, "no piece identities", {
        pieces: false,
      }, { verdict: "accept", identities });
    }),
};

export const expectations: readonly Recipe[] = [source, expected, pieces];
