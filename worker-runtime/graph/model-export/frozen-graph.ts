/** A graph whose variables are constants, as tf.compat.v1.graph_util.convert_variables_to_constants makes it. */
import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import type { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { failedPrecondition, unimplemented } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import { typeAttr } from "../attr-values.js";
import { constantProto } from "../constant-proto.js";
import { parseEdge, tensorName } from "../edge.js";
import { isVariable } from "../initialisers.js";
import { structureOf } from "../structural-ops.js";
import type { ServingGraph } from "./serving-graph.js";

/** Ops that pass a handle on, with the outputs that are the handle. */
const PASSING: Readonly<Record<string, readonly number[]>> = {
  Identity: [0],
  Enter: [0],
  Exit: [0],
  NextIteration: [0],
  Merge: [0],
  Switch: [0, 1],
};

/**
 * @param values by the names of the graph's variables
 * @throws TensorFlowError FAILED_PRECONDITION naming a node that changes a variable; UNIMPLEMENTED for a function that is
 *   given one
 */
export function frozenGraph(serving: ServingGraph, values: ReadonlyMap<string, Tensor>): GraphDef {
  const { graphDef } = serving;
  const handles = handlesIn(graphDef.node);
  const node = graphDef.node.flatMap((one): NodeDef[] => {
    if (isVariable(one)) {
      const value = values.get(one.name);
      if (value) return [constantNode(one.name, value, one.input)];
      throw failedPrecondition(`The variable ${one.name} has no value.`);
    }
    const [dtype] = one.input.flatMap((text) => handles.get(nameOf(text)) ?? []);
    return dtype ? reading(one, dtype) : [one];
  });
  return { ...graphDef, node };
}

/** The tensors that are a variable, a reference to it or its handle, with the dtype of its values. */
function handlesIn(nodes: readonly NodeDef[]): Map<string, AttrValue> {
  const handles = new Map<string, AttrValue>();
  for (const one of nodes) {
    const dtype = one.attr.get("dtype");
    if (isVariable(one) && dtype) handles.set(tensorName(one.name), dtype);
  }
  // A loop passes a handle on to a node before it.
  for (let before = -1; before !== handles.size; ) {
    before = handles.size;
    for (const { name, op, input } of nodes) {
      const outputs = PASSING[op];
      const [dtype] = outputs ? input.flatMap((text) => handles.get(nameOf(text)) ?? []) : [];
      if (!dtype) continue;
      for (const output of outputs ?? []) handles.set(tensorName(name, output), dtype);
    }
  }
  return handles;
}

/** The node that takes the place of one that reads a variable when the variable is a constant. */
function reading(node: NodeDef, dtype: AttrValue): NodeDef[] {
  const { name, op, input } = node;
  const make = (op: string, attr: Readonly<Record<string, AttrValue | undefined>>, inputs = input) => {
    const given = Object.entries(attr).flatMap(([key, value]) => (value ? [[key, value] as const] : []));
    return { ...node, op, input: [...inputs], attr: new Map(given) };
  };
  const data = input.filter((text) => !text.startsWith("^"));
  const control = input.filter((text) => text.startsWith("^"));
  switch (op) {
    case "ReadVariableOp":
      return [make("Identity", { T: dtype })];
    case "ResourceGather": {
      const dims = node.attr.get("batch_dims");
      const axis = dims?.value?.$case === "i" ? Number(dims.value.value) : 0;
      const axisName = `${name}/axis`;
      const attrs = { Tparams: dtype, Tindices: node.attr.get("Tindices"), Taxis: typeAttr("int32") };
      return [
        constantNode(axisName, Tensor.of(axis, "int32")),
        make("GatherV2", { ...attrs, batch_dims: dims }, [...data, axisName, ...control]),
      ];
    }
    case "ResourceGatherNd":
      return [make("GatherNd", { Tparams: dtype, Tindices: node.attr.get("Tindices") })];
    case "VariableShape":
      return [make("Shape", { T: dtype, out_type: node.attr.get("out_type") ?? typeAttr("int32") })];
    case "VarIsInitializedOp":
    case "IsVariableInitialized":
      return [constantNode(name, Tensor.of(true, "bool"), control)];
  }
  if (PASSING[op]) return [{ ...node, attr: new Map([...node.attr, ["T", dtype]]) }];
  if (structureOf(op).calls !== undefined) {
    throw unimplemented(
      `${name} passes a variable to a function, which a frozen graph cannot have. Export a SavedModel instead.`,
    );
  }
  throw failedPrecondition(
    `The outputs depend on ${name} (${op}), which takes a variable itself and not its value, as what changes it does. ` +
      "Choose outputs that only read the variables.",
  );
}

function constantNode(name: string, value: Tensor, input: readonly string[] = []): NodeDef {
  return NodeDef.fromPartial({
    name,
    op: "Const",
    input: [...input],
    attr: new Map([
      ["dtype", typeAttr(value.dtype)],
      ["value", { value: { $case: "tensor" as const, value: constantProto(value) } }],
    ]),
  });
}

/** "x:0" for "x"; as it is for "^x", which no tensor is called. */
function nameOf(text: string): string {
  const edge = parseEdge(text);
  return edge.control ? text : tensorName(edge.node, edge.output);
}
