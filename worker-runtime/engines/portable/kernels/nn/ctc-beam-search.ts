import { failedPrecondition, invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { pureKernel } from "../support/define.js";
import { floatTypes } from "../support/dtypes.js";
import { inputAt, type NumberArray, newNumbers, numbersOf } from "../support/elements.js";
import { sparseSequences } from "./ctc-decoder.js";
import { type CtcInputs, ctcInputs } from "./ctc-inputs.js";

/** Logarithms of the probabilities of a sequence of labels: paths that end with a blank, or with its last label. */
interface Probability {
  readonly total: number;
  readonly blank: number;
  readonly label: number;
}

const IMPOSSIBLE: Probability = { total: -Infinity, blank: -Infinity, label: -Infinity };

/** A sequence of labels: those of its parent followed by one more. */
class Beam {
  readonly parent: Beam | undefined;
  readonly label: number;
  /** Up to the previous time step, and including this one. */
  before = IMPOSSIBLE;
  now = IMPOSSIBLE;
  readonly #children = new Map<number, Beam>();

  constructor(parent: Beam | undefined, label: number) {
    this.parent = parent;
    this.label = label;
  }

  get isActive(): boolean {
    return this.now.total !== -Infinity;
  }

  /** The sequence with one more label, created on first use. */
  child(label: number): Beam {
    const found = this.#children.get(label) ?? new Beam(this, label);
    this.#children.set(label, found);
    return found;
  }

  labels(merges: boolean): number[] {
    const labels: number[] = [];
    let last = -1;
    for (let beam: Beam = this; beam.parent !== undefined; beam = beam.parent) {
      if (!merges || beam.label !== last) {
        labels.push(beam.label);
      }
      last = beam.label;
    }
    return labels.reverse();
  }
}

/** The likeliest sequences up to a capacity, in a heap with the least likely one first. */
class Likeliest {
  readonly #limit: number;
  #heap: Beam[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Whether a sequence of this probability would be kept. */
  takes(total: number): boolean {
    const [lowest] = this.#heap;
    return (
      total > -Infinity &&
      (lowest === undefined || this.#heap.length < this.#limit || total > lowest.now.total)
    );
  }

  /** Adds a sequence for which `takes` is true; the least likely one, if evicted, becomes impossible. */
  push(beam: Beam): void {
    const [lowest] = this.#heap;
    if (lowest !== undefined && this.#heap.length >= this.#limit) {
      lowest.now = IMPOSSIBLE;
      this.#heap[0] = beam;
      this.#sink();
      return;
    }
    this.#heap.push(beam);
    this.#rise();
  }

  /** Removes and returns all of them, the likeliest one first. */
  takeAll(): Beam[] {
    const beams = this.#heap;
    this.#heap = [];
    return beams.sort((a, b) => b.now.total - a.now.total);
  }

  #total(index: number): number {
    return this.#heap[index]?.now.total ?? Infinity;
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one !== undefined && other !== undefined) {
      this.#heap[a] = other;
      this.#heap[b] = one;
    }
  }

  #sink(): void {
    for (let index = 0; ; ) {
      const left = 2 * index + 1;
      const least = this.#total(left + 1) < this.#total(left) ? left + 1 : left;
      if (this.#total(least) >= this.#total(index)) {
        return;
      }
      this.#swap(index, least);
      index = least;
    }
  }

  #rise(): void {
    for (let index = this.#heap.length - 1; index > 0; ) {
      const above = (index - 1) >> 1;
      if (this.#total(above) <= this.#total(index)) {
        return;
      }
      this.#swap(index, above);
      index = above;
    }
  }
}

/** log(exp(a) + exp(b)) without overflow. */
function logAddExp(a: number, b: number): number {
  const most = Math.max(a, b);
  return most === -Infinity ? most : most + Math.log1p(Math.exp(Math.min(a, b) - most));
}

/** The logits of `classes` classes, starting at index `from`, as log probabilities. */
function logSoftmax(values: NumberArray, from: number, classes: number): Float64Array {
  const logits = Float64Array.from(values.subarray(from, from + classes));
  const most = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  const sum = logits.reduce((all, logit) => all + Math.exp(logit - most), 0);
  const offset = most + Math.log(sum);
  return logits.map((logit) => logit - offset);
}

