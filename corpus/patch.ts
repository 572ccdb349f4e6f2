/**
 * The patch between a valid file and one made from it: `Edit`s as `applyPatch` takes them
 * (index.ts), found by comparing bytes.
 */
import type { Edit } from "./index.ts";

const HEADER_SIZE = 224;

/** Changes that are this close stand in one edit: an edit of its own would be longer. */
const NEAR = 12;

/** Where a shortest edit script costs more than this, the whole stretch is replaced. */
const MOST_CHANGES = 1200;

interface Change {
  readonly start: number;
  readonly end: number;
  readonly put: Uint8Array;
}

/** A short patch from `parent` to `child`; equal files have an empty one. */
export function diff(parent: Uint8Array, child: Uint8Array): Edit[] {
  const head = Math.min(HEADER_SIZE, parent.length, child.length);
  const changes = [
    ...inPlace(parent.subarray(0, head), child.subarray(0, head), 0),
    ...stretch(parent.subarray(head), child.subarray(head), head),
  ];
  return merge(parent, changes).map(({ start, end, put }) => ({
    offset: start,
    ...(put.length > 0 ? { hex: put.toHex() } : {}),
    ...(end - start === put.length ? {} : { remove: end - start }),
  }));
}

/** Byte for byte, of two stretches of one length. */
function inPlace(parent: Uint8Array, child: Uint8Array, base: number): Change[] {
  const changes: Change[] = [];
  for (let i = 0; i < parent.length; i++) {
    if (parent[i] !== child[i]) {
      changes.push({ start: base + i, end: base + i + 1, put: child.subarray(i, i + 1) });
    }
  }
  return changes;
}

function stretch(parent: Uint8Array, child: Uint8Array, base: number): Change[] {
  const shared = Math.min(parent.length, child.length);
  let front = 0;
  while (front < shared && parent[front] === child[front]) front++;
  let back = 0;
  while (
    back < shared - front && parent[parent.length - 1 - back] === child[child.length - 1 - back]
  ) back++;
  const from = parent.subarray(front, parent.length - back);
  const to = child.subarray(front, child.length - back);
  const whole = { start: base + front, end: base + front + from.length, put: to };
  if (from.length === 0 || to.length === 0) return from.length + to.length > 0 ? [whole] : [];
  const placed = from.length === to.length ? inPlace(from, to, base + front) : null;
  if (placed && placed.length <= NEAR) return placed;
  const script = shortest(from, to, base + front);
  if (script && (!placed || script.length < placed.length)) return script;
  return placed ?? [whole];
}

/**
 * The shortest script of single insertions and removals (E. Myers, An O(ND) Difference
 * Algorithm, 1986), or null where it is long.
 */
function shortest(a: Uint8Array, b: Uint8Array, base: number): Change[] | null {
  const most = Math.min(a.length + b.length, MOST_CHANGES);
  const reach = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    trace.push(reach.slice(most + 1 - d - 1, most + 1 + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const at = most + 1 + k;
      let x = k === -d || (k !== d && reach[at - 1] < reach[at + 1])
        ? reach[at + 1]
        : reach[at - 1] + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach[at] = x;
      if (x >= a.length && x - k >= b.length) return script(trace, a, b, base);
    }
  }
  return null;
}

/** Walks the furthest-reaching points back from the end. `trace[d]` holds diagonals -d-1 .. d+1. */
function script(trace: Int32Array[], a: Uint8Array, b: Uint8Array, base: number): Change[] {
  const changes: Change[] = [];
  let x = a.length, y = b.length;
  for (let d = trace.length - 1; d > 0; d--) {
    const reach = (k: number) => trace[d][k + d + 1];
    const k = x - y;
    const down = k === -d || (k !== d && reach(k - 1) < reach(k + 1));
    const before = down ? k + 1 : k - 1;
    const x0 = reach(before), y0 = x0 - before;
    changes.push(
      down
        ? { start: base + x0, end: base + x0, put: b.subarray(y0, y0 + 1) }
        : { start: base + x0, end: base + x0 + 1, put: b.subarray(0, 0) },
    );
    x = x0;
    y = y0;
  }
  return changes.reverse();
}

/** Joins changes that stand near each other, with what stands between them. */
function merge(parent: Uint8Array, changes: readonly Change[]): Change[] {
  const merged: Change[] = [];
  for (const change of changes) {
    const last = merged.at(-1);
    if (last && change.start - last.end <= NEAR) {
      const between = parent.subarray(last.end, change.start);
      const put = new Uint8Array(last.put.length + between.length + change.put.length);
      put.set(last.put);
      put.set(between, last.put.length);
      put.set(change.put, last.put.length + between.length);
      merged[merged.length - 1] = { start: last.start, end: change.end, put };
    } else {
      merged.push(change);
    }
  }
  return merged;
}
