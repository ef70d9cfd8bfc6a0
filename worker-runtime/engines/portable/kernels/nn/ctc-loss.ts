import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel } from "../support/define.js";
import { floatTypes } from "../support/dtypes.js";
import { inputAt, type NumberArray, newNumbers, numbersOf } from "../support/elements.js";
import { type CtcInputs, ctcInputs, labelSequences } from "./ctc-inputs.js";

interface LossRules {
  /** Whether repeated labels are merged before anything else. */
  readonly collapses: boolean;
  /** Whether repeated classes stand for one label, as in the paper. */
  readonly merges: boolean;
  readonly ignoresLonger: boolean;
}

function rulesOf(node: KernelNode): LossRules {
  return {
    collapses: node.bool("preprocess_collapse_repeated"),
    merges: node.bool("ctc_merge_repeated"),
    ignoresLonger: node.bool("ignore_longer_outputs_than_inputs"),
  };
}

/** ln(e^a + e^b). */
function logSum(a: number, b: number): number {
  if (a === -Infinity || b === -Infinity) {
    return Math.max(a, b);
  }
  return Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)));
}

/**
 * The labels without trailing blanks: the last class is the blank, and so is any label beyond it.
 * @throws TensorFlowError INVALID_ARGUMENT
 */
function checkedLabels(
  labels: readonly number[],
  batch: number,
  classes: number,
  { collapses }: LossRules,
): number[] {
  const kept: number[] = [];
  let ended = false;
  for (const [i, label] of labels.entries()) {
    if (i > 0 && collapses && label === labels[i - 1]) {
      continue;
    }
    if (label >= classes - 1) {
      ended = true;
      continue;
    }
    if (ended) {
      throw invalidArgument(
        `Saw a non-null label (index >= num_classes - 1) following a null label, batch: ${batch} num_classes: ${classes} labels: ${labels.join(",")}`,
      );
    }
    if (label < 0) {
      throw invalidArgument(
        `All labels must be nonnegative integers, batch: ${batch} labels: ${labels.join(",")}`,
      );
    }
    kept.push(label);
  }
  return kept;
}

/** The log probabilities of the classes of one sequence at each time step. */
function logProbabilities(
  { inputs, batches, classes }: CtcInputs,
  batch: number,
  times: number,
): Float64Array {
  const values = numbersOf(inputs);
  const out = new Float64Array(times * classes);
  for (let time = 0; time < times; time += 1) {
    const from = (time * batches + batch) * classes;
    const row = values.subarray(from, from + classes);
    let largest = -Infinity;
    for (const value of row) {
      largest = Math.max(largest, value);
    }
    let sum = 0;
    for (const value of row) {
      sum += Math.exp(value - largest);
    }
    for (let i = 0; i < classes; i += 1) {
      out[time * classes + i] = (row[i] as number) - largest - Math.log(sum);
    }
  }
  return out;
}

/** The states of one sequence's paths: its labels with blanks around them. */
interface Lattice {
  readonly states: readonly number[];
  readonly blank: number;
  readonly times: number;
  readonly classes: number;
  readonly logs: Float64Array;
  readonly merges: boolean;
}

/** The predecessors or successors of state `u` in one step: itself and up to two others. */
function steps({ states, blank, merges }: Lattice, u: number, direction: -1 | 1): number[] {
  const state = states[u];
  const found: number[] = [];
  if (merges || state === blank) {
    found.push(u);
  }
  const [next, afterNext] = [u + direction, u + 2 * direction];
  if (states[next] !== undefined) {
    found.push(next);
  }
  const same = merges && states[afterNext] === state;
  if (states[afterNext] !== undefined && state !== blank && !same) {
    found.push(afterNext);
  }
  return found;
}

/** The log probability of all paths to each state at each time step: Graves et al. (2006), equation 6. */
function forward(lattice: Lattice): NumberArray {
  const { states, times, classes, logs } = lattice;
  const count = states.length;
  const alpha = newNumbers("float64", [times, count]).fill(-Infinity);
  for (let u = 0; u < Math.min(2, count); u += 1) {
    alpha[u] = logs[states[u] as number] as number;
  }
  for (let time = 1; time < times; time += 1) {
    for (let u = 0; u < count; u += 1) {
      let sum = -Infinity;
      for (const from of steps(lattice, u, -1)) {
        sum = logSum(sum, alpha[(time - 1) * count + from] as number);
      }
      alpha[time * count + u] = sum + (logs[time * classes + (states[u] as number)] as number);
    }
  }
  return alpha;
}

