/**
 * The states of an activation (the report, "Fail-atomic activation"): each is reached from the
 * one before it, and none is skipped.
 */
export type State =
  | "RECEIVING"
  | "QUARANTINED_COMPLETE"
  | "STRUCTURALLY_VALID"
  | "CONTENT_VALID"
  | "DEPENDENCIES_VALID"
  | "POLICY_VALID"
  | "RUNTIME_STAGED"
  | "ACTIVE";

/** The table of transitions: where each state leads. */
export const NEXT: Readonly<Record<State, State | null>> = {
  RECEIVING: "QUARANTINED_COMPLETE",
  QUARANTINED_COMPLETE: "STRUCTURALLY_VALID",
  STRUCTURALLY_VALID: "CONTENT_VALID",
  CONTENT_VALID: "DEPENDENCIES_VALID",
  DEPENDENCIES_VALID: "POLICY_VALID",
  POLICY_VALID: "RUNTIME_STAGED",
  RUNTIME_STAGED: "ACTIVE",
  ACTIVE: null,
};

/** Where one activation stands. */
export class Progress {
  #state: State = "RECEIVING";

  /** @param observe is told of each state as it is reached, the first one included */
  constructor(private readonly observe: (state: State) => void = () => {}) {
    observe(this.#state);
  }

  /** @throws Error where the table does not lead there: a step was skipped, which is a bug */
  reach(state: State): void {
    if (NEXT[this.#state] !== state) throw new Error(`${this.#state} does not lead to ${state}`);
    this.#state = state;
    this.observe(state);
  }
}
