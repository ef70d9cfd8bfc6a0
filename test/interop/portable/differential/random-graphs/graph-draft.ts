/** A graph that grows by nodes whose values are known roughly, so that what cannot be compared does not come into it. */
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import { KernelNode } from "../../../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import { createLoweringRegistry } from "../../../../../worker-runtime/engines/portable/lowering/all.js";
import { Graph } from "../../../../../worker-runtime/graph/graph.js";
import type { Operation, Output } from "../../../../../worker-runtime/graph/operation.js";
import { type DType, dtypeKind } from "../../../../../worker-runtime/protocol/dtype.js";
import { numbersFromBits } from "../../../../../worker-runtime/protocol/small-float.js";
import { StatusCode, TensorFlowError } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { Tolerance } from "../case.js";
import { epsilonOf } from "../compare.js";
import { elementLike } from "../elements.js";
import { Draw, type Numbers } from "./draw.js";

const kernels = createKernelRegistry();
const lowerings = createLoweringRegistry();

/** A tensor for one feeding, and the same if every inexact number before it were a little different. */
interface Sample {
  readonly tensor: Tensor;
  readonly disturbed: Tensor;
  /** The least part of its largest number by which it is inexact: few disturbed numbers may happen to stay as they were. */
  readonly inexact: number;
}

/** A value of a graph, known for each feeding. */
export interface DraftValue {
  readonly output: Output;
  readonly samples: readonly Sample[];
}

/** A variable with its initial value. */
export interface DraftVariable {
  readonly handle: Output;
  readonly initialize: Operation;
  readonly read: Output;
}

/** The largest numbers, and the largest tensors, that graphs have. */
const MOST_FLOAT = 500;
const MOST_INTEGER = 1e6;
const MOST_ELEMENTS = 8_192;

/** How much an inexact result is disturbed, by dtype: far more than it is rounded. */
const DISTURBANCE: Partial<Record<DType, number>> = {
  float16: 2 ** -9,
  float32: 2 ** -17,
  float64: 2 ** -40,
};
/** The difference in relation to the largest element above which a value depends too much on how others are rounded. */
const MOST_SPREAD = 2 ** -7;
/** How far engines may differ in relation to the difference that a disturbance makes. */
const OF_SPREAD = 4;
/** How far they may differ in any case, in units in the last place of the largest element. */
const LEAST_ULPS = 32;
const LEAST_SCALE = 2 ** -6;

/** Ops that pass numbers on: what selects by equality, such as the gradient of a maximum, needs them unchanged. */
const SELECTS =
  /^(Abs|All|Any|AvgPoolGrad|BroadcastTo|Cast|ConcatV2|ExpandDims|Gather|Identity|Max|Min|Neg|Pack|Pad|Relu|Reshape|Reverse|Select|Slice|Split|Squeeze|StopGradient|StridedSlice|Tile|Transpose|Unpack|ZerosLike|OnesLike|DepthToSpace|SpaceToDepth|PreventGradient)/;

/** Ops that round even if they are given whole numbers and happen to return such. */
const ROUNDS =
  /Acos|Asin|Atan|AvgPool|BatchNorm|Cos|CrossEntropy|Div|Elu|Erf|Exp|Inv|Log|Mean|Pow|Reciprocal|Selu|Sigmoid|Sin|Softmax|Softplus|Softsign|Sqrt|Tan|Xdivy/;

/** Ops that subtract numbers that they have rounded: their results are as inexact as their inputs are large. */
const CANCELS = /BatchNorm|CrossEntropy|LogSoftmax/;

/** Adds nodes, keeps those whose values can be compared, and knows what these are. */
export class GraphDraft {
  readonly graph = new Graph();
  readonly draw: Draw;
  /** Those that can be inputs of more nodes, and fetched. */
  readonly values: DraftValue[] = [];
  readonly variables: DraftVariable[] = [];
  /** By the names of placeholders: a tensor for each feeding. */
  readonly feeds = new Map<string, readonly Tensor[]>();
  readonly #feedings: number;
  readonly #known = new Map<string, readonly Sample[]>();
  #evaluated = 0;

  /** @param feedings how many different feeds there are. */
  constructor(seed: number, feedings: number) {
    this.draw = new Draw(seed);
    this.#feedings = feedings;
  }

