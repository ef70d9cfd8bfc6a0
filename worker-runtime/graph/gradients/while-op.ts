/** The gradient of the ops While and StatelessWhile, whose condition and body are functions. */
import {
  addFunction,
  type BodyGraph,
  bodyGraphOf,
  functionAttr,
  shapesAttr,
  typesAttr,
} from "../functions/body-graph.js";
import type { Operation, Output } from "../operation.js";
import type { Shape } from "../shape.js";
import { addForward } from "./forward-nodes.js";
import { forwardNodes, loweringOf } from "./functions.js";
import type { GradientRule, GradientRules, OpGradient } from "./gradient.js";
import { denseGradient } from "./gradient.js";
import { emptyList, type Loop, loopGradient, stableBody } from "./while-gradient.js";

function declaredShapes({ attrs }: Operation): boolean {
  const value = attrs.get("output_shapes")?.value;
  return value?.$case === "list" && value.value.shape.length > 0;
}

function bodyOf(at: OpGradient): BodyGraph {
  const { op, graph } = at;
  const build = (shapes: readonly (Shape | undefined)[]) => bodyGraphOf(graph, at.func("body"), shapes);
  if (declaredShapes(op)) return build(op.outputShapes);
  return stableBody(
    op.inputs.map(({ shape }) => shape),
    build,
  );
}

/** Gives the loop a counter and lists as further variables. */
function keep(at: OpGradient, body: BodyGraph, forward: ReadonlySet<Operation>, tensors: readonly Output[]) {
  const { graph, op } = at;
  const { graph: inner } = body;
  const counter = inner.op("Placeholder", [], { dtype: "int32", shape: [] }, "iteration").output;
  const lists = tensors.map(
    () => inner.op("Placeholder", [], { dtype: "variant", shape: [] }, "list").output,
  );
  const [next, pushed] = addForward(inner, () => [
    inner.op("AddV2", [counter, 1]).output,
    tensors.map(
      (tensor, i) =>
        inner.op("TensorListPushBack", [lists[i] ?? counter, tensor], { element_dtype: tensor.dtype }).output,
    ),
  ]);
  const callee = at.func("body").name;
  const newBody = addFunction(graph, {
    name: `${callee}_forward`,
    args: [...body.inputs, counter, ...lists],
    nodes: forwardNodes({ graph: inner, forward }),
    results: [...body.outputs, next, ...pushed],
    controls: body.controls,
  });
  const cond = bodyGraphOf(
    graph,
    at.func("cond"),
    op.inputs.map(() => undefined),
  );
  const newCond = addFunction(graph, {
    name: `${at.func("cond").name}_forward`,
    args: [...cond.inputs, counter, ...lists],
    nodes: cond.graph.operations,
    results: cond.outputs,
    controls: cond.controls,
  });
  const added = addForward(graph, () => [at.ints(0), ...tensors.map((tensor) => emptyList(graph, tensor))]);
  const before = op.outputs.length;
  const attrs = new Map([
    ["body", functionAttr(newBody)],
    ["cond", functionAttr(newCond)],
    ["T", typesAttr([...op.inputs, ...added])],
  ]);
  if (declaredShapes(op))
    attrs.set("output_shapes", shapesAttr([...op.outputShapes, ...added.map(() => [])]));
  graph.extendOperation(op, { attrs, inputs: [...op.inputs, ...added] });
  return { count: op.outputAt(before), lists: op.outputs.slice(before + 1) };
}

const whileLoop: GradientRule = (at) => {
  const { graph, op } = at;
  const body = bodyOf(at);
  const forward = new Set(body.graph.operations);
  const shapes = body.inputs.map(({ shape }) => shape);
  const loop: Loop = {
    name: at.func("body").name,
    body,
    initial: op.inputs,
    final: (index) => op.outputAt(index),
    shape: (index) => shapes[index],
    keep: (tensors) => keep(at, body, forward, tensors),
    attrs: { ...at.attrs("parallel_iterations"), ...loweringOf(op) },
  };
  const given = at.gradients.map((gradient) => gradient && denseGradient(gradient));
  return loopGradient(graph, loop, at.context.within, given, at.wants);
};

export const WHILE: GradientRules = { While: whileLoop, StatelessWhile: whileLoop };
