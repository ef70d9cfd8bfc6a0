/** Recurrent cells, and the loop that applies one to each step of sequences [batch, time, features]. */
import type { Output } from "../operation.js";
import { biasAdd, matMul, sigmoid, tanh, whileLoop } from "../ops/index.js";
import type { NodeBuilder } from "./node-builder.js";

export const SEQUENCES = "sequences [batch, time, features]";

type Activation = (input: Output) => Output;

/** The weights of a cell, as Keras has them, and its activations. */
export interface CellOptions {
  readonly kernel: Output;
  readonly recurrent: Output;
  readonly bias?: Output | undefined;
  /** The activation of the candidate and the result; tanh unless given. */
  readonly activation?: Activation | undefined;
  /** The activation of the gates; sigmoid unless given. */
  readonly gate?: Activation | undefined;
}

/** The states after a step; the first is the step's result. */
export type Cell = (features: Output, states: readonly Output[]) => readonly Output[];

function biased(sums: Output, bias: Output | undefined): Output {
  return bias ? biasAdd(sums, bias) : sums;
}

/** One state; its kernel is [features, units]. */
export function simpleCell(layer: NodeBuilder, options: CellOptions): Cell {
  const { kernel, recurrent, bias, activation = tanh } = options;
  return (features, [state = features]) => {
    const ofInput = biased(matMul(features, kernel), bias);
    return [activation(layer.op("AddV2", [ofInput, matMul(state, recurrent)]))];
  };
}

/** The gates of input, forgetting, the candidate and output, side by side in kernels [features, 4 · units]. */
export function lstmCell(layer: NodeBuilder, options: CellOptions): Cell {
  const { kernel, recurrent, bias, activation = tanh, gate = sigmoid } = options;
  return (features, [state = features, memory = features]) => {
    const sums = layer.op("AddV2", [matMul(features, kernel), matMul(state, recurrent)]);
    const [i = sums, f = sums, candidate = sums, o = sums] = layer.parts(biased(sums, bias), 4);
    const kept = layer.op("Mul", [gate(f), memory]);
    const next = layer.op("AddV2", [kept, layer.op("Mul", [gate(i), activation(candidate)])]);
    return [layer.op("Mul", [gate(o), activation(next)]), next];
  };
}

export interface GruOptions extends CellOptions {
  /**
   * As Keras has it by default: the state is reset after its product, and the bias is [2, 3 · units], one of the input
   * and one of the state. Otherwise the bias is [3 · units].
   */
  readonly resetAfter: boolean;
}

/** The gates of update and reset and the candidate, side by side in kernels [features, 3 · units]. */
export function gruCell(layer: NodeBuilder, units: number, options: GruOptions): Cell {
  const { kernel, recurrent, bias, activation = tanh, gate = sigmoid, resetAfter } = options;
  const add = (one: Output, other: Output) => layer.op("AddV2", [one, other]);
  const [inputBias, stateBias] =
    bias && resetAfter ? layer.operation("Unpack", [bias], { num: 2 }).outputs : [bias, undefined];
  // The candidate's part of the recurrent kernel is applied to the reset state.
  const [ofGates = recurrent, ofCandidate = recurrent] = resetAfter
    ? []
    : layer.operation("SplitV", [recurrent, layer.ints([2 * units, units], "sizes"), layer.ints(1, "axis")], {
        num_split: 2,
      }).outputs;
  const afterProduct = (state: Output, fromInput: readonly Output[]) => {
    const [xz = state, xr = state, xh = state] = fromInput;
    const [hz = state, hr = state, hh = state] = layer.parts(biased(matMul(state, recurrent), stateBias), 3);
    const reset = gate(add(xr, hr));
    return { update: gate(add(xz, hz)), candidate: activation(add(xh, layer.op("Mul", [reset, hh]))) };
  };
  const beforeProduct = (state: Output, fromInput: readonly Output[]) => {
    const [xz = state, xr = state, xh = state] = fromInput;
    const [hz = state, hr = state] = layer.parts(matMul(state, ofGates), 2);
    const reset = layer.op("Mul", [gate(add(xr, hr)), state]);
    return { update: gate(add(xz, hz)), candidate: activation(add(xh, matMul(reset, ofCandidate))) };
  };
  return (features, [state = features]) => {
    const fromInput = layer.parts(biased(matMul(features, kernel), inputBias), 3);
    const { update, candidate } = (resetAfter ? afterProduct : beforeProduct)(state, fromInput);
    // update · state + (1 − update) · candidate
    return [add(candidate, layer.op("Mul", [update, layer.op("Sub", [state, candidate])]))];
  };
}

