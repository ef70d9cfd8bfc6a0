/** tf.gradients: the derivatives of tensors with respect to others, as nodes of the same graph. */
import { invalidArgument, notFound, unimplemented } from "../../protocol/status.js";
import { Graph } from "../graph.js";
import { type Operation, Output } from "../operation.js";
import { group } from "../ops/control-flow.js";
import type { Variable } from "../variable.js";
import { holdsForComplex, isComplex } from "./complex.js";
import { directCall } from "./functions.js";
import { denseGradient, type Gradient, type GradientContext, IndexedSlices, OpGradient } from "./gradient.js";
import { isLoopSwitch, LoopFrames } from "./loop-frames.js";
import { LoopNodes, loopOf, loopsAmong } from "./loops.js";
import { isFloating } from "./math.js";
import { endsGradients } from "./not-differentiable.js";
import { carriesGradient, operationsBetween } from "./paths.js";
import { differentiableOps, gradientRuleOf } from "./rules.js";
import { loopGradient } from "./while-gradient.js";

/** A tensor or a variable, with respect to which a gradient can be taken. */
export type GradientSource = Output | Variable;

export interface GradientsOptions {
  /** The gradients of something else with respect to each of `ys`; where left out, ones. */
  readonly gradYs?: readonly (Output | undefined)[] | undefined;
  /** Tensors that count as constants: nothing behind them gets a gradient through them. */
  readonly stopGradients?: readonly Output[] | undefined;
  /** Place the nodes of an operation's gradient on the operation's device. Defaults to false. */
  readonly colocateGradientsWithOps?: boolean | undefined;
  /**
   * Gives nobody a gradient of an operation before all gradients of that operation are computed: otherwise an update of
   * a reference variable may come before another gradient reads it. Defaults to false.
   */
  readonly gateGradients?: boolean | undefined;
  /** The result for sources that `ys` do not depend on: undefined, or zeros. Defaults to "none". */
  readonly unconnectedGradients?: "none" | "zero" | undefined;
  /** The name scope of the nodes; defaults to "gradients". */
  readonly name?: string | undefined;
}

/**
 * The gradient of the sum of `ys` with respect to each of `xs`, in their order. Of variables whose rows are gathered it
 * is an IndexedSlices. In the body of a loop, and wherever new nodes run after one of a loop's, it is that within one
 * iteration.
 * @throws TensorFlowError INVALID_ARGUMENT for tensors without gradients, and for tensors that are inside a loop where
 *   the call is not; NOT_FOUND for an op without a gradient on the way, with its node and the path
 */
export function gradients(
  ys: Output | readonly Output[],
  xs: GradientSource | readonly GradientSource[],
  options: GradientsOptions = {},
): (Gradient | undefined)[] {
  const results = ys instanceof Output ? [ys] : ys;
  const sources = (isList(xs) ? xs : [xs]).map((x) => (x instanceof Output ? x : x.handle));
  const [first] = results;
  if (!first) return sources.map(() => undefined);
  const graph = Graph.of(first);
  for (const tensor of [...results, ...sources]) {
    if (Graph.of(tensor) !== graph) throw invalidArgument(`${tensor.name} is a tensor of another graph.`);
  }
  for (const y of results) {
    if (!isFloating(y.dtype)) {
      throw invalidArgument(`${y.name} is ${y.dtype}; only floating-point tensors have gradients.`);
    }
  }
  return graph.withNameScope(options.name ?? "gradients", (scope) =>
    new Backpropagation(graph, results, sources, options, scope.slice(0, -1)).run(),
  );
}

function isList(xs: GradientSource | readonly GradientSource[]): xs is readonly GradientSource[] {
  return Array.isArray(xs);
}

/** A unit that gradients pass as a whole: an operation, or a loop of the ops Enter and Exit with all that is in it. */
type Step = Operation | LoopNodes;

