/** Encodes the undo history of a document for its draft: of each state, only what the draft does not have yet. */
import { encode } from "@msgpack/msgpack";
import type { DraftHistory } from "../../../main/api/drafts.js";
import type { History } from "../history.js";
import { SLICE_MILLIS, type Yield } from "../in-slices.js";
import type { Transaction } from "../operations.js";
import { type Part, StepParts } from "./step-parts.js";
import { MAX_KEPT_BYTES, MAX_KEPT_STEPS, type Outline } from "./stored-step.js";

/** The parts of all steps that are kept so far. */
interface Kept {
  readonly used: Map<number, Part>;
  sizeBytes: number;
}

export class HistoryWriter {
  readonly #pause: Yield;
  readonly #parts = new StepParts();
  readonly #sent = new Set<number>();

  constructor(pause: Yield) {
    this.#pause = pause;
  }

  /** The draft is written anew, and has no part yet. */
  forget(): void {
    this.#sent.clear();
  }

  /** The newest steps, as far as they fit; undefined if there are none. The draft has what is returned from then on. */
  async write(history: History): Promise<DraftHistory | undefined> {
    const { past, future, document } = history;
    const kept: Kept = { used: new Map(), sizeBytes: 0 };
    const done = (await this.#take(past, MAX_KEPT_STEPS, kept)).toReversed();
    const undone = await this.#take(future, MAX_KEPT_STEPS - done.length, kept);
    const saved = savedAt(history);
    const dropped = past.length - done.length;
    const isKept = saved !== undefined && saved >= dropped && saved <= past.length + undone.length;
    const outline: Outline = {
      steps: [...done, ...undone],
      done: done.length,
      ...(isKept ? { saved: saved - dropped } : {}),
      runs: [document.runConfig, ...document.otherRuns].map(({ name }) => name),
    };
    const added = [...kept.used.values()]
      .filter(({ id }) => !this.#sent.has(id))
      .map((part) => ({ id: part.id, bytes: this.#parts.bytesOf(part) }));
    this.#parts.release();
    for (const { id } of added) this.#sent.add(id);
    return outline.steps.length === 0
      ? undefined
      : { added, used: [...kept.used.keys()], outline: encode(outline) };
  }

  /** At most so many of these steps, from the last one back, until one does not fit. */
  async #take(steps: readonly Transaction[], most: number, kept: Kept): Promise<number[]> {
    const taken: number[] = [];
    let sliceEnds = performance.now() + SLICE_MILLIS;
    for (const step of steps.slice(Math.max(0, steps.length - most)).toReversed()) {
      const part = this.#parts.of(step);
      if (part === undefined || !include(part, kept)) break;
      taken.push(part.id);
      if (performance.now() < sliceEnds) continue;
      await this.#pause();
      sliceEnds = performance.now() + SLICE_MILLIS;
    }
    return taken;
  }
}

/** Adds a step with all that it names; false if it does not fit. */
function include(step: Part, kept: Kept): boolean {
  const added = new Map<number, Part>();
  const open = [step];
  for (let part = open.pop(); part; part = open.pop()) {
    if (kept.used.has(part.id) || added.has(part.id)) continue;
    added.set(part.id, part);
    open.push(...part.parts);
  }
  const sizeBytes = [...added.values()].reduce((sum, part) => sum + part.sizeBytes, kept.sizeBytes);
  if (sizeBytes > MAX_KEPT_BYTES) return false;
  kept.sizeBytes = sizeBytes;
  for (const [id, part] of added) kept.used.set(id, part);
  return true;
}

/** After how many of all steps, done and undone, the document was saved; undefined if that cannot be reached any more. */
function savedAt({ past, future, savedAfter, savedReachable }: History): number | undefined {
  if (!savedReachable) return undefined;
  if (savedAfter === undefined) return 0;
  const index = [...past, ...future.toReversed()].indexOf(savedAfter);
  return index < 0 ? undefined : index + 1;
}