  /** Adds a placeholder. @param shapes one for each feeding */
  input(dtype: DType, shapes: readonly (readonly number[])[], numbers: Numbers): DraftValue {
    const sizes = (shapes[0] ?? []).map((size, i) => (shapes.every((one) => one[i] === size) ? size : -1));
    const output = this.graph.op("Placeholder", [], { dtype, shape: sizes }).output;
    const tensors = shapes.map((shape) => this.draw.tensor(dtype, shape, numbers));
    this.feeds.set(output.name, tensors);
    return this.#keep(
      output,
      tensors.map((tensor) => this.#sampleOfInput(tensor, numbers)),
    );
  }

  /** Adds a variable that is read. */
  variable(tensor: Tensor, numbers: Numbers): DraftValue {
    const { graph } = this;
    const handle = graph.op("VarHandleOp", [], {
      dtype: tensor.dtype,
      shape: tensor.shape,
      shared_name: graph.uniqueName("variable"),
    }).output;
    const initialize = graph.op("AssignVariableOp", [handle, tensor]);
    const read = graph.op("ReadVariableOp", [handle], { dtype: tensor.dtype }).output;
    this.variables.push({ handle, initialize, read });
    const sample = this.#sampleOfInput(tensor, numbers);
    return this.#keep(
      read,
      Array.from({ length: this.#feedings }, () => sample),
    );
  }

  /**
   * Adds nodes. Those that a kernel refuses for one of the feedings, and those with values that cannot be compared, stay in
   * the graph, but nothing uses them.
   * @returns the values that `build` returned, without those that cannot be used
   */
  grow(build: (graph: Graph) => Operation | readonly (Output | undefined)[]): DraftValue[] {
    let made: readonly (Output | undefined)[] = [];
    try {
      const result = build(this.graph);
      made = Array.isArray(result) ? result : (result as Operation).outputs;
    } catch (error) {
      // The graph library refuses some shapes, and so does this test's graph then.
      if (!isRefusal(error)) throw error;
    }
    const { operations } = this.graph;
    const values: DraftValue[] = [];
    for (const operation of operations.slice(this.#evaluated)) {
      for (const [i, samples] of (this.#evaluate(operation) ?? []).entries()) {
        const output = operation.outputAt(i);
        const value = { output, samples };
        if (!samples.every(isComparable)) continue;
        this.#known.set(output.name, samples);
        if (operation.type !== "Const" && !isUnsaid(output)) this.values.push(value);
        if (made.includes(output)) values.push(value);
      }
    }
    this.#evaluated = operations.length;
    return values;
  }

  /** A value that fits; undefined if there is none. Values that were added last are preferred. */
  some(fits: (value: DraftValue) => boolean = () => true): DraftValue | undefined {
    const found = this.values.filter(fits);
    if (found.length === 0) return undefined;
    return this.draw.isOneIn(2) ? this.draw.oneOf(found.slice(-6)) : this.draw.oneOf(found);
  }

  #keep(output: Output, samples: readonly Sample[]): DraftValue {
    const value = { output, samples };
    this.values.push(value);
    this.#known.set(output.name, samples);
    this.#evaluated = this.graph.operations.length;
    return value;
  }

  #sampleOfInput(tensor: Tensor, numbers: Numbers): Sample {
    if (numbers === "whole") return { tensor, disturbed: tensor, inexact: 0 };
    return { tensor, disturbed: this.#disturb(tensor), inexact: disturbanceOf(tensor) };
  }

  /** The samples of each output; undefined if an input is not known or the kernel refuses one. */
  #evaluate(operation: Operation): (readonly Sample[])[] | undefined {
    const inputs = operation.inputs.map(({ name }) => this.#known.get(name));
    const node = new KernelNode(operation.toNodeDef(), this.graph.registry.require(operation.type));
    const kernel = kernels.find(node, "CPU");
    if (kernel?.kind !== "pure" || inputs.includes(undefined)) return undefined;
    try {
      const run = kernel.create(node);
      const samples = Array.from({ length: this.#feedings }, (_, feeding) => {
        const given = inputs.map((one) => one?.[feeding] as Sample);
        const tensors = run(given.map(({ tensor }) => tensor));
        const isExact = given.every(({ tensor, disturbed }) => tensor === disturbed);
        const others = isExact ? tensors : run(given.map(({ disturbed }) => disturbed));
        return tensors.map((tensor, i): Sample => {
          const other = others[i] as Tensor;
          const rounds = isExact ? ROUNDS.test(operation.type) || !isWhole(tensor) : true;
          const disturbs = rounds && !SELECTS.test(operation.type);
          const before = Math.max(0, ...given.map((one) => one.inexact));
          const inexact = Math.max(before, disturbs ? disturbanceOf(tensor) : 0);
          const scale = CANCELS.test(operation.type)
            ? largest(given.flatMap((one) => numbersOf(one.tensor)))
            : 0;
          return { tensor, disturbed: disturbs ? this.#disturb(other, scale) : other, inexact };
        });
      });
      return operation.outputs.map((_, i) => samples.map((outputs) => outputs[i] as Sample));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return undefined;
    }
  }

  /** @param scale the least magnitude by which a number is disturbed */
  #disturb(tensor: Tensor, scale = 0): Tensor {
    const by = DISTURBANCE[tensor.dtype];
    if (by === undefined) return tensor;
    const numbers = numbersOf(tensor).map((number) => {
      // Not by equal amounts, as two disturbances of a number must not cancel.
      const change = by * (1 + this.draw.fraction()) * Math.max(Math.abs(number), scale);
      return number + (this.draw.isOneIn(2) ? change : -change);
    });
    return Tensor.of(
      numbers.map((number) => elementLike(number, tensor.dtype)),
      tensor.dtype,
      tensor.shape,
    );
  }
}

/** The values of these are between a normalization and its gradient. */
const isUnsaid = ({ op, index }: Output): boolean => op.type.startsWith("FusedBatchNorm") && index > 2;

/** Whether an error says that a node does not fit its inputs, or that an op has no gradient. */
export function isRefusal(error: unknown): boolean {
  const codes: readonly StatusCode[] = [
    StatusCode.INVALID_ARGUMENT,
    StatusCode.UNIMPLEMENTED,
    StatusCode.NOT_FOUND,
  ];
  return error instanceof TensorFlowError && codes.includes(error.code);
}

/** Some operations and all that they are computed from. */
export function ancestors(operations: readonly Operation[]): ReadonlySet<Operation> {
  const found = new Set<Operation>(operations);
  for (const one of found) {
    for (const input of [...one.inputs.map(({ op }) => op), ...one.controlInputs]) found.add(input);
  }
  return found;
}

/** Whether a node has a lowering, if its values allow it. */
export function isLowered(operation: Operation): boolean {
  const opDef = Graph.of(operation).registry.require(operation.type);
  return lowerings.find(new KernelNode(operation.toNodeDef(), opDef)) !== undefined;
}

/** The numbers of a tensor, also those of integers and bools. */
export function numbersOf({ dtype, data }: Tensor): number[] {
  if (dtype === "float16" || dtype === "bfloat16") {
    return Array.from(numbersFromBits(dtype, data as Uint16Array));
  }
  return Array.from(data as ArrayLike<number | bigint | boolean>, Number);
}

const disturbanceOf = ({ dtype }: Tensor): number => DISTURBANCE[dtype] ?? 0;

const largest = (numbers: readonly number[]): number =>
  numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0);

function spreadOf({ tensor, disturbed }: Sample): number {
  if (tensor === disturbed) return 0;
  const others = numbersOf(disturbed);
  return largest(numbersOf(tensor).map((number, i) => number - (others[i] ?? Number.NaN)));
}

const isWhole = (tensor: Tensor): boolean =>
  numbersOf(tensor).every((number) => Number.isInteger(number * 8) && Math.abs(number) <= 256);

/** Whether another engine must get about the same: the numbers are moderate and do not depend on how others are rounded. */
function isComparable(sample: Sample): boolean {
  const { tensor, disturbed } = sample;
  if (tensor.size > MOST_ELEMENTS || tensor.shape.join() !== disturbed.shape.join()) return false;
  const kind = dtypeKind(tensor.dtype);
  if (kind === "complex" || kind === "string") return false;
  const numbers = numbersOf(tensor);
  if (!numbers.every(Number.isFinite) || !numbersOf(disturbed).every(Number.isFinite)) return false;
  const most = largest(numbers);
  if (DISTURBANCE[tensor.dtype] === undefined) return most <= MOST_INTEGER && spreadOf(sample) === 0;
  return most <= MOST_FLOAT && spreadOf(sample) <= MOST_SPREAD * Math.max(most, LEAST_SCALE);
}

/**
 * How far engines may differ in a value.
 * @param drift how much more if variables have changed since
 */
export function toleranceOf(sample: Sample | undefined, drift = 1): Tolerance {
  if (sample === undefined) return { ulps: 0 };
  const epsilon = epsilonOf(sample.tensor.dtype);
  if (epsilon === undefined) return { ulps: 0 };
  const scale = Math.max(largest(numbersOf(sample.tensor)), LEAST_SCALE);
  const spread = Math.max(spreadOf(sample) / scale, sample.inexact);
  const ulps = LEAST_ULPS + (OF_SPREAD * spread) / epsilon;
  return { ulps: drift * ulps, scale, eitherZero: true };
}