class Backpropagation {
  readonly #ys: readonly Output[];
  readonly #xs: readonly Output[];
  readonly #options: GradientsOptions;
  readonly #graph: Graph;
  readonly #frames: LoopFrames;
  /** The operations on a path from a source to a result. */
  readonly #between: ReadonlySet<Operation>;
  /** The loops on the way, by their operations and their exits. */
  readonly #loops: ReadonlyMap<Operation, LoopNodes>;
  readonly #context: GradientContext;
  /** Where the gradients end, although they could go on. */
  readonly #stops: ReadonlySet<Step>;
  /** How many uses of a step's outputs have not given their gradients yet. */
  readonly #pending: Map<Step, number>;
  /** The gradients that uses of a tensor have given, by operation and output. */
  readonly #given = new Map<Output, Gradient[]>();

  /** @param source names these gradients and those that they need of the bodies of functions */
  constructor(
    graph: Graph,
    ys: readonly Output[],
    xs: readonly Output[],
    options: GradientsOptions,
    source: string,
  ) {
    this.#graph = graph;
    this.#ys = ys;
    this.#xs = xs;
    this.#options = options;
    const ends = new Set((options.stopGradients ?? []).map((tensor) => tensor.op));
    this.#frames = new LoopFrames(graph);
    this.#between = operationsBetween(xs, ys, (input, op) => this.#frames.leavesIteration(input, op));
    this.#refuseOtherLoops();
    this.#loops = loopsAmong(graph, this.#between, this.#frames);
    this.#context = {
      source,
      within: (body, bodyYs, bodyXs, gradYs, stopGradients) =>
        body.withNameScope("gradients", () =>
          new Backpropagation(body, bodyYs, bodyXs, { gradYs, stopGradients }, source).run(),
        ),
    };
    this.#pending = new Map();
    for (const step of new Set([...this.#between].map((op) => this.#stepOf(op)))) {
      for (const source of this.#before(step)) {
        this.#pending.set(source, (this.#pending.get(source) ?? 0) + 1);
      }
    }
    // A source behind which no other source stands needs no gradients of its own inputs.
    const first = xs.filter(({ op }) => !op.inputs.some((input) => this.#between.has(input.op)));
    this.#stops = new Set([...ends, ...first.map(({ op }) => op)]);
  }

  /**
   * A tensor inside a loop has a value in each iteration, of which there is no gradient outside; and one iteration knows
   * of no other loop that is not a part of it.
   */
  #refuseOtherLoops(): void {
    const frames = this.#frames;
    const inside = (tensor: Output, what: string) =>
      invalidArgument(
        `${tensor.name} is inside the loop "${frames.nameOf(tensor)}", and gradients ${what} can be taken only there: ` +
          "call gradients in the body of the loop, or take those of what leaves the loop or enters it.",
      );
    for (const y of this.#ys) if (!frames.isVisible(y)) throw inside(y, "of it");
    for (const x of this.#xs) {
      const counts = this.#between.has(x.op) || this.#options.unconnectedGradients === "zero";
      if (counts && !frames.isVisible(x)) throw inside(x, "with respect to it");
    }
    for (const op of this.#between) {
      if (!frames.isElsewhere(op)) continue;
      throw invalidArgument(
        `"${op.name}" is on the way of the gradients and in another loop than they are: take them outside of both loops.`,
      );
    }
  }

  #stepOf(op: Operation): Step {
    return this.#loops.get(op) ?? op;
  }

  /** The sources of a step's inputs, as often as it reads them. */
  #before(step: Step): readonly Step[] {
    return step.inputs.filter(({ op }) => this.#between.has(op)).map(({ op }) => this.#stepOf(op));
  }

  run(): (Gradient | undefined)[] {
    return this.#frames.withEntered(() => this.#run());
  }

  #run(): (Gradient | undefined)[] {
    this.#start();
    const ready = [...new Set(this.#ys.map((y) => this.#stepOf(y.op)))].filter(
      (step) => (this.#pending.get(step) ?? 0) === 0,
    );
    let done = 0;
    for (let step = ready[done]; step; step = ready[++done]) {
      if (step instanceof LoopNodes) this.#throughLoop(step);
      else if (this.#between.has(step)) this.#through(step);
      else continue;
      for (const source of this.#before(step)) {
        const left = (this.#pending.get(source) ?? 0) - 1;
        this.#pending.set(source, left);
        if (left === 0) ready.push(source);
      }
    }
    return this.#xs.map((x) => this.#result(x));
  }

  #start(): void {
    const { gradYs } = this.#options;
    for (const [i, y] of this.#ys.entries()) {
      const given = gradYs?.[i];
      if (given && given.dtype !== y.dtype) {
        throw invalidArgument(
          `The gradient given for ${y.name} is ${given.dtype}, but ${y.name} is ${y.dtype}.`,
        );
      }
      this.#give(y, given ?? this.#graph.op("OnesLike", [y], {}, `grad_ys_${i}`).output);
    }
  }

  #give(tensor: Output, gradient: Gradient): void {
    const known = this.#given.get(tensor);
    if (known) known.push(gradient);
    else this.#given.set(tensor, [gradient]);
  }

  /** The sum of the gradients that a tensor's uses have given. */
  #collected(tensor: Output): Gradient | undefined {
    const all = this.#given.get(tensor);
    if (!all || all.length === 0) return undefined;
    const [only] = all;
    if (all.length === 1) return only;
    const sum = all.every((one) => one instanceof IndexedSlices)
      ? joined(this.#graph, all)
      : this.#graph.op("AddN", [all.map(denseGradient)]).output;
    this.#given.set(tensor, [sum]);
    return sum;
  }

  /** Gives an operation's inputs their gradients. */
  #through(op: Operation): void {
    if (isLoopSwitch(op)) throw this.#throughInitialValue(op);
    if (this.#stops.has(op)) return;
    const outputs = op.outputs.map((output) =>
      carriesGradient(output) ? this.#collected(output) : undefined,
    );
    if (outputs.every((gradient) => gradient === undefined) || endsGradients(op.type)) return;
    const rule = gradientRuleOf(op.type) ?? (this.#graph.functions.has(op.type) ? directCall : undefined);
    if (!rule) throw this.#undefinedGradient(op);
    const wants = (index: number) => this.#wants(op.inputs[index]);
    const passed = [...op.inputs.filter((_, i) => wants(i)), ...op.outputs.filter((_, i) => outputs[i])];
    if (passed.some(({ dtype }) => isComplex(dtype)) && !holdsForComplex(op.type)) {
      throw unimplemented(
        `The gradient of ${op.type} node "${op.name}" is not available for complex numbers. Use stopGradients, or compute ` +
          "with the real and the imaginary parts.",
      );
    }
    const make = () =>
      this.#graph.withNameScope(`${op.name}_grad`, () =>
        rule(new OpGradient(op, outputs, wants, this.#context)),
      );
    const made = this.#options.colocateGradientsWithOps ? this.#graph.withColocation(op, make) : make();
    const gated = this.#options.gateGradients ? together(this.#graph, made) : made;
    for (const [i, input] of op.inputs.entries()) {
      const gradient = gated[i];
      if (gradient && wants(i)) this.#give(input, gradient);
    }
  }

  #wants(input: Output | undefined): boolean {
    return input !== undefined && this.#between.has(input.op) && carriesGradient(input);
  }

  /** Gives what enters a loop its gradients. */
  #throughLoop(loop: LoopNodes): void {
    const given = loop.outputs.map((output) => {
      const gradient = output && carriesGradient(output) ? this.#collected(output) : undefined;
      return gradient && denseGradient(gradient);
    });
    if (given.every((gradient) => gradient === undefined)) return;
    const wants = (index: number) => this.#wants(loop.inputs[index]);
    const made = this.#graph.withNameScope(`${loop.name}_grad`, () =>
      loopGradient(
        this.#graph,
        loopOf(this.#graph, loop, this.#options.stopGradients ?? []),
        this.#context.within,
        given,
        wants,
      ),
    );
    for (const [i, input] of loop.inputs.entries()) {
      const gradient = made[i];
      if (gradient && wants(i)) this.#give(input, gradient);
    }
  }

  #result(x: Output): Gradient | undefined {
    const gradient = this.#collected(x);
    if (gradient || this.#options.unconnectedGradients !== "zero") return gradient;
    if (x.dtype !== "resource") return this.#graph.op("ZerosLike", [x]).output;
    throw invalidArgument(`Nothing depends on the variable "${x.op.name}", and zeros for it have no dtype.`);
  }

  #throughInitialValue(op: Operation): Error {
    return invalidArgument(
      `Inside a loop there is no gradient with respect to or through what a loop variable begins with, which "${op.name}" ` +
        `passes on. Gradients of ${this.#ys.map((y) => y.name).join(", ")} can be taken with respect to the ` +
        "variables that the body gets, and to tensors from outside that it uses.",
    );
  }

  #undefinedGradient(op: Operation): Error {
    const up = this.#path(op, (current) => this.#xs.some((x) => x.op === current));
    const near = differentiableOps().find((type) => type.toLowerCase() === op.type.toLowerCase());
    return notFound(
      `No gradient is defined for the op "${op.type}" of node "${op.name}", which is on the way from ` +
        `${up.at(-1)?.name ?? op.name} to ${this.#ys.map((y) => y.name).join(", ")}: ` +
        `${[...up]
          .reverse()
          .map(({ name }) => name)
          .join(" → ")}.` +
        (near ? ` Did you mean ${near}?` : " Use stopGradients, or ops that have one."),
    );
  }

  /** From an operation back through its inputs to one that fits. */
  #path(from: Operation, fits: (op: Operation) => boolean): readonly Operation[] {
    const cameFrom = new Map<Operation, Operation | undefined>([[from, undefined]]);
    for (const op of cameFrom.keys()) {
      if (fits(op)) {
        const path: Operation[] = [];
        for (let at: Operation | undefined = op; at; at = cameFrom.get(at)) path.unshift(at);
        return path;
      }
      for (const { op: source } of op.inputs) {
        if (this.#between.has(source) && !cameFrom.has(source)) cameFrom.set(source, op);
      }
    }
    return [from];
  }
}

/** The same gradients, each available once all are: tf.tuple. */
function together(graph: Graph, all: readonly (Gradient | undefined)[]): readonly (Gradient | undefined)[] {
  const present = all.filter((one) => one !== undefined);
  if (present.length < 2) return all;
  const tensors = present.map((one) => (one instanceof IndexedSlices ? one.values : one));
  return graph.withNameScope("tuple", () => {
    const gate = group(graph, tensors, { name: "group_deps" });
    const after = (tensor: Output) =>
      graph.withControlDependencies(
        [gate],
        () => graph.op("Identity", [tensor], {}, "control_dependency").output,
      );
    return all.map((one) =>
      one instanceof IndexedSlices
        ? new IndexedSlices(after(one.values), one.indices, one.denseShape)
        : one && after(one),
    );
  });
}

/** The rows of all, one after the other: rows that repeat are added when they are used. */
function joined(graph: Graph, all: readonly Gradient[]): IndexedSlices {
  const slices = all.filter((one) => one instanceof IndexedSlices);
  const [first] = slices;
  if (!first) throw invalidArgument("There are no gradients to add.");
  const values = graph.op("ConcatV2", [slices.map((one) => one.values), 0]).output;
  const indices = graph.op("ConcatV2", [
    slices.map((one) => sameIndexType(graph, one.indices, slices)),
    0,
  ]).output;
  return new IndexedSlices(values, indices, first.denseShape);
}

/** Indices may be int32 in one use and int64 in another. */
function sameIndexType(graph: Graph, indices: Output, slices: readonly IndexedSlices[]): Output {
  const mixed = slices.some((one) => one.indices.dtype !== indices.dtype);
  return mixed && indices.dtype === "int32" ? graph.op("Cast", [indices], { DstT: "int64" }).output : indices;
}
