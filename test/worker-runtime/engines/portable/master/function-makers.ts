/** Functions for test graphs: each takes one float32 and answers one. */
import type { AttrValue } from "../../../../../protos/generated/tensorflow/attr_value.js";
import { FunctionDef } from "../../../../../protos/generated/tensorflow/function.js";
import { GraphDef } from "../../../../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../../../protos/generated/tensorflow/types.js";
import { typeAttr } from "../../../../../worker-runtime/graph/attr-values.js";
import { constant, functionAttr, graphOf, node } from "./node-makers.js";

const FLOATS: AttrValue = {
  value: {
    $case: "list",
    value: { s: [], i: [], f: [], b: [], type: [DataType.DT_FLOAT], shape: [], tensor: [], func: [] },
  },
};

/** x op value, computed on a device; the answer is of type bool for a comparison. */
export function unaryFunction(name: string, op: string, value: number, device = ""): FunctionDef {
  const type = op === "Less" ? DataType.DT_BOOL : DataType.DT_FLOAT;
  return FunctionDef.fromPartial({
    signature: {
      name,
      inputArg: [{ name: "x", type: DataType.DT_FLOAT }],
      outputArg: [{ name: "y", type }],
    },
    nodeDef: [
      constant("value", value, device),
      node("result", op, ["x", "value:output:0"], { T: typeAttr("float32") }, device),
    ],
    ret: new Map([["y", "result:z:0"]]),
  });
}

export function callNode(name: string, callee: string, input: string, device = ""): NodeDef {
  return node(
    name,
    "PartitionedCall",
    [input],
    { Tin: FLOATS, Tout: FLOATS, f: functionAttr(callee) },
    device,
  );
}

export function ifNode(
  name: string,
  condition: string,
  input: string,
  whenTrue: string,
  whenFalse: string,
): NodeDef {
  return node(name, "StatelessIf", [condition, input], {
    Tcond: typeAttr("bool"),
    Tin: FLOATS,
    Tout: FLOATS,
    then_branch: functionAttr(whenTrue),
    else_branch: functionAttr(whenFalse),
  });
}

export function caseNode(name: string, index: string, input: string, ...branches: string[]): NodeDef {
  const func = branches.map((branch) => ({ name: branch, attr: new Map() }));
  return node(name, "StatelessCase", [index, input], {
    Tin: FLOATS,
    Tout: FLOATS,
    branches: {
      value: {
        $case: "list",
        value: { s: [], i: [], f: [], b: [], type: [], shape: [], tensor: [], func },
      },
    },
  });
}

export function whileNode(name: string, input: string, condition: string, body: string): NodeDef {
  return node(name, "StatelessWhile", [input], {
    T: FLOATS,
    cond: functionAttr(condition),
    body: functionAttr(body),
  });
}

export function graphWithFunctions(functions: readonly FunctionDef[], ...nodes: NodeDef[]): GraphDef {
  return GraphDef.fromPartial({ ...graphOf(...nodes), library: { function: [...functions] } });
}
