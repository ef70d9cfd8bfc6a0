/** Branches, loops and functions, of TensorFlow 2 and 1, around what a random graph computes. */
import type { AttrValue } from "../../../../../protos/generated/tensorflow/attr_value.js";
import { ConfigProto } from "../../../../../protos/generated/tensorflow/config.js";
import {
  addFunction,
  functionAttr,
  functionListAttr,
  hasEffects,
} from "../../../../../worker-runtime/graph/functions/body-graph.js";
import { Graph } from "../../../../../worker-runtime/graph/graph.js";
import type { Operation, Output } from "../../../../../worker-runtime/graph/operation.js";
import * as ops from "../../../../../worker-runtime/graph/ops/index.js";
import { dtypeOf } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { unoptimizedConfig } from "../../../../../worker-runtime/session/trace/unoptimized-config.js";
import type { Draw } from "./draw.js";

/** Where something is computed. */
export interface Site {
  readonly graph: Graph;
  /** An int32 scalar, of which it depends how often and by which branch something is computed. */
  readonly turn: Output;
  /** One list of inputs or several, of the same dtypes. */
  readonly groups: readonly (readonly Output[])[];
  /** The handles of variables. */
  readonly handles: readonly Output[];
}

/** Something that is computed from one of the groups of its site. */
export interface Part {
  /** Its kind, with those of the parts in it: "loop(switch(…))". */
  readonly text: string;
  /** Adds it to a graph. @returns its results, of which the last one is added up by loops */
  build(site: Site): readonly Output[];
  /** The number of the group that its results are made of; undefined where they are what a loop begins with. */
  groupOf(turn: number, groups: number): number | undefined;
  /** How often each group is used for what loops add up. */
  usesOf(turn: number, groups: number): readonly number[];
}

/** Puts a part into something. */
export type Wrapping = (part: Part) => Part;

const int = (value: number): Tensor => Tensor.of(value, "int32");

/** Tensors of a graph that stand for those of another one: the arguments of a function. */
function argumentsLike(graph: Graph, outputs: readonly Output[]): Output[] {
  return outputs.map(
    ({ dtype, shape }) =>
      graph.op("Placeholder", [], { dtype, shape: shape ?? "unknown rank" }, "argument").output,
  );
}

/** Values that are passed to a function or a loop, in one list, and taken out of it again. */
class Passed {
  readonly #site: Site;

  constructor(site: Site) {
    this.#site = site;
  }

  get all(): readonly Output[] {
    const { turn, groups, handles } = this.#site;
    return [turn, ...groups.flat(), ...handles];
  }

  /** The site whose tensors are others, in the same order. */
  siteOf(graph: Graph, [turn, ...rest]: readonly Output[]): Site {
    const { groups, handles } = this.#site;
    const size = groups[0]?.length ?? 0;
    const taken = groups.map((_, i) => rest.slice(i * size, (i + 1) * size));
    const end = groups.length * size;
    return {
      graph,
      turn: turn as Output,
      groups: taken,
      handles: rest.slice(end, end + handles.length),
    };
  }
}

/** A function, and whether it has effects or reads variables. */
interface MadeFunction {
  readonly name: string;
  readonly isStateful: boolean;
}

/** Adds a function to those of a graph. */
function functionOf(
  caller: Graph,
  like: readonly Output[],
  build: (graph: Graph, args: readonly Output[]) => readonly Output[],
): MadeFunction {
  const { registry, functions } = caller;
  const graph = new Graph({ registry, functions });
  const args = argumentsLike(graph, like);
  const results = build(graph, args);
  const name = addFunction(caller, { name: "body", args, nodes: graph.operations, results });
  return { name, isStateful: hasEffects(graph, graph.operations) };
}

/**
 * Calls optimize their functions anew, whatever the session says, unless they say otherwise. TensorFlow 2.21's optimizer mixes
 * up the results of branches in functions.
 */