export interface RecurrenceOptions {
  readonly units: number;
  /** How many states the cell has, unless they are given. */
  readonly states: number;
  /** The states before the first step; left out: zeros. */
  readonly initial?: readonly Output[] | undefined;
  /** From the last step to the first. */
  readonly backwards?: boolean | undefined;
  /** Which steps [batch, time] count, as bools: at others the states stay, and the result is that of the step before. */
  readonly mask?: Output | undefined;
  /** The results of steps that do not count are 0. */
  readonly zeroMasked?: boolean | undefined;
}

export interface Recurrence {
  /** The result of the last step that was read. */
  readonly last: Output;
  /** The states after it. */
  readonly states: readonly Output[];
  /** The results [batch, time, units], in the order in which the steps were read. */
  readonly results: () => Output;
}

/** Applies a cell to each step. @throws TensorFlowError INVALID_ARGUMENT unless the input is of sequences */
export function overTime(
  layer: NodeBuilder,
  input: Output,
  { units, states, initial, backwards = false, mask, zeroMasked = false }: RecurrenceOptions,
  cell: Cell,
): Recurrence {
  layer.requireRank(input, 3, SEQUENCES);
  const { graph } = layer;
  const batch = input.shape?.[0] ?? -1;
  const sizes = layer.op("Shape", [input]);
  const axis = layer.ints(0, "axis");
  const steps = layer.op("GatherV2", [sizes, layer.ints(1, "dimension"), axis]);
  const first = layer.ints(0, "first");
  const one = layer.ints(1, "one");
  const start = initial ?? Array<Output>(states).fill(zeroState(layer, sizes, units));
  const timeAxis = layer.ints(1, "time_axis");
  const last = layer.op("Sub", [steps, one]);
  const collected = layer.operation("TensorArrayV3", [steps], {
    dtype: "float32",
    element_shape: [batch, units],
    identical_element_shapes: true,
  });
  const handle = collected.outputAt(0);
  const before = mask ? [zeroState(layer, sizes, units)] : [];
  const [, flow = collected.outputAt(1), ...ends] = whileLoop(
    graph,
    (time = first) => layer.op("Less", [time, steps]),
    (time = first, soFar = collected.outputAt(1), ...known) => {
      const position = backwards ? layer.op("Sub", [last, time]) : time;
      const next = cell(layer.op("GatherV2", [input, position, timeAxis]), known.slice(before.length));
      const result = next[0] ?? soFar;
      const kept = zeroMasked ? [...before, ...known.slice(before.length)] : known;
      const stepped = mask
        ? keptWhereMasked(layer, layer.op("GatherV2", [mask, position, timeAxis]), kept, [result, ...next])
        : next;
      const written = layer.op("TensorArrayWriteV3", [handle, time, stepped[0] ?? soFar, soFar]);
      return [layer.op("AddV2", [time, one]), written, ...stepped];
    },
    [first, collected.outputAt(1), ...before, ...start],
  );
  const results = () => {
    const all = layer.op("Range", [first, steps, one]);
    const gathered = layer.op("TensorArrayGatherV3", [handle, all, flow], {
      dtype: "float32",
      element_shape: [batch, units],
    });
    const turned = layer.op("Transpose", [gathered, layer.ints([1, 0, 2], "batch_first")]);
    return withStaticShape(layer, turned, [batch, input.shape?.[1] ?? -1, units]);
  };
  const shaped = ends.map((end) => layer.shaped(end, [batch, units]));
  return { last: shaped[0] ?? input, states: shaped.slice(before.length), results };
}

/** The new state in the sequences [batch] in which a step counts, and the old one in the others. */
function keptWhereMasked(
  layer: NodeBuilder,
  counts: Output,
  known: readonly Output[],
  made: readonly Output[],
): readonly Output[] {
  const rows = layer.op("ExpandDims", [counts, layer.ints(-1, "last_axis")]);
  return made.map((next, at) => layer.op("SelectV2", [rows, next, known[at] ?? next]));
}

/** The results of a recurrence with what is known of their shape, even if two dimensions are not. */
function withStaticShape(layer: NodeBuilder, results: Output, shape: readonly number[]): Output {
  if (shape.filter((size) => size < 0).length <= 1) return layer.shaped(results, shape);
  return layer.op("EnsureShape", [results], { shape });
}

function zeroState(layer: NodeBuilder, sizes: Output, units: number): Output {
  const batch = layer.op("GatherV2", [sizes, layer.ints(0, "first_dimension"), layer.ints(0, "axis")]);
  return layer.op("Fill", [layer.op("Pack", [[batch, layer.ints(units, "units")]]), layer.scalar(0, "zero")]);
}
