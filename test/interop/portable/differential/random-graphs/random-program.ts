import type { Operation, Output } from "../../../../../worker-runtime/graph/operation.js";
import { globalVariablesInitializer } from "../../../../../worker-runtime/graph/ops/state.js";
import {
  AdamOptimizer,
  GradientDescentOptimizer,
  MomentumOptimizer,
} from "../../../../../worker-runtime/graph/training/optimizers.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { Program, Step } from "../programs/program.js";
import { Draw } from "./draw.js";
import { RandomGraph, ROWS } from "./random-graph.js";
import { grow } from "./rules.js";

/** Rounding errors of dozens of nodes one after another, some of which cancel almost all of two numbers. */
const tolerance = { ulps: 4096, scale: 4 };
const MAX_FETCHES = 8;

export interface RandomProgramOptions {
  readonly seed: number;
  /** Fetches every value in the order of the nodes, so that the first wrong one shows where the fault is. */
  readonly fetchesAll?: boolean;
}

/**
 * A program of a random graph: the same for the same seed. Its steps differ in the number of rows of what they feed; half
 * of the graphs are trained.
 */
export function randomProgram({ seed, fetchesAll = false }: RandomProgramOptions): Program {
  return {
    name: `random_graph_${seed}`,
    tolerance,
    build: (graph) => {
      const draw = new Draw(seed);
      const g = new RandomGraph(graph, draw, draw.chance(75) ? "float32" : "float64");
      const fed = feedsOf(g);
      for (let left = draw.int(8, 60); left > 0; left -= 1) grow(g);
      const leaves = draw.shuffled(g.leaves.map(({ output }) => output));
      const fetches = fetchesAll ? g.values.map(({ output }) => output) : leaves.slice(0, MAX_FETCHES);
      const training = draw.chance(50) ? trainingOf(g) : undefined;
      const isSmall = draw.chance(30) && !g.needsRows;
      const sizes = [draw.int(1, 5), draw.int(1, 5), isSmall ? 0 : draw.int(1, 5)];
      const inits = globalVariablesInitializer(graph);
      return [
        { run: [inits] },
        ...sizes.map(
          (rows): Step => ({
            run: [...fetches, ...(training === undefined ? [] : [training.loss, training.train])],
            feeds: Object.fromEntries(fed.map(({ placeholder, feed }) => [placeholder.name, feed(rows)])),
          }),
        ),
        ...(g.variables.length === 0 ? [] : [{ run: g.variables.map(({ value }) => value) }]),
      ];
    },
  };
}

interface Fed {
  readonly placeholder: Output;
  feed(rows: number): Tensor;
}

function feedsOf(g: RandomGraph): readonly Fed[] {
  const { draw } = g;
  const fed: Fed[] = [];
  const feed = (
    dtype: "float32" | "float64" | "int32" | "int64",
    sizes: readonly number[],
    domain: "unit" | "moderate",
  ) => {
    const placeholder = g.graph.op("Placeholder", [], { dtype, shape: [ROWS, ...sizes] }).output;
    // Multiples of a quarter or of 1/64, so that sums and products of some of them are exact.
    g.add(placeholder, domain === "unit" ? 1 : 10, domain === "unit" ? 6 : 0);
    fed.push({ placeholder, feed: (rows) => draw.tensor(dtype, [rows, ...sizes], domain) });
  };
  feed(g.dtype, [draw.int(1, 8)], "unit");
  feed(g.dtype, [draw.int(1, 4), draw.int(2, 6)], "unit");
  feed(draw.of(["int32", "int64"]), draw.chance(50) ? [] : [draw.int(1, 3)], "moderate");
  if (g.dtype === "float32" && draw.chance(60)) {
    feed("float32", [draw.int(4, 10), draw.int(4, 10), draw.of([1, 3, 8, 16])], "unit");
  }
  return fed;
}

/** A step of training that lowers the sum of what nothing uses; undefined without a variable that it depends on. */
function trainingOf(g: RandomGraph): { readonly loss: Output; readonly train: Operation } | undefined {
  const parts = g.leaves.filter(({ dtype }) => dtype === g.dtype).map((value) => g.op("Tanh", [value]));
  const sums = parts.map((part) => {
    const axes = Tensor.of(part.shape?.map((_, axis) => axis) ?? [], "int32");
    return g.op("Sum", [part, axes]);
  });
  if (sums.length === 0 || g.variables.length === 0) return undefined;
  const loss = g.op("AddN", [sums]);
  const optimizer = g.draw.of([
    () => new GradientDescentOptimizer(0.01),
    () => new MomentumOptimizer(0.01, 0.9),
    // With a small epsilon, an update depends on the sign of a gradient that is nothing but rounding errors.
    () => new AdamOptimizer(0.01, { epsilon: 0.1 }),
  ])();
  const found = optimizer.computeGradients(loss).filter(([gradient]) => gradient !== undefined);
  if (found.length === 0) return undefined;
  // What is fetched is read before any variable changes.
  const all = g.graph.withControlDependencies([loss, ...g.values.map(({ output }) => output)], () =>
    optimizer.applyGradients(found),
  );
  return { loss, train: all };
}
