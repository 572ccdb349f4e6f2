/** Lower limits than the format's: each at its value, one under, and at nothing (slm2.md section 4). */
import type { LimitName } from "../../../readers/contract.ts";
import { entriesOf, isMap, type Item } from "../../writer/cbor.ts";
import { utf8 } from "../../writer/bytes.ts";
import {
  asked,
  type Case,
  corrupt,
  type Recipe,
  rejected,
  type Rejection,
  type ValidCase,
} from "../case.ts";
import { manifestItem } from "../items.ts";
import { full, kv } from "../library.ts";
import { open, withFields } from "../parts.ts";
import { richAnnouncement, richTemplate } from "../rich.ts";
import { deepest, longestArray, longestMap, longestText, mostItems } from "../valid/cbor.ts";
import { three } from "../corrupt/tensor_records.ts";

/** What a manifest has of each thing that section 4 limits. */
function measure(
  item: Item,
  depth = 1,
): { depth: number; items: number; text: number; bytes: number; entries: number } {
  const own = { depth: 0, items: 1, text: 0, bytes: 0, entries: 0 };
  if (typeof item === "string") return { ...own, text: utf8(item).length };
  if (item instanceof Uint8Array) return { ...own, bytes: item.length };
  if (typeof item !== "object" || item === null) return own;
  const map = isMap(item);
  const inner: [Item, number][] = map
    ? entriesOf(item).flatMap((
      [key, value],
    ): [Item, number][] => [[key, depth], [value, depth + 1]])
    : (item as readonly Item[]).map((one) => [one, depth + 1]);
  const entries = map ? inner.length / 2 : inner.length;
  return inner.map(([one, at]) => measure(one, at)).reduce((sum, one) => ({
    depth: Math.max(sum.depth, one.depth),
    items: sum.items + one.items,
    text: Math.max(sum.text, one.text),
    bytes: Math.max(sum.bytes, one.bytes),
    entries: Math.max(sum.entries, one.entries),
  }), { ...own, depth, entries });
}

/** What a file has of what a limit limits, and where it is rejected for it. */
function limitsOf(
  one: ValidCase,
): (readonly [name: LimitName, value: number, rejection: Rejection])[] {
  const { manifest, strings, quant, tensor, blob, auxiliary } = open(one.artifact.bytes);
  const m = measure(manifestItem(one));
  const rank = Math.max(0, ...tensor.map((record) => record[2]));
  const P = "PolicyLimitExceeded";
  return [
    ["file_size", one.artifact.bytes.length, [2, P, "file"]],
    ["manifest_length", manifest.length, [12, P, "header"]],
    ["string_table_length", strings.length, [12, P, "header"]],
    ["quant_count", quant.length, [12, P, "header"]],
    ["tensor_count", tensor.length, [12, P, "header"]],
    ["blob_count", blob.length, [12, P, "header"]],
    ["auxiliary_count", auxiliary.length, [12, P, "header"]],
    ["cbor_depth", m.depth, [17, P, "manifest"]],
    ["cbor_items", m.items, [17, P, "manifest"]],
    ["cbor_text", m.text, [17, P, "manifest"]],
    ["cbor_bytes", m.bytes, [17, P, "manifest"]],
    ["cbor_entries", m.entries, [17, P, "manifest"]],
    ["rank", rank, [21, P, "tensors"]],
  ];
}

const MAX = Number.MAX_SAFE_INTEGER;

const rows: Recipe = {
  name: "policy/limit",
  reason: "each limit at what the file has, one under it, at nothing, and far above the format's",
  spec: "slm2.md 4",
  cites: [
    "slm2-4 A reader may be given",
    "slm2-4 0 is a limit of 0",
    "slm2-8.2 actual size over",
    "slm2-4 a policy value above",
  ],
  cases: () =>
    [full(), richAnnouncement(), richTemplate(), three(), kv()].flatMap((one) => {
      const name = one.id.split("/").at(-1);
      const accept = { verdict: "accept", identities: one.identities } as const;
      return limitsOf(one).flatMap(([limit, value, rejection]): Case[] => {
        const ask = (local: string, why: string, n: number, expected: Case["expected"]) =>
          asked(
            one,
            `policy/limit/${name}-${limit}-${local}`,
            why,
            { policy: { [limit]: n } },
            expected,
          );
        return [
          ask("exact", `${limit} of just ${value}`, value, accept),
          ...(value > 0
            ? [
              ask("under", `${limit} of one less than ${value}`, value - 1, rejected(rejection)),
              ...(value > 1 ? [ask("zero", `${limit} of nothing`, 0, rejected(rejection))] : []),
            ]
            : []),
          ask("max", `${limit} of 2^53 - 1 counts as the format's`, MAX, accept),
        ];
      });
    }),
};

