/** Gradients of calls of functions and of conditional calls: a call of another function, made of the function's body. */
import type { AttrValue, NameAttrList } from "../../../protos/generated/tensorflow/attr_value.js";
import {
  addFunction,
  type BodyGraph,
  bodyGraphOf,
  functionAttr,
  functionListAttr,
  hasEffects,
  shapesAttr,
  typesAttr,
} from "../functions/body-graph.js";
import type { Graph } from "../graph.js";
import type { Operation, Output } from "../operation.js";
import { addedForward, addForward, type Cut, cutBackward } from "./forward-nodes.js";
import { denseGradient, type GradientRule, type GradientRules, type OpGradient } from "./gradient.js";
import { unusedValue, zerosOfVariable } from "./zeros.js";

/** A body with the gradients of its inputs. */
interface Differentiated extends BodyGraph {
  readonly callee: string;
  readonly forward: ReadonlySet<Operation>;
  readonly gradYs: readonly Output[];
  /** By input; undefined where the outputs do not depend on it. */
  readonly found: (Output | undefined)[];
}

/** The outputs of a call whose gradients are known. */
function givenOutputs(at: OpGradient): readonly number[] {
  return at.gradients.flatMap((gradient, i) => (gradient ? [i] : []));
}

/** Makes gradients in the body of a function. @param first the index of its first argument among the call's inputs */
function differentiated(at: OpGradient, callee: NameAttrList, first: number): Differentiated {
  const shapes = at.op.inputs.slice(first).map(({ shape }) => shape);
  const body = bodyGraphOf(at.graph, callee, shapes);
  const { graph } = body;
  const forward = new Set(graph.operations);
  const given = givenOutputs(at);
  const gradYs = given.map((i) => standIn(graph, at.gradient(i)));
  const wanted = body.inputs.flatMap((_, i) => (at.wants(i + first) ? [i] : []));
  const gradients = at.context.within(
    graph,
    given.flatMap((i) => body.outputs[i] ?? []),
    wanted.flatMap((i) => body.inputs[i] ?? []),
    gradYs,
  );
  const found = body.inputs.map((_, i): Output | undefined => {
    const gradient = gradients[wanted.indexOf(i)];
    return gradient && denseGradient(gradient);
  });
  return { ...body, callee: callee.name, forward, gradYs, found };
}

/** A tensor of a body that stands for an argument of the backward part. */
export function standIn(graph: Graph, like: Output): Output {
  const shape = like.shape ?? "unknown rank";
  return graph.op("Placeholder", [], { dtype: like.dtype, shape }, "given").output;
}

/** The nodes of a body without what gradients made, but with what they added to it. */
export function forwardNodes({
  graph,
  forward,
}: {
  readonly graph: Graph;
  readonly forward: ReadonlySet<Operation>;
}): readonly Operation[] {
  return [...forward, ...addedForward(graph)];
}

/** The attribute that lets the master put the nodes of a function in the place of its call. */
export function loweringOf(op: Operation): Record<string, AttrValue> {
  const lower = op.attrs.get("_lower_using_switch_merge");
  return lower ? { _lower_using_switch_merge: lower } : {};
}

/** A node whose op is a function calls it as one that names it: only that can get more outputs. */
export const directCall: GradientRule = (at) => {
  const { graph, op } = at;
  const isStateful = graph.registry.get(op.type)?.isStateful === true;
  const f: AttrValue = { value: { $case: "func", value: { name: op.type, attr: new Map(op.attrs) } } };
  const type = isStateful ? "StatefulPartitionedCall" : "PartitionedCall";
  const empty: AttrValue = { value: { $case: "s", value: new Uint8Array() } };
  const attrs = new Map<string, AttrValue>([
    ...([
      ["f", f],
      ["Tin", typesAttr(op.inputs)],
      ["Tout", typesAttr(op.outputs)],
    ] as const),
    ...["config", "config_proto", "executor_type"].map((name) => [name, empty] as const),
  ]);
  graph.extendOperation(op, { type, attrs });
  return call(at);
};

/** The call gets the intermediate results that its gradient needs as further outputs. */
const call: GradientRule = (at) => {
  const { graph, op } = at;
  const callee = at.func("f");
  const body = differentiated(at, callee, 0);
  const results = body.found.filter((one) => one !== undefined);
  if (results.length === 0) return [];
  const { nodes, crossing } = cutBackward(body.graph, body.forward, results, body.gradYs);
  const kept = crossing.filter((tensor) => !body.inputs.includes(tensor));
  if (kept.length > 0) {
    const forward = addFunction(graph, {
      name: `${callee.name}_forward`,
      args: body.inputs,
      nodes: forwardNodes(body),
      results: [...body.outputs, ...kept],
      controls: body.controls,
    });
    const attrs = new Map([
      ["f", functionAttr(forward)],
      ["Tout", typesAttr([...op.outputs, ...kept])],
    ]);
    graph.extendOperation(op, { attrs });
  }
  const before = op.outputs.length - kept.length;
  const tensors = crossing.map((tensor) =>
    kept.includes(tensor)
      ? op.outputAt(before + kept.indexOf(tensor))
      : at.input(body.inputs.indexOf(tensor)),
  );
  const f = addFunction(graph, {
    name: `${callee.name}_backward`,
    args: [...body.gradYs, ...crossing],
    nodes,
    results,
  });
  const type = hasEffects(body.graph, nodes) ? "StatefulPartitionedCall" : "PartitionedCall";
  const gradients = givenOutputs(at).map((i) => at.gradient(i));
  const made = graph.op(type, [[...gradients, ...tensors]], { f, Tout: typesAttr(results) });
  return byInput(body.found, made);
};

