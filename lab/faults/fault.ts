/** A seeded fault: a change of one place in a copy of the source, and what it breaks. */
export interface SeededFault {
  /** stays the same for ever: tables over time compare by it */
  readonly id: string;
  /** path in the repository */
  readonly file: string;
  /** stands exactly once in the file */
  readonly search: string;
  readonly replacement: string;
  /** what goes wrong, in a few words */
  readonly breaks: string;
  /** the clause of the specification that is broken */
  readonly clause: string;
  /** bytes of the smallest input known to show it, where `triggers_data.ts` does not say */
  readonly trigger?: number;
}
