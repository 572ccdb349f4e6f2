/** A badge: which corpus version a reader was held against, and how many cases it met. */
import { markup } from "../markup.ts";
import { number } from "./model.ts";

export interface BadgeFacts {
  readonly corpusVersion: string;
  readonly contentId: string;
  readonly reader: string;
  readonly passed: number;
  readonly asked: number;
}

/** Width of a character in the badge's font, in pixels, and the space beside a text. */
const CHARACTER = 6.6;
const SPACE = 10;

/** An SVG that names the corpus version, so that it is seen to be old when a new one is out. */
export function badge({ corpusVersion, contentId, reader, passed, asked }: BadgeFacts): string {
  const label = `SLM2 corpus ${corpusVersion}`;
  const value = passed === asked
    ? `${number(passed)} cases hold`
    : `${number(passed)} of ${number(asked)} hold`;
  const left = Math.round(label.length * CHARACTER + 2 * SPACE);
  const right = Math.round(value.length * CHARACTER + 2 * SPACE);
  const colour = passed === asked ? "#1c6b3c" : "#a8201a";
  return markup`<svg xmlns="http://www.w3.org/2000/svg" width="${
    left + right
  }" height="22" role="img" aria-label="${label}: ${value}">
<title>${reader}: ${label}, content id ${contentId}: ${value}</title>
<clipPath id="round"><rect width="${left + right}" height="22" rx="4"/></clipPath>
<g clip-path="url(#round)"><rect width="${left}" height="22" fill="#3b4048"/><rect x="${left}" width="${right}" height="22" fill="${colour}"/></g>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
<text x="${left / 2}" y="15" textLength="${left - 2 * SPACE}">${label}</text>
<text x="${left + right / 2}" y="15" textLength="${right - 2 * SPACE}">${value}</text>
</g>
</svg>
`.text;
}
