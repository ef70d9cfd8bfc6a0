import type { Graph } from "../../../../../worker-runtime/graph/graph.js";
import type { OpInput } from "../../../../../worker-runtime/graph/graph-op-builder.js";
import type { Output } from "../../../../../worker-runtime/graph/operation.js";
import { variable } from "../../../../../worker-runtime/graph/ops/state.js";
import type { Variable } from "../../../../../worker-runtime/graph/variable.js";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { Draw } from "./draw.js";

/** A size that differs from step to step; the same one wherever it occurs. */
export const ROWS = -1;

/** Above this, a value is scaled down. */
const MAX_BOUND = 16;
/** Sums of numbers with fewer bits do not round, whatever their order. */
const EXACT_BITS = 20;

/** A tensor of a random graph. */
export interface Value {
  readonly output: Output;
  readonly dtype: DType;
  /** ROWS for a size that the feeds determine. */
  readonly shape: readonly number[];
  /** No element is farther from 0, up to what training changes. */
  readonly bound: number;
  /**
   * Its elements are multiples of 2^-grid with so few bits that nothing has been rounded: two engines have the same ones.
   * Only these may be compared, rounded to integers, or searched for the largest. Undefined for others.
   */
  readonly grid: number | undefined;
}

export type FloatType = "float32" | "float64";

/** A graph that grows by nodes of random ops, and what they may be applied to. */
export class RandomGraph {
  readonly graph: Graph;
  readonly draw: Draw;
  readonly dtype: FloatType;
  readonly values: Value[] = [];
  readonly variables: Variable[] = [];
  /** Whether a node has no result without rows, or none that is a number. */
  needsRows = false;
  readonly #used = new Set<string>();

  constructor(graph: Graph, draw: Draw, dtype: FloatType) {
    this.graph = graph;
    this.draw = draw;
    this.dtype = dtype;
  }

  /** What no node uses. */
  get leaves(): readonly Value[] {
    return this.values.filter(({ output }) => !this.#used.has(output.name));
  }

  /** A value that fits, more often a new one; undefined if there is none. */
  pick(fits: (value: Value) => boolean): Value | undefined {
    const found = this.values.filter(fits);
    if (found.length === 0) return undefined;
    return this.draw.chance(60)
      ? found.slice(-3)[this.draw.int(0, Math.min(3, found.length) - 1)]
      : this.draw.of(found);
  }

  /** A value of the graph's floating dtype that fits. */
  pickFloat(fits: (value: Value) => boolean = () => true): Value | undefined {
    return this.pick((value) => value.dtype === this.dtype && fits(value));
  }

  /** A node with values and constants as inputs. @returns its first output */
  op(
    type: string,
    inputs: readonly (OpInput | Value | readonly Value[])[],
    attrs: Parameters<Graph["op"]>[2] = {},
  ): Output {
    const outputOf = (input: OpInput | Value | readonly Value[]): OpInput => {
      if (Array.isArray(input)) return input.map((each) => outputOf(each as Value)) as OpInput;
      if (!isValue(input)) return input as OpInput;
      this.#used.add(input.output.name);
      return input.output;
    };
    return this.graph.op(type, inputs.map(outputOf), attrs).output;
  }

  /** Something that later nodes may use, unless its shape is not known. */
  add(output: Output, bound: number, grid: number | undefined): void {
    const { shape, dtype } = output;
    if (shape === undefined) throw new Error(`The shape of ${output.name} is not known.`);
    const isExact = grid !== undefined && Math.log2(Math.max(bound, 1)) + grid <= EXACT_BITS;
    const value: Value = { output, dtype, shape, bound, grid: isExact ? Math.max(grid, 0) : undefined };
    if (bound <= MAX_BOUND || dtype !== this.dtype) {
      this.values.push(value);
      return;
    }
    const exponent = Math.ceil(Math.log2(bound / MAX_BOUND)) + 1;
    const scale = Tensor.of(2 ** -exponent, this.dtype);
    this.add(
      this.op("Mul", [value, scale]),
      bound * 2 ** -exponent,
      value.grid === undefined ? undefined : value.grid + exponent,
    );
  }

  constant(
    dtype: DType,
    shape: readonly number[],
    bound: "unit" | "moderate" | "positive" | "nonzero" = "unit",
  ): Tensor {
    return this.draw.tensor(dtype, shape, bound);
  }

  /** A variable or a constant of elements of at most 1. */
  weights(shape: readonly number[]): Value {
    const initial = this.constant(this.dtype, shape);
    if (this.draw.chance(30)) {
      const output = this.graph.op("Identity", [initial]).output;
      return { output, dtype: this.dtype, shape, bound: 1, grid: 6 };
    }
    const kind = this.draw.chance(70) ? "resource" : "reference";
    const made = variable(this.graph, initial, { kind });
    this.variables.push(made);
    return { output: made.value, dtype: this.dtype, shape, bound: 1, grid: undefined };
  }
}

function isValue(input: unknown): input is Value {
  return typeof input === "object" && input !== null && "grid" in input;
}

export function product(sizes: readonly number[]): number {
  return sizes.reduce((all, size) => all * size, 1);
}
