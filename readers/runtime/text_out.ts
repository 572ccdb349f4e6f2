/** Chosen tokens as text on its way out: decoded as they come, ended by stop bytes. */
import { type Scanned, StopBytes } from "./stop.ts";
import type { ByteStream, Tokenizer } from "./tokenizer/tokenizer.ts";

export class TextOut {
  #text = "";
  #ended: "stop-bytes" | "caller" | null = null;
  readonly #vocabulary: number;
  readonly #stream: ByteStream;
  readonly #stops: StopBytes;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  /** Text that continues `prompt`; `onText` gets each piece, and ends all with false. */
  constructor(
    tokenizer: Tokenizer,
    prompt: readonly number[],
    stops: readonly Uint8Array[],
    private readonly onText: (text: string) => boolean | void = () => {},
  ) {
    this.#vocabulary = tokenizer.vocabSize;
    const spelled = prompt.filter((id) => id < tokenizer.vocabSize);
    const continues = tokenizer.decode(spelled, { continues: true }).length > 0;
    this.#stream = tokenizer.byteStream({ continues });
    this.#stops = new StopBytes(stops);
  }

  /** All that is certain so far. */
  get text(): string {
    return this.#text;
  }

  /** Why the text ends here; null where it goes on. */
  get ended(): "stop-bytes" | "caller" | null {
    return this.#ended;
  }

  /** Takes the next token. One that only the model knows has no text. */
  push(token: number): void {
    if (token < this.#vocabulary) this.#scan(this.#stream.push(token));
  }

  /** No token follows: what was held back comes out. */
  end(): void {
    this.#scan(this.#stream.end());
    if (this.#ended === null) this.#show(this.#stops.end(), true);
  }

  #scan(bytes: Uint8Array): void {
    if (this.#ended === null) this.#show(this.#stops.push(bytes));
  }

  /** An incomplete character is held back until nothing follows it. */
  #show({ shown, met }: Scanned, last = met): void {
    const text = this.#decoder.decode(shown, { stream: !last });
    this.#text += text;
    if (met) this.#ended = "stop-bytes";
    if (text !== "" && this.onText(text) === false) this.#ended ??= "caller";
  }
}