const unoptimized: AttrValue = {
  value: { $case: "s", value: ConfigProto.encode(ConfigProto.fromPartial(unoptimizedConfig())).finish() },
};

/** A call of a function. */
const called = (): Wrapping => (part) => ({
  ...part,
  text: `call(${part.text})`,
  build: (site) => {
    const { graph } = site;
    const passed = new Passed(site);
    const { name, isStateful } = functionOf(graph, passed.all, (body, args) =>
      part.build(passed.siteOf(body, args)),
    );
    const Tout = typesOf(graph, name);
    const op = isStateful ? "StatefulPartitionedCall" : "PartitionedCall";
    return graph.op(op, [[...passed.all]], { f: functionAttr(name), Tout, config_proto: unoptimized })
      .outputs;
  },
});

const typesOf = (graph: Graph, name: string) =>
  graph.functions.require(name).signature?.outputArg.map(({ type }) => dtypeOf(type)) ?? [];

/** Which group each branch has: if there is only one group, both do the same. */
const branchesOf = (groups: number): readonly number[] =>
  groups === 1 ? [0, 0] : Array.from({ length: groups }, (_, i) => i);

function branching(part: Part): Pick<Part, "groupOf" | "usesOf"> {
  return {
    groupOf: (turn, groups) => {
      const branches = branchesOf(groups);
      const inner = part.groupOf(turn, 1);
      return inner === undefined ? undefined : branches[turn % branches.length];
    },
    usesOf: (turn, groups) => {
      const branches = branchesOf(groups);
      const uses = new Array<number>(groups).fill(0);
      uses[branches[turn % branches.length] ?? 0] = part.usesOf(turn, 1)[0] ?? 0;
      return uses;
    },
  };
}

/** Functions, of which a Case or an If calls one. */
const branched = (draw: Draw): Wrapping => {
  const prefersIf = draw.isOneIn(2);
  return (part) => ({
    ...branching(part),
    text: `branch(${part.text})`,
    build: (site) => {
      const { graph, turn, groups } = site;
      const passed = new Passed(site);
      const branches = branchesOf(groups.length).map((group) =>
        functionOf(graph, passed.all, (body, args) => {
          const inner = passed.siteOf(body, args);
          return part.build({ ...inner, groups: [inner.groups[group] ?? []] });
        }),
      );
      const [isStateful, names] = [branches.some((one) => one.isStateful), branches.map(({ name }) => name)];
      const Tout = typesOf(graph, names[0] ?? "");
      const index = graph.op("FloorMod", [turn, int(branches.length)]).output;
      if (branches.length === 2 && prefersIf) {
        return graph.op(
          isStateful ? "If" : "StatelessIf",
          [graph.op("Equal", [index, int(1)]).output, [...passed.all]],
          { then_branch: functionAttr(names[1] ?? ""), else_branch: functionAttr(names[0] ?? ""), Tout },
        ).outputs;
      }
      const op = isStateful ? "Case" : "StatelessCase";
      return graph.op(op, [index, [...passed.all]], { branches: functionListAttr(names), Tout }).outputs;
    },
  });
};

/** Branches of Switch and Merge, of which all but one are dead. */
const switched = (): Wrapping => (part) => ({
  ...branching(part),
  text: `switch(${part.text})`,
  build: (site) => {
    const { graph, turn, groups } = site;
    const passed = new Passed(site);
    const branches = branchesOf(groups.length);
    const index = graph.op("FloorMod", [turn, int(branches.length)]).output;
    const choose = (at: number, chosen: Output, given: readonly Output[]): readonly Output[] => {
      const here = (live: readonly Output[]) => {
        const inner = passed.siteOf(graph, live);
        return part.build({ ...inner, groups: [inner.groups[branches[at] ?? 0] ?? []] });
      };
      if (at === branches.length - 1) return here(given);
      const isHere = graph.op("Equal", [chosen, int(at)]).output;
      const sides = [chosen, ...given].map((one) => ops.switchOn(one, isHere));
      const [after = chosen, ...rest] = sides.map(({ whenFalse }) => whenFalse);
      const within = (pivot: Output, make: () => readonly Output[]) =>
        graph.withControlDependencies([graph.op("Identity", [pivot])], make);
      const [pivot = chosen, ...whenTrue] = sides.map((one) => one.whenTrue);
      const taken = within(pivot, () => here(whenTrue));
      const others = within(after, () => choose(at + 1, after, rest));
      return taken.map((one, i) => ops.merge([others[i] ?? one, one]).value);
    };
    return choose(0, index, passed.all);
  },
});

