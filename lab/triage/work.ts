/** `triage --work`: findings on a screen, where a person reads, notes and bisects. */
import type { FindingView } from "../../reports/nightly/model.ts";
import { foreign } from "../../reports/terminal.ts";
import { Interrupt } from "../nightly/interrupt.ts";
import { noteIn } from "./ledger.ts";
import { bisectLines, deciding, viewLines } from "./lines.ts";
import type { Triaged } from "./look.ts";
import { moved } from "./moved.ts";
import { Screen, type Wish } from "./screen.ts";
import { Terminal } from "./terminal.ts";

export interface Work {
  readonly folder: string;
  readonly findings: readonly Triaged[];
  readonly more: number;
  /** commits looked at an axis */
  readonly looks: number;
  readonly view: (one: Triaged) => Promise<FindingView>;
}

/** Returns when the person leaves. */
export async function work({ folder, findings, more, looks, view }: Work): Promise<void> {
  const interrupt = new Interrupt();
  const screen = new Screen(findings, more);
  let bisecting = new AbortController();
  try {
    using terminal = new Terminal();
    const draw = () => terminal.draw(screen.render(terminal.rows));
    Deno.addSignalListener("SIGWINCH", draw);
    interrupt.signal.addEventListener("abort", () => Deno.stdin.close());
    try {
      for (;;) {
        draw();
        const keys = await terminal.keys().catch(() => null);
        if (keys === null) return;
        for (const key of keys) {
          const wish = screen.press(key, terminal.rows);
          if (wish?.wish === "quit") return;
          if (wish !== null) await grant(wish, draw);
        }
      }
    } finally {
      Deno.removeSignalListener("SIGWINCH", draw);
      bisecting.abort();
    }
  } finally {
    interrupt.end();
  }

  async function grant(wish: Wish, draw: () => void): Promise<void> {
    switch (wish.wish) {
      case "open":
        return screen.open(viewLines(await view(wish.one)));
      case "expected":
      case "status":
      case "note": {
        const entry = noteIn(folder, wish.one.name, { [wish.wish]: wish.text });
        return screen.replace({ ...wish.one, entry });
      }
      case "bisect":
        bisecting.abort();
        bisecting = new AbortController();
        // keys are read on while it looks
        bisect(wish.one, draw, AbortSignal.any([bisecting.signal, interrupt.signal]));
    }
  }

  async function bisect(one: Triaged, draw: () => void, stopped: AbortSignal): Promise<void> {
    try {
      const found = await view(one);
      screen.open([...viewLines(found).slice(0, 2), ""]);
      const sentences = deciding(one, found);
      const onLook = (axis: string, count: number, commits: number) => {
        screen.message = `${axis}: look ${count} of at most ${looks}, ${commits} commits`;
        draw();
      };
      for await (const axis of moved(one, { sentences, looks, stopped, onLook })) {
        screen.append(bisectLines(axis));
        draw();
      }
      screen.message = "";
    } catch (error) {
      if (stopped.aborted) return;
      screen.message = foreign(error instanceof Error ? error.message : String(error));
    }
    draw();
  }
}
