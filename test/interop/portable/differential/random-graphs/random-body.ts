/** A random graph within branches, loops and functions, made of one seed, with the steps in which it runs. */
import { GraphDef } from "../../../../../protos/generated/tensorflow/graph.js";
import { denseGradient } from "../../../../../worker-runtime/graph/gradients/gradient.js";
import { gradients } from "../../../../../worker-runtime/graph/gradients/gradients.js";
import { Graph } from "../../../../../worker-runtime/graph/graph.js";
import type { Operation, Output } from "../../../../../worker-runtime/graph/operation.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { exact, type Tolerance } from "../case.js";
import { epsilonOf } from "../compare.js";
import { ancestors, type DraftValue, GraphDraft, isLowered, isRefusal, toleranceOf } from "./graph-draft.js";
import {
  addInputs,
  chosen,
  computedOf,
  FEEDINGS,
  grow,
  type RandomGraph,
  type RandomGraphs,
  type RandomStep,
} from "./random-graph.js";
import { drawWrapping, type Part, partOf, type Wrapping } from "./wrappings.js";

const FEWEST_VALUES = 4;
const MOST_VALUES = 40;
const MOST_FETCHES = 6;

/**
 * How often loops turn, and which branches are taken, in the steps: twice the same, never, once, as often as all feeds are
 * used, and more often. The last one takes the same branches as the first.
 */
const TURNS = [2, 2, 1, 0, 3, 7, 5, 8] as const;

