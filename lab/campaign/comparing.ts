/**
 * What is asked for its comparisons: the readers, and the engines of the runtime that programs of a
 * file drive, without watch or oracles. A worker holds it beside the subject itself, so it is small.
 */
import { isRequest } from "../../mutators/request.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { memorySource } from "../../readers/source.ts";
import { table } from "../../readers/table/reader.ts";
import { loadTemplate } from "../../readers/runtime/template/template.ts";
import { loadTokenizer } from "../../readers/runtime/tokenizer/tokenizer.ts";
import type { Subject } from "./subject.ts";

export const subject: Subject = {
  run(input) {
    if (isRequest(input)) return 0; // whose parts are inputs of their own
    const source = memorySource(input);
    const { candidate } = cursor.read({ source, pieces: false });
    table.read({ source, pieces: false });
    if (!candidate) return 0;
    const { artifact_class, blobs } = candidate();
    const payload = (index: number) => {
      const { offset, length } = blobs[index];
      return input.subarray(offset, offset + length);
    };
    if (artifact_class === 4) loadTokenizer(candidate(), payload);
    if (artifact_class === 5) loadTemplate(candidate(), payload);
    return 0;
  },
};
