/** Ctrl+C in a terminal: it ends the program, unless others use its tasks; then only a second one does. */
import { type InUse, inUseLines, isAnythingInUse } from "../../app/in-use.js";

/** A second Ctrl+C after this is a first one again. */
const ASKED_MILLIS = 10_000;

export interface InterruptionOptions {
  /** Undefined while the application starts. */
  inUse(): InUse | undefined;
  say(text: string): void;
  end(): void;
  readonly now?: () => number;
}

/** The actions at each Ctrl+C. */
export function interruption({ inUse, say, end, now = Date.now }: InterruptionOptions): () => void {
  let askedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const used = inUse();
    if (used === undefined || !isAnythingInUse(used) || now() - askedAt < ASKED_MILLIS) {
      end();
      return;
    }
    askedAt = now();
    say(
      `Ending Tensordeck ends ${inUseLines(used).join("; ")}. Press Ctrl+C again within ${ASKED_MILLIS / 1000} seconds to end it.\n`,
    );
  };
}