/** How often a loop turns: also never, where it is the outermost one and has all groups. */
const iterationsOf = (turn: number, groups: number): number => (groups === 1 ? (turn % 3) + 1 : turn);

function looping(part: Part): Pick<Part, "groupOf" | "usesOf"> {
  return {
    groupOf: (turn, groups) => {
      const iterations = iterationsOf(turn, groups);
      return iterations === 0 || part.groupOf(iterations - 1, 1) === undefined
        ? undefined
        : (iterations - 1) % groups;
    },
    usesOf: (turn, groups) => {
      const uses = new Array<number>(groups).fill(0);
      for (let i = 0; i < iterationsOf(turn, groups); i += 1) {
        uses[i % groups] = (uses[i % groups] ?? 0) + (part.usesOf(i, 1)[0] ?? 0);
      }
      return uses;
    },
  };
}

/** The results of a loop before its first iteration: of any shape for all that the graph says. */
function beginnings(graph: Graph, results: readonly Output[]): Output[] {
  return results.map(({ dtype }, i) => {
    const value = Tensor.of(i === results.length - 1 ? 0 : [], dtype, i === results.length - 1 ? [] : [0]);
    if (i === results.length - 1) return ops.constant(graph, value);
    return graph.op("PlaceholderWithDefault", [value], { shape: "unknown rank" }).output;
  });
}

/** The number of iterations, as a tensor. */
function limitOf({ graph, turn, groups }: Site): Output {
  if (groups.length > 1) return turn;
  const rest = graph.op("FloorMod", [turn, int(3)]).output;
  return graph.op("AddV2", [rest, int(1)]).output;
}

/** The groups one further: what is computed from the first one differs from iteration to iteration, in its shapes, too. */
const rotated = (groups: readonly (readonly Output[])[]) => [...groups.slice(1), ...groups.slice(0, 1)];

/** One iteration: its results replace those of the one before, but the last one is added to it. */
function iteration(part: Part, site: Site, results: readonly Output[]): Output[] {
  const made = part.build({ ...site, groups: site.groups.slice(0, 1) });
  const total = results.at(-1);
  return made.map((one, i) =>
    i === made.length - 1 && total ? site.graph.op("AddV2", [total, one]).output : one,
  );
}

/** The results of a part with their dtypes, in a graph that is thrown away. */
function resultsLike(part: Part, site: Site): readonly Output[] {
  const { registry } = site.graph;
  const graph = new Graph({ registry });
  const passed = new Passed({ ...site, groups: site.groups.slice(0, 1) });
  return part.build(passed.siteOf(graph, argumentsLike(graph, passed.all)));
}

const PARALLEL = [1, 2, 10, 32] as const;

