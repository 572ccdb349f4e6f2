/** An inspection as rows of a label and texts, the same on a terminal and in a page. */
import type { Inspection } from "./inspection.ts";
import { bytesText } from "./words.ts";

/** Most characters of an item that a sink shows: an extension in full notation. */
export const ITEM_LIMIT = 600;

/** Texts are as the file has them: the sink escapes. */
export interface Row {
  readonly label: string;
  readonly text: string;
  /** items of a list, in their order; what is not shown is counted in `text` */
  readonly items: readonly string[];
}

/** The facts that there are, in the order of `Inspection`. */
export function rows(facts: Inspection): Row[] {
  return Object.entries(facts).flatMap(([key, value]) =>
    value === undefined ? [] : [{ label: key.replaceAll("_", " "), ...shown(key, value, facts) }]
  );
}

function shown(key: string, value: unknown, facts: Inspection): Omit<Row, "label"> {
  if (key.endsWith("_bytes")) return line(`${value} (${bytesText(Number(value))})`);
  if (key === "requirements") {
    const { features, memory_bytes } = facts.requirements;
    const text = `${features.count} features, ${memory_bytes} bytes of memory`;
    return { text, items: features.shown };
  }
  if (isListed(value)) {
    const { count, shown } = value;
    return {
      text: count > shown.length ? `${count}, the first:` : `${count}`,
      items: shown.map((item) => typeof item === "string" ? item : Object.values(item).join("  ")),
    };
  }
  if (Array.isArray(value)) return line(value.join(" ") || "none");
  return line(value === null ? "none" : String(value));
}

const line = (text: string) => ({ text, items: [] });

interface Listed {
  readonly count: number;
  readonly shown: readonly (string | Readonly<Record<string, string>>)[];
}

function isListed(value: unknown): value is Listed {
  return typeof value === "object" && value !== null && "shown" in value;
}