/** The paths that a label may follow: if the labels are equal, only those that end with a blank. */
function leadingTo(parent: Beam, label: number): number {
  return parent.label === label ? parent.before.blank : parent.before.total;
}

/**
 * Advances by one time step: Graves, "Supervised sequence labelling with recurrent neural networks" (2012),
 * section 7.5. The last class is the blank.
 */
function step(likeliest: Likeliest, logits: Float64Array): void {
  const blank = logits.length - 1;
  const beams = likeliest.takeAll();
  for (const beam of beams) {
    beam.before = beam.now;
  }
  for (const beam of beams) {
    const { parent, before } = beam;
    let { label } = before;
    if (parent !== undefined) {
      if (parent.isActive) {
        label = logAddExp(label, leadingTo(parent, beam.label));
      }
      label += logits[beam.label] ?? -Infinity;
    }
    const blanked = before.total + (logits[blank] ?? -Infinity);
    beam.now = { total: logAddExp(blanked, label), blank: blanked, label };
  }
  // All of them are kept first: their number does not exceed the capacity.
  for (const beam of beams) {
    likeliest.push(beam);
  }
  for (const beam of beams) {
    if (!likeliest.takes(beam.before.total)) {
      continue;
    }
    for (let label = 0; label < blank; label += 1) {
      const child = beam.child(label);
      if (!child.isActive) {
        const total = leadingTo(beam, label) + (logits[label] ?? -Infinity);
        if (likeliest.takes(total)) {
          child.now = { total, blank: -Infinity, label: total };
          likeliest.push(child);
        } else {
          child.before = IMPOSSIBLE;
        }
      }
    }
  }
}

/** The likeliest sequences for one of the inputs. */
function search({ inputs, batches, classes, lengths }: CtcInputs, batch: number, width: number): Beam[] {
  const values = numbersOf(inputs);
  const likeliest = new Likeliest(width);
  const root = new Beam(undefined, -1);
  root.now = { total: 0, blank: 0, label: -Infinity };
  likeliest.push(root);
  for (let time = 0; time < (lengths[batch] ?? 0); time += 1) {
    step(likeliest, logSoftmax(values, (time * batches + batch) * classes, classes));
  }
  return likeliest.takeAll();
}

/** Nanoseconds per class, kept sequence and time step. */
const NANOSECONDS = 100;

/** The likeliest sequences of labels, with the total probability of the paths that give them; float32 or float64. */
export const ctcBeamSearchKernel: PureKernelDefinition = pureKernel(
  "CTCBeamSearchDecoder",
  (node) => {
    const [width, paths] = [node.int("beam_width"), node.int("top_paths")];
    const merges = node.bool("merge_repeated");
    return (tensors) => {
      const input = ctcInputs(inputAt(tensors, 0), inputAt(tensors, 1), failedPrecondition);
      const { inputs, batches } = input;
      if (paths > width) {
        throw invalidArgument("requested more paths than the beam width.");
      }
      const scores = newNumbers(inputs.dtype, [batches, paths]);
      const found = Array.from({ length: batches }, (_, batch) => {
        const beams = search(input, batch, width);
        if (paths > beams.length) {
          throw invalidArgument("Less leaves in the beam search than requested.");
        }
        beams.slice(0, paths).forEach((beam, path) => {
          scores[batch * paths + path] = beam.now.total;
        });
        return beams;
      });
      const sparse = Array.from({ length: paths }, (_, path) =>
        sparseSequences(found.map((beams) => beams[path]?.labels(merges) ?? [])),
      );
      // All indices, then all values, then all shapes.
      const lists = [0, 1, 2].flatMap((part) => sparse.flatMap((tensors) => tensors[part] ?? []));
      return [...lists, new Tensor(inputs.dtype, [batches, paths], scores)];
    };
  },
  {
    types: { T: floatTypes },
    cost: (node, [inputs]) => (inputs?.size ?? 0) * node.int("beam_width") * NANOSECONDS,
  },
);