/** A While whose condition and body are functions. */
const repeated = (draw: Draw): Wrapping => {
  const parallel = draw.oneOf(PARALLEL);
  return (part) => ({
    ...looping(part),
    text: `loop(${part.text})`,
    build: (site) => {
      const { graph } = site;
      const passed = new Passed(site);
      const first = beginnings(graph, resultsLike(part, site));
      const all = [limitOf(site), ops.constant(graph, int(0)), ...first, ...passed.all];
      const cut = ([limit, i, ...rest]: readonly Output[]) => ({
        limit: limit as Output,
        i: i as Output,
        results: rest.slice(0, first.length),
        given: rest.slice(first.length),
      });
      const condition = functionOf(graph, all, (body, args) => {
        const { i, limit } = cut(args);
        return [body.op("Less", [i, limit]).output];
      });
      const body = functionOf(graph, all, (inner, args) => {
        const { i, limit, results, given } = cut(args);
        const within = passed.siteOf(inner, given);
        const next = iteration(part, { ...within, turn: i }, results);
        const following = { ...within, groups: rotated(within.groups) };
        return [limit, inner.op("AddV2", [i, int(1)]).output, ...next, ...new Passed(following).all];
      });
      const loop = graph.op(body.isStateful ? "While" : "StatelessWhile", [all], {
        cond: functionAttr(condition.name),
        body: functionAttr(body.name),
        parallel_iterations: parallel,
      });
      return loop.outputs.slice(2, 2 + first.length);
    },
  });
};

/** A loop of Enter, Merge, Switch, NextIteration and Exit. What never changes enters it once. */
const framed = (draw: Draw): Wrapping => {
  const parallelIterations = draw.oneOf(PARALLEL);
  return (part) => ({
    ...looping(part),
    text: `frame(${part.text})`,
    build: (site) => {
      const { graph, groups } = site;
      const limit = limitOf(site);
      const first = beginnings(graph, resultsLike(part, site));
      const size = groups[0]?.length ?? 0;
      const carried = groups.length > 1 ? groups.flat() : [];
      const groupsIn = (variables: readonly Output[]) =>
        carried.length === 0 ? groups : groups.map((_, i) => variables.slice(i * size, (i + 1) * size));
      const left = ops.whileLoop(
        graph,
        (i) => graph.op("Less", [i as Output, limit]).output,
        (i, ...rest) => {
          const inner = groupsIn(rest.slice(first.length));
          const turned = { ...site, turn: i as Output, groups: inner };
          const next = iteration(part, turned, rest.slice(0, first.length));
          const following = carried.length === 0 ? [] : rotated(inner).flat();
          return [graph.op("AddV2", [i as Output, int(1)]).output, ...next, ...following];
        },
        [int(0), ...first, ...carried],
        { parallelIterations },
      );
      return left.slice(1, 1 + first.length);
    },
  });
};

const wrappings = [called, branched, switched, repeated, repeated, framed, framed];

/** One to three things, one in another. */
export function drawWrapping(draw: Draw): Wrapping {
  const all = Array.from({ length: 1 + draw.below(3) }, () => draw.oneOf(wrappings)(draw));
  return (part) => all.reduce((inner, wrap) => wrap(inner), part);
}

/** The prefix of the names in every copy of a random graph. */
const SCOPE = "drawn";
const copied = new RegExp(`^(?:.*/)?${SCOPE}(?:_\\d+)?/`);

/** The name of a node of a random graph whose copy, or one of several, has this name. */
export const originalName = (name: string): string => name.replace(copied, "");

/**
 * Nodes of a graph as a part.
 * @param operations without the inputs and handles, each after those that it uses
 */
export function partOf(
  operations: readonly Operation[],
  inputs: readonly Output[],
  handles: readonly Output[],
  results: readonly Output[],
): Part {
  return {
    text: "…",
    groupOf: () => 0,
    usesOf: () => [1],
    build: ({ graph, groups: [group = []], handles: given }) =>
      graph.withNameScope(SCOPE, () => {
        const copies = new Map<Output, Output>();
        for (const [i, input] of inputs.entries()) copies.set(input, group[i] as Output);
        for (const [i, handle] of handles.entries()) copies.set(handle, given[i] as Output);
        for (const { name, type, attrs, inputs: used, outputs } of operations) {
          const copy = graph.addNode({
            type,
            name,
            attrs,
            inputs: used.map((one) => copies.get(one) as Output),
          });
          for (const [i, output] of outputs.entries()) copies.set(output, copy.outputAt(i));
        }
        // A result that is an input has no node here.
        return results.map((one) => copies.get(one) as Output);
      }),
  };
}
