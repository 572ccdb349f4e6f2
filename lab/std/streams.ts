/**
 * Stands in for `@std/streams` where its registry cannot be reached: the pieces that the
 * lab uses, with the same names, over Web Streams. One line of the import map
 * (`deno.json`) swaps in the real one.
 */

/** Splits decoded text into lines; LF and CRLF end a line, a last line needs no end. */
export class TextLineStream extends TransformStream<string, string> {
  constructor() {
    let rest = "";
    super({
      transform(chunk, controller) {
        const parts = (rest + chunk).split("\n");
        rest = parts.pop() ?? "";
        for (const part of parts) {
          controller.enqueue(part.endsWith("\r") ? part.slice(0, -1) : part);
        }
      },
      flush(controller) {
        if (rest !== "") controller.enqueue(rest);
      },
    });
  }
}
