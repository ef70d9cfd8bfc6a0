/** Short ways to write nodes of test graphs. All tensors are float32 unless a node says otherwise. */
import type { AttrValue } from "../../../../../protos/generated/tensorflow/attr_value.js";
import { GraphDef } from "../../../../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { makeNodeDef } from "../../../../../worker-runtime/engines/portable/master/graph-node.js";
import { stringListAttr, typeAttr } from "../../../../../worker-runtime/graph/attr-values.js";
import { constantProto } from "../../../../../worker-runtime/graph/constant-proto.js";
import { GRAPH_DEF_VERSION } from "../../../../../worker-runtime/graph/op-list.js";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { TensorValue } from "../../../../../worker-runtime/protocol/tensor-values.js";

export type Attrs = Readonly<Record<string, AttrValue>>;

export function node(
  name: string,
  op: string,
  input: string[] = [],
  attrs: Attrs = {},
  device = "",
): NodeDef {
  return { ...makeNodeDef(name, op, Object.entries(attrs)), input, device };
}

export function constant(name: string, value: TensorValue, device = "", dtype: DType = "float32"): NodeDef {
  const proto = constantProto(Tensor.of(value, dtype));
  return node(name, "Const", [], { dtype: typeAttr(dtype), value: tensorAttr(proto) }, device);
}

export function placeholder(name: string, device = "", dtype: DType = "float32"): NodeDef {
  return node(name, "Placeholder", [], { dtype: typeAttr(dtype) }, device);
}

export function identity(name: string, input: string, device = "", attrs: Attrs = {}): NodeDef {
  return node(name, "Identity", [input], { T: typeAttr("float32"), ...attrs }, device);
}

export function add(name: string, a: string, b: string, device = ""): NodeDef {
  return node(name, "AddV2", [a, b], { T: typeAttr("float32") }, device);
}

export function variable(name: string, device = ""): NodeDef {
  return node(
    name,
    "VariableV2",
    [],
    {
      dtype: typeAttr("float32"),
      shape: { value: { $case: "shape", value: { dim: [], unknownRank: false } } },
    },
    device,
  );
}

export function assign(name: string, ref: string, value: string, device = ""): NodeDef {
  return node(name, "Assign", [ref, value], { T: typeAttr("float32") }, device);
}

export function handle(name: string, device = ""): NodeDef {
  return { ...variable(name, device), op: "VarHandleOp" };
}

/** A while loop that counts from zero to `limit`; its body's addition is on `bodyDevice`. It gives "exit". */
export function countingLoop(limit: number, bodyDevice: string): NodeDef[] {
  const T = typeAttr("float32");
  const frame = (isConstant: boolean): Attrs => ({
    T,
    frame_name: stringAttr("while"),
    is_constant: { value: { $case: "b", value: isConstant } },
  });
  return [
    constant("zero", 0),
    constant("limit", limit),
    constant("one", 1, bodyDevice),
    node("enter", "Enter", ["zero"], frame(false)),
    node("limit_in", "Enter", ["limit"], frame(true)),
    node("one_in", "Enter", ["one"], frame(true), bodyDevice),
    node("merge", "Merge", ["enter", "next"], { T, N: intAttr(2) }),
    node("less", "Less", ["merge", "limit_in"], { T }),
    node("condition", "LoopCond", ["less"]),
    node("switch", "Switch", ["merge", "condition"], { T }),
    node("exit", "Exit", ["switch"], { T }),
    add("increment", "switch:1", "one_in", bodyDevice),
    node("next", "NextIteration", ["increment"], { T }),
  ];
}

export function colocatedWith(...names: string[]): Attrs {
  return { _class: stringListAttr(names.map((name) => `loc:@${name}`)) };
}

export function stringAttr(value: string): AttrValue {
  return { value: { $case: "s", value: new TextEncoder().encode(value) } };
}

export function intAttr(value: number): AttrValue {
  return { value: { $case: "i", value: BigInt(value) } };
}

export function functionAttr(name: string): AttrValue {
  return { value: { $case: "func", value: { name, attr: new Map() } } };
}

function tensorAttr(value: ReturnType<typeof constantProto>): AttrValue {
  return { value: { $case: "tensor", value } };
}

export function graphOf(...nodes: NodeDef[]): GraphDef {
  return GraphDef.fromPartial({ node: nodes, versions: { producer: GRAPH_DEF_VERSION } });
}

export function attrText(definition: NodeDef, name: string): string {
  const value = definition.attr.get(name)?.value;
  return value?.$case === "s" ? new TextDecoder().decode(value.value) : String(value?.value);
}