/** The gradient of a function would need what is within the branches of a Switch, which may be dead: no function returns that. */
const HAS_NO_GRADIENTS = /(?:call|branch)\(switch/;

/** A random graph within others, and how it is there. */
export interface RandomBodies extends RandomGraphs {
  /** "loop(switch(…))". */
  readonly text: string;
}

/** The gradient of the loss for an input. */
interface InputGradient {
  readonly input: Output;
  /** By feeding, if the loss is of that one. */
  readonly value: DraftValue;
}

export function makeRandomBody(seed: number): RandomBodies {
  const draft = new GraphDraft(seed, FEEDINGS);
  const { draw } = draft;
  const isOfImages = draw.isOneIn(4);
  const sizes = [2 + draw.below(3), 1 + draw.below(4)];
  draft.input("float32", new Array<number[]>(FEEDINGS).fill(sizes), "fractions");
  addInputs(draft, isOfImages);
  grow(draft, FEWEST_VALUES + draw.below(MOST_VALUES - FEWEST_VALUES), isOfImages);
  const values = computedOf(draft);
  const loss = lossOf(draft);
  const found = gradientsOf(draft, loss.output);
  const fetches = [...chosen(draft, values)].slice(0, MOST_FETCHES);
  const wrap = drawWrapping(draw);
  const whole = new WrappedGraph(draft, wrap, { fetches, loss, gradients: found });
  return {
    whole: whole.randomGraph(),
    values,
    only: (value) => new WrappedGraph(draft, wrap, { fetches: [value], loss, gradients: [] }).randomGraph(),
    text: whole.part.text,
  };
}

/** Half the sum of the squares of a value. */
function lossOf(draft: GraphDraft): DraftValue {
  const candidates = draft.values.filter((one) => one.output.dtype === "float32");
  for (const one of candidates.reverse()) {
    const [loss] = draft.grow((graph) => graph.op("L2Loss", [one.output]));
    if (loss !== undefined) return loss;
  }
  throw new Error("Not even a fed value has a sum of squares.");
}

/** The gradients of the loss for what is fed, as far as they can be compared. */
function gradientsOf(draft: GraphDraft, loss: Output): readonly InputGradient[] {
  const inputs = [...draft.feeds.keys()].map((name) => draft.graph.tensor(name));
  const floats = inputs.filter(({ dtype }) => dtype === "float32" || dtype === "float64");
  const made = new Map<Output, Output>();
  const values = draft.grow(() =>
    gradients(loss, floats).map((one, i) => {
      const dense = one && denseGradient(one);
      if (dense) made.set(dense, floats[i] as Output);
      return dense;
    }),
  );
  return values.map((value) => ({ value, input: made.get(value.output) as Output }));
}

interface Sought {
  readonly fetches: readonly DraftValue[];
  readonly loss: DraftValue;
  readonly gradients: readonly InputGradient[];
}

interface Fetch {
  readonly name: string;
  toleranceAt(turn: number): Tolerance;
}

/** A part of a draft, wrapped. */
class WrappedGraph {
  readonly part: Part;
  readonly #draft: GraphDraft;
  readonly #graph = new Graph();
  readonly #operations: readonly Operation[];
  /** The inputs of the draft that are used, and those that stand for them, by feeding. */
  readonly #inputs: readonly Output[];
  readonly #groups: readonly (readonly Output[])[];
  readonly #turn: Output;
  readonly #initialize: readonly Operation[];
  readonly #fetches: readonly Fetch[];

  constructor(draft: GraphDraft, wrap: Wrapping, { fetches, loss, gradients: sought }: Sought) {
    this.#draft = draft;
    const graph = this.#graph;
    const results = [...fetches, loss].map(({ output }) => output);
    const computed = ancestors(results.map(({ op }) => op));
    const variables = draft.variables.filter(({ handle }) => computed.has(handle.op));
    const handles = variables.map(({ handle }) => handle);
    this.#inputs = [...draft.feeds.keys()]
      .map((name) => draft.graph.tensor(name))
      .filter(({ op }) => computed.has(op));
    const given = new Set([...this.#inputs, ...handles].map(({ op }) => op));
    this.#operations = draft.graph.operations.filter((one) => computed.has(one) && !given.has(one));
    this.part = wrap(partOf(this.#operations, this.#inputs, handles, results));

    this.#turn = graph.op("Placeholder", [], { dtype: "int32", shape: [] }, "turn").output;
    this.#groups = Array.from({ length: FEEDINGS }, () => this.#inputs.map((one) => copyOf(graph, one.op)));
    const ownHandles = handles.map((one) => copyOf(graph, one.op));
    this.#initialize = variables.map(({ initialize }, i) => {
      const value = copyOf(graph, initialize.inputs[1]?.op as Operation);
      return graph.op("AssignVariableOp", [ownHandles[i] as Output, value]);
    });
    const made = this.part.build({ graph, turn: this.#turn, groups: this.#groups, handles: ownHandles });
    const total = made.at(-1) as Output;
    const ofGradients = HAS_NO_GRADIENTS.test(this.part.text) ? [] : this.#gradients(total, sought);
    this.#fetches = [
      ...fetches.map((value, i) => this.#result(made[i] as Output, value)),
      { name: total.name, toleranceAt: (turn) => toleranceOfSum(loss, this.#usesAt(turn)) },
      ...ofGradients,
    ];
  }

  randomGraph(): RandomGraph {
    const init: RandomStep = {
      fetches: [],
      targets: this.#initialize.map(({ name }) => name),
      feeds: {},
      tolerances: [],
    };
    const steps = TURNS.map(
      (turn): RandomStep => ({
        fetches: this.#fetches.map(({ name }) => name),
        targets: [],
        feeds: this.#feeds(turn),
        tolerances: this.#fetches.map(({ toleranceAt }) => toleranceAt(turn)),
      }),
    );
    return {
      graph: GraphDef.fromPartial(this.#graph.toGraphDef()),
      steps: this.#initialize.length === 0 ? steps : [init, ...steps],
      lowered: new Set(this.#operations.filter(isLowered).map(({ name }) => name)),
    };
  }

  #usesAt(turn: number): readonly number[] {
    return this.part.usesOf(turn, FEEDINGS);
  }

  #result({ name }: Output, { samples }: DraftValue): Fetch {
    return {
      name,
      toleranceAt: (turn) => {
        const group = this.part.groupOf(turn, FEEDINGS);
        return group === undefined ? exact : toleranceOf(samples[group]);
      },
    };
  }

  /** Gradients for the inputs of each feeding. */
  #gradients(total: Output, sought: readonly InputGradient[]): Fetch[] {
    const wanted = sought.flatMap(({ input, value }) =>
      this.#groups.map((group, i) => ({
        x: group[this.#inputs.indexOf(input)] as Output,
        value,
        feeding: i,
      })),
    );
    const found = differentiated(
      total,
      wanted.map(({ x }) => x),
    );
    return wanted.flatMap(({ value, feeding }, i): Fetch[] => {
      const gradient = found[i];
      if (gradient === undefined) return [];
      const { name } = denseGradient(gradient);
      const onlyThis = (uses: readonly number[]) => uses.map((count, one) => (one === feeding ? count : 0));
      return [{ name, toleranceAt: (turn) => toleranceOfSum(value, onlyThis(this.#usesAt(turn))) }];
    });
  }

  #feeds(turn: number): Record<string, Tensor> {
    const feeds: Record<string, Tensor> = { [this.#turn.name]: Tensor.of(turn, "int32") };
    for (const [feeding, group] of this.#groups.entries()) {
      for (const [i, { name }] of group.entries()) {
        const input = this.#inputs[i] as Output;
        feeds[name] = this.#draft.feeds.get(input.name)?.[feeding] as Tensor;
      }
    }
    return feeds;
  }
}

/** The gradients of a tensor; none where a rule needs to know a rank that the graph does not say. */
function differentiated(total: Output, xs: readonly Output[]): ReturnType<typeof gradients> {
  try {
    return gradients(total, xs);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return [];
  }
}

/** A node without inputs, in another graph. */
const copyOf = (graph: Graph, { type, name, attrs }: Operation): Output =>
  graph.addNode({ type, name, attrs, inputs: [] }).output;

/** How far engines may differ in a sum of a value for several feedings. @param uses how often it has each of them */
function toleranceOfSum({ samples, output }: DraftValue, uses: readonly number[]): Tolerance {
  let [units, scale] = [0, 0];
  for (const [i, count] of uses.entries()) {
    const one = toleranceOf(samples[i]);
    const most = typeof one.scale === "number" ? one.scale : 0;
    units += count * one.ulps * most;
    scale += count * most;
  }
  if (epsilonOf(output.dtype) === undefined || scale === 0) return { ...exact, eitherZero: true };
  return { ulps: units / scale, scale, eitherZero: true };
}