/** The outputs of a call, by the inputs whose gradients they are. */
function byInput(found: readonly (Output | undefined)[], made: Operation): (Output | undefined)[] {
  let next = 0;
  return found.map((one) => (one ? made.outputAt(next++) : undefined));
}

/** Zeros in the branches that leave an input unused, so that all have gradients of the same inputs. */
function completeBranches(branches: readonly Differentiated[]): void {
  for (const i of branches[0]?.inputs.keys() ?? []) {
    const some = branches.map(({ found }) => found[i]).find((one) => one !== undefined);
    if (!some) continue;
    for (const { graph, inputs, found } of branches) {
      const input = inputs[i];
      if (!input || found[i]) continue;
      found[i] =
        input.dtype === "resource"
          ? zerosOfVariable(graph, input, some.dtype)
          : graph.op("ZerosLike", [input]).output;
    }
  }
}

/** A conditional call of the same branch's gradient. Branches give what others keep as well, without a meaning. */
function conditional(
  at: OpGradient,
  callees: readonly NameAttrList[],
  names: readonly string[],
): (Output | undefined)[] {
  const { graph, op } = at;
  const branches = callees.map((callee) => differentiated(at, callee, 1));
  completeBranches(branches);
  const found = branches[0]?.found ?? [];
  if (found.every((one) => one === undefined)) return [];
  const resultsOf = (branch: Differentiated) => branch.found.filter((one) => one !== undefined);
  const cuts = branches.map(
    (branch): Cut => cutBackward(branch.graph, branch.forward, resultsOf(branch), branch.gradYs),
  );
  const keptBy = cuts.map(({ crossing }, b) =>
    crossing.filter((tensor) => !branches[b]?.inputs.includes(tensor)),
  );
  const passed = [...found.keys()].filter((i) =>
    cuts.some(({ crossing }, b) => crossing.some((tensor) => tensor === branches[b]?.inputs[i])),
  );
  const before = op.outputs.length;
  extend(at, branches, keptBy, names);
  const args = [
    ...givenOutputs(at).map((i) => at.gradient(i)),
    ...op.outputs.slice(before),
    ...passed.map((i) => at.input(i + 1)),
  ];
  const functions = branches.map((branch, b) =>
    addFunction(graph, {
      name: `${branch.callee}_backward`,
      args: [...branch.gradYs, ...keptBy.flat(), ...passed.flatMap((i) => branch.inputs[i] ?? [])],
      nodes: cuts[b]?.nodes ?? [],
      results: resultsOf(branch),
    }),
  );
  const effects = branches.some((branch, b) => hasEffects(branch.graph, cuts[b]?.nodes ?? []));
  const shapes = found.flatMap((one, i) =>
    one ? [at.input(i + 1).dtype === "resource" ? one.shape : at.input(i + 1).shape] : [],
  );
  const type = op.type.replace("Stateless", "");
  const made = graph.op(effects ? type : `Stateless${type}`, [at.x, args], {
    ...branchAttrs(names, functions),
    Tout: typesAttr(branches[0] ? resultsOf(branches[0]) : []),
    output_shapes: shapesAttr(shapes),
    ...loweringOf(op),
  });
  return [undefined, ...byInput(found, made)];
}

/** Gives the call what its branches keep for their gradients. */
function extend(
  at: OpGradient,
  branches: readonly Differentiated[],
  keptBy: readonly (readonly Output[])[],
  names: readonly string[],
): void {
  const { graph, op } = at;
  const kept = keptBy.flat();
  if (kept.length === 0) return;
  const functions = branches.map((branch, b) => {
    const fillers = addFillers(branch.graph, kept, keptBy[b] ?? []);
    return addFunction(graph, {
      name: `${branch.callee}_forward`,
      args: branch.inputs,
      nodes: forwardNodes(branch),
      results: [...branch.outputs, ...fillers],
      controls: branch.controls,
    });
  });
  const outputs = [...op.outputs, ...kept];
  const attrs = new Map(Object.entries({ ...branchAttrs(names, functions), Tout: typesAttr(outputs) }));
  const shapes = op.attrs.get("output_shapes")?.value;
  if (shapes?.$case === "list" && shapes.value.shape.length > 0) {
    attrs.set("output_shapes", shapesAttr([...op.outputShapes, ...kept.map(() => undefined)]));
  }
  graph.extendOperation(op, { attrs });
}

/** A branch's outputs for all that branches keep: its own tensors, and values that nobody reads. */
function addFillers(graph: Graph, kept: readonly Output[], own: readonly Output[]): Output[] {
  return addForward(graph, () =>
    kept.map((tensor) => (own.includes(tensor) ? tensor : unusedValue(graph, tensor.dtype))),
  );
}

function branchAttrs(names: readonly string[], functions: readonly string[]): Record<string, AttrValue> {
  const [only] = names;
  if (only !== undefined && names.length === 1) return { [only]: functionListAttr(functions) };
  return Object.fromEntries(names.map((name, i) => [name, functionAttr(functions[i] ?? "")]));
}

const oneOfTwo: GradientRule = (at) =>
  conditional(at, [at.func("then_branch"), at.func("else_branch")], ["then_branch", "else_branch"]);

const oneOfSeveral: GradientRule = (at) => {
  const branches = at.op.attrs.get("branches")?.value;
  return conditional(at, branches?.$case === "list" ? branches.value.func : [], ["branches"]);
};

export const FUNCTIONS: GradientRules = {
  PartitionedCall: call,
  StatefulPartitionedCall: call,
  If: oneOfTwo,
  StatelessIf: oneOfTwo,
  Case: oneOfSeveral,
  StatelessCase: oneOfSeveral,
};