const several: Recipe = {
  name: "policy/together",
  reason: "several limits at once, in the order of the checks",
  spec: "slm2.md 4 and 8",
  cites: ["slm2-4 Default policy"],
  cases: () => {
    const of = (one: ValidCase) =>
      Object.fromEntries(limitsOf(one).map(([limit, value]) => [limit, value]));
    return [
      ...[full(), richAnnouncement(), three()].map((one) =>
        asked(
          one,
          `policy/together/${one.id.split("/").at(-1)}-exact`,
          "every limit at just what the file has",
          { policy: of(one) },
          { verdict: "accept", identities: one.identities },
        )
      ),
      ...limitsOf(full()).map(([limit, , rejection], i, all) => {
        const policy = Object.fromEntries(
          all.slice(i).filter(([, value]) => value > 0).map(([name]) => [name, 0]),
        );
        return {
          ...asked(
            full(),
            `policy/together/from-${limit}`,
            `${limit} and every later limit of nothing`,
            { policy },
            rejected(rejection),
          ),
          tags: ["two-faults"],
        };
      }).filter((_, i) => limitsOf(full())[i][1] > 0 && !CBOR.has(limitsOf(full())[i][0])),
    ];
  },
};

/** Limits that are asked item by item, so that their order is that of the items. */
const CBOR = new Set<LimitName>([
  "cbor_depth",
  "cbor_items",
  "cbor_text",
  "cbor_bytes",
  "cbor_entries",
]);

const above: Recipe = {
  name: "policy/above",
  reason:
    "a policy above the format's limit does not lift it; a file over both is over the format's",
  spec: "slm2.md 4",
  cites: ["slm2-4 a policy value above", "slm2-4 A *format limit*"],
  cases: () => {
    const format = (
      local: string,
      why: string,
      bytes: Uint8Array,
      policy: Record<string, number>,
      rejection: Rejection,
      parent: ValidCase,
    ) => corrupt(parent, `policy/above/${local}`, why, bytes, rejection, { ask: { policy } });
    const header = (field: string, n: number) =>
      withFields(full().artifact.bytes, { [`header.${field}`]: n });
    const rows = [
      ["manifest_length", "manifest_length", (4 << 20) + 1],
      ["string_table_length", "string_table_length", (16 << 20) + 1],
      ["quant_count", "quant_count", 1025],
      ["tensor_count", "tensor_count", 65537],
      ["blob_count", "blob_count", 4097],
      ["auxiliary_count", "auxiliary_count", 262145],
    ] as const;
    return [
      ...rows.flatMap(([limit, field, n]) =>
        [["policy-over", n + 5], ["policy-under", 1]].map(([local, value]) =>
          format(
            `${limit}-${local}`,
            `${field} ${n}, over the format's limit; the policy says ${value}`,
            header(field, n),
            { [limit]: value as number },
            [12, "FormatLimitExceeded", "header"],
            full(),
          )
        )
      ),
      format(
        "rank-9-policy-9",
        "rank 9 under a policy of 9 is a shape that there is none of",
        withFields(three().artifact.bytes, { "tensor[0].rank": 9 }),
        { rank: 9 },
        [21, "ShapeInvalid", "tensors"],
        three(),
      ),
      format(
        "rank-9-policy-1",
        "rank 9 under a policy of 1 too",
        withFields(three().artifact.bytes, { "tensor[0].rank": 9 }),
        { rank: 1 },
        [21, "ShapeInvalid", "tensors"],
        three(),
      ),
    ];
  },
};

/** The files that reach a format limit of CBOR exactly: one less of policy is one too few. */
const cbor: Recipe = {
  name: "policy/cbor",
  reason: "the greatest manifests under a policy of one less, and of more than the format's",
  spec: "slm2.md 4 and 5",
  cites: ["slm2-4 A reader may be given", "slm2-5 the items count"],
  cases: () =>
    ([
      ["cbor_depth", 16, deepest],
      ["cbor_items", 65536, mostItems],
      ["cbor_entries", 16384, longestArray],
      ["cbor_entries", 16384, longestMap],
      ["cbor_text", 65536, longestText],
    ] as const)
      .flatMap(([limit, value, make]) => {
        const one = make(), name = one.id.split("/").at(-1);
        return [
          asked(one, `policy/cbor/${name}-under`, `${limit} of ${value - 1}`, {
            policy: { [limit]: value - 1 },
          }, rejected([17, "PolicyLimitExceeded", "manifest"])),
          asked(one, `policy/cbor/${name}-exact`, `${limit} of ${value}`, {
            policy: { [limit]: value },
          }, { verdict: "accept", identities: one.identities }),
        ];
      }),
};

export const policy: readonly Recipe[] = [rows, several, above, cbor];
