/**
 * The queue of pairs that the two BPE kinds merge from: least key first, leftmost on ties.
 * A binary heap over parallel arrays that are kept from one text to the next.
 */
export class PairHeap {
  size = 0;
  #key = new Float64Array(64);
  #left = new Int32Array(64);
  #end = new Int32Array(64);
  #rule = new Int32Array(64);

  /** Of the first pair: its key, its left symbol, where its right symbol ends, its rule. */
  get key(): number {
    return this.#key[0];
  }
  get left(): number {
    return this.#left[0];
  }
  get end(): number {
    return this.#end[0];
  }
  get rule(): number {
    return this.#rule[0];
  }

  push(key: number, left: number, end: number, rule: number): void {
    if (this.size === this.#key.length) this.#grow();
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#before(key, left, parent)) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#set(at, key, left, end, rule);
  }

  /** Drops the first pair. */
  pop(): void {
    const last = --this.size;
    const key = this.#key[last], left = this.#left[last];
    let at = 0;
    for (let child = 1; child < last; child = 2 * at + 1) {
      if (child + 1 < last && this.#before(this.#key[child + 1], this.#left[child + 1], child)) {
        child++;
      }
      if (this.#before(key, left, child)) break;
      this.#move(child, at);
      at = child;
    }
    this.#set(at, key, left, this.#end[last], this.#rule[last]);
  }

  #before(key: number, left: number, other: number): boolean {
    return key < this.#key[other] || (key === this.#key[other] && left < this.#left[other]);
  }

  #move(from: number, to: number): void {
    this.#set(to, this.#key[from], this.#left[from], this.#end[from], this.#rule[from]);
  }

  #set(at: number, key: number, left: number, end: number, rule: number): void {
    this.#key[at] = key;
    this.#left[at] = left;
    this.#end[at] = end;
    this.#rule[at] = rule;
  }

  #grow(): void {
    const key = new Float64Array(2 * this.#key.length);
    key.set(this.#key);
    this.#key = key;
    this.#left = doubled(this.#left);
    this.#end = doubled(this.#end);
    this.#rule = doubled(this.#rule);
  }
}

function doubled(array: Int32Array): Int32Array<ArrayBuffer> {
  const twice = new Int32Array(2 * array.length);
  twice.set(array);
  return twice;
}