/** The same for all paths from each state to the end, excluding its own probability. */
function backward(lattice: Lattice): NumberArray {
  const { states, times, classes, logs } = lattice;
  const count = states.length;
  const beta = newNumbers("float64", [times, count]).fill(-Infinity);
  for (let u = Math.max(0, count - 2); u < count; u += 1) {
    beta[(times - 1) * count + u] = 0;
  }
  for (let time = times - 2; time >= 0; time -= 1) {
    for (let u = 0; u < count; u += 1) {
      let sum = -Infinity;
      for (const to of steps(lattice, u, 1)) {
        const later = (time + 1) * classes + (states[to] as number);
        sum = logSum(sum, (beta[(time + 1) * count + to] as number) + (logs[later] as number));
      }
      beta[time * count + u] = sum;
    }
  }
  return beta;
}

/** The loss of one sequence, and its gradient with respect to each class at each time step. */
function lossOf(lattice: Lattice): { readonly loss: number; readonly gradient: Float64Array } {
  const { states, times, classes, logs } = lattice;
  const count = states.length;
  const [alpha, beta] = [forward(lattice), backward(lattice)];
  let total = -Infinity;
  for (let u = 0; u < count; u += 1) {
    total = logSum(total, (alpha[u] as number) + (beta[u] as number));
  }
  const gradient = logs.map(Math.exp);
  if (total === -Infinity) {
    return { loss: Infinity, gradient };
  }
  for (let time = 0; time < times; time += 1) {
    for (let u = 0; u < count; u += 1) {
      const at = time * classes + (states[u] as number);
      const share = (alpha[time * count + u] as number) + (beta[time * count + u] as number) - total;
      gradient[at] = (gradient[at] as number) - Math.exp(share);
    }
  }
  return { loss: -total, gradient };
}

function ctcLoss(tensors: readonly Tensor[], rules: LossRules): readonly Tensor[] {
  const input = ctcInputs(inputAt(tensors, 0), inputAt(tensors, 3), invalidArgument);
  const { inputs, times, batches, classes, lengths } = input;
  const sequences = labelSequences(inputAt(tensors, 1), inputAt(tensors, 2), batches);
  const loss = newNumbers(inputs.dtype, [batches]);
  const gradient = newNumbers(inputs.dtype, [times, batches, classes]);
  const all = sequences.map((labels, batch) => checkedLabels(labels, batch, classes, rules));
  for (const [batch, labels] of all.entries()) {
    const length = lengths[batch] ?? 0;
    const required = sequences[batch]?.length ?? 0;
    if (required > length && !rules.ignoresLonger) {
      throw invalidArgument(
        `Not enough time for target transition sequence (required: ${required}, available: ${length}) batch: ${batch}`,
      );
    }
    if (required > length) {
      continue;
    }
    const blank = classes - 1;
    const one = lossOf({
      states: [blank, ...labels.flatMap((label) => [label, blank])],
      blank,
      times: length,
      classes,
      logs: logProbabilities(input, batch, length),
      merges: rules.merges,
    });
    loss[batch] = one.loss;
    for (let time = 0; time < length; time += 1) {
      const row = one.gradient.subarray(time * classes, (time + 1) * classes);
      gradient.set(row, (time * batches + batch) * classes);
    }
  }
  return [new Tensor(inputs.dtype, [batches], loss), new Tensor(inputs.dtype, inputs.shape, gradient)];
}

/** Nanoseconds per state and time step: two passes with a logarithm for each step. */
const STATE_NANOS = 250;

/** Connectionist temporal classification: the negative log probability of a sequence of labels under any alignment. */
export const ctcLossKernel: PureKernelDefinition = pureKernel(
  "CTCLoss",
  (node) => {
    const rules = rulesOf(node);
    return (inputs) => ctcLoss(inputs, rules);
  },
  {
    types: { T: floatTypes },
    cost: (_, inputs) => {
      const { size, shape } = inputAt(inputs, 0);
      return size * 30 + (shape[0] ?? 0) * (2 * inputAt(inputs, 2).size + 1) * STATE_NANOS;
    },
  },
);
