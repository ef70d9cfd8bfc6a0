/** A graph of many ops that have lowerings, made of one seed, with the steps in which it runs. */
import { GraphDef } from "../../../../../protos/generated/tensorflow/graph.js";
import type { Operation, Output } from "../../../../../worker-runtime/graph/operation.js";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import type { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { CaseStep, Tolerance } from "../case.js";
import {
  ancestors,
  type DraftValue,
  type DraftVariable,
  GraphDraft,
  isLowered,
  toleranceOf,
} from "./graph-draft.js";
import { growths } from "./growths.js";
import { imageGrowths } from "./image-growths.js";
import { addTraining } from "./training.js";

/** A step with how far engines may differ in each of its fetches. */
export interface RandomStep extends CaseStep {
  readonly tolerances: readonly Tolerance[];
}

/** A graph and its steps, which are the same for both engines. */
export interface RandomGraph {
  readonly graph: GraphDef;
  readonly steps: readonly RandomStep[];
  /** The nodes that have a lowering, by name. */
  readonly lowered: ReadonlySet<string>;
}

export interface RandomGraphs {
  /** With a few fetches, and with its training. */
  readonly whole: RandomGraph;
  /** Each node's computation, in the order of the graph. */
  readonly values: readonly DraftValue[];
  /** Nothing but what one value is made of, which is fetched. */
  only(value: DraftValue): RandomGraph;
}

/** Feeds: two of the same shapes, and one of another batch. */
export const FEEDINGS = 3;
const FEWEST_VALUES = 8;
const MOST_VALUES = 70;
/** How many values are fetched that nothing uses, and how many others. */
const MOST_ENDS = 24;
const MOST_INSIDE = 4;
/** Attempts to add nodes, some of which fit none of the values. */
const MOST_GROWTHS = 400;
/** How much more engines may differ in a step after one that has changed variables. */
const DRIFT = 16;

const inputTypes: readonly DType[] = [
  ...(["float32", "float32", "float32", "float32"] as const),
  ...(["float64", "int32", "int64", "bool", "float16"] as const),
];

export function makeRandomGraph(seed: number): RandomGraphs {
  const draft = new GraphDraft(seed, FEEDINGS);
  const { draw, graph } = draft;
  const isOfImages = draw.isOneIn(2);
  addInputs(draft, isOfImages);
  grow(draft, FEWEST_VALUES + draw.below(MOST_VALUES - FEWEST_VALUES), isOfImages);
  const drawn = computedOf(draft);
  const training = draw.isOneIn(3) ? undefined : addTraining(draft);
  // A value is fetched as it is before its variable changes.
  for (const update of training?.updates ?? []) {
    for (const { read } of draft.variables) graph.addControlInput(update, read.op);
  }
  const fetches = [...chosen(draft, drawn)];
  const changed = (training?.changed ?? []).map(({ read }, i) => ({
    name: read.name,
    tolerance: toleranceOfChanged(training?.gradients[i]),
  }));
  const parts = { fetches, updates: training?.updates ?? [], changed };
  return {
    whole: graphOf(draft, parts),
    values: computedOf(draft),
    only: (value) => graphOf(draft, { fetches: [value], updates: [], changed: [] }),
  };
}

/** Values that are fetched: most of those that nothing else uses, and some from inside. */
export function chosen({ draw }: GraphDraft, values: readonly DraftValue[]): ReadonlySet<DraftValue> {
  const used = new Set(values.flatMap(({ output }) => output.op.inputs));
  const ends = values.filter(({ output }) => !used.has(output));
  const some = (list: readonly DraftValue[], count: number) =>
    draw
      .order(list.length)
      .slice(0, count)
      .flatMap((i) => list[i] ?? []);
  return new Set([...some(ends, 1 + draw.below(MOST_ENDS)), ...some(values, draw.below(MOST_INSIDE + 1))]);
}

/** A variable differs as its gradient does, in relation to its largest element: some keep squares of gradients. */
function toleranceOfChanged(gradient: DraftValue | undefined): Tolerance {
  return { ...toleranceOf(gradient?.samples[0], DRIFT), scale: "largest" };
}

export const computedOf = ({ values }: GraphDraft): DraftValue[] =>
  values.filter(({ output }) => output.op.inputs.length > 0 && !isRead(output));

const isRead = ({ op }: Output): boolean => op.type === "ReadVariableOp";

export function addInputs(draft: GraphDraft, isOfImages: boolean): void {
  const { draw } = draft;
  const batch = 1 + draw.below(3);
  const batches = [batch, batch, draw.isOneIn(6) ? 0 : 1 + draw.below(4)];
  const numbers = () => (draw.isOneIn(3) ? "whole" : "fractions");
  const inBatches = (rest: readonly number[]) => batches.map((first) => [first, ...rest]);
  if (isOfImages) {
    const sizes = [3 + draw.below(5), 3 + draw.below(5), draw.oneOf([1, 3, 8, 16])];
    draft.input("float32", inBatches(sizes), numbers());
  }
  for (let more = 2 + draw.below(3); more > 0; more -= 1) {
    const sizes = Array.from({ length: draw.below(3) }, () => 1 + draw.below(4));
    const shapes = draw.isOneIn(4) ? batches.map(() => sizes) : inBatches(sizes);
    draft.input(draw.oneOf(inputTypes), shapes, numbers());
  }
}

export function grow(draft: GraphDraft, count: number, isOfImages: boolean): void {
  const { draw } = draft;
  const families = [...growths, { weight: isOfImages ? 10 : 0, growths: imageGrowths }];
  const byWeight = families.flatMap((family) =>
    new Array<(typeof families)[number]>(family.weight).fill(family),
  );
  for (let more = MOST_GROWTHS; more > 0 && computedOf(draft).length < count; more -= 1) {
    draw.oneOf(draw.oneOf(byWeight).growths)(draft);
  }
}

interface Parts {
  readonly fetches: readonly DraftValue[];
  readonly updates: readonly Operation[];
  /** The variables that these change. */
  readonly changed: readonly { readonly name: string; readonly tolerance: Tolerance }[];
}

function graphOf(draft: GraphDraft, { fetches, updates, changed }: Parts): RandomGraph {
  const computed = ancestors([...fetches.map(({ output }) => output.op), ...updates]);
  const variables = draft.variables.filter(({ handle }) => computed.has(handle.op));
  const all = ancestors([...computed, ...variables.flatMap(({ initialize, read }) => [initialize, read.op])]);
  return {
    graph: GraphDef.fromPartial({
      ...draft.graph.toGraphDef(),
      node: draft.graph.operations.filter((one) => all.has(one)).map((one) => one.toNodeDef()),
    }),
    steps: stepsOf({ fetches, updates, changed }, variables, feedsOf(draft, computed)),
    lowered: new Set([...computed].filter(isLowered).map(({ name }) => name)),
  };
}

function feedsOf(draft: GraphDraft, computed: ReadonlySet<Operation>) {
  const used = [...draft.feeds].filter(([name]) => computed.has(draft.graph.tensor(name).op));
  return (feeding: number): Readonly<Record<string, Tensor>> =>
    Object.fromEntries(used.map(([name, tensors]) => [name, tensors[feeding] as Tensor]));
}

/**
 * The first run of a region is by its kernels, and one of variables is run by sessions from its second step on; other
 * shapes and constants may need another model.
 */
function stepsOf(
  { fetches, updates, changed }: Parts,
  variables: readonly DraftVariable[],
  feeds: (feeding: number) => Readonly<Record<string, Tensor>>,
): RandomStep[] {
  const targets = updates.map(({ name }) => name);
  const step = (feeding: number, drift = 1): RandomStep => ({
    fetches: fetches.map(({ output }) => output.name),
    targets,
    feeds: feeds(feeding),
    tolerances: fetches.map(({ samples }) => toleranceOf(samples[feeding], drift)),
  });
  const initialize: RandomStep = {
    fetches: [],
    targets: variables.map(({ initialize: { name } }) => name),
    feeds: {},
    tolerances: [],
  };
  const read: RandomStep = {
    fetches: changed.map(({ name }) => name),
    targets: [],
    feeds: {},
    tolerances: changed.map(({ tolerance }) => tolerance),
  };
  const init = variables.length === 0 ? [] : [initialize];
  const changes = changed.length === 0 ? [] : [read];
  return [
    ...init,
    ...[step(0), ...changes, ...init],
    ...[step(0), ...changes, ...init],
    ...[step(1), ...init],
    ...[step(2), ...init],
    ...[step(2), ...init],
    step(0),
    ...(changed.length === 0 ? [step(1)] : [step(0, DRIFT), read]),
  ];
}
