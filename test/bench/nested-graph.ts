/** Graphs of any size for measurements: layers with a weight each, in nested scopes. */
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";

const float = { value: { $case: "type" as const, value: DataType.DT_FLOAT } };

/** A serialized GraphDef: the nodes of a layer are a Const, its read, Mul and Tanh. */
export function nestedGraph(count: number): Uint8Array {
  const nodes: NodeDef[] = [];
  const add = (name: string, op: string, input: string[] = []) => {
    const key = op === "Const" || op === "Placeholder" ? "dtype" : "T";
    nodes.push({ ...NodeDef.fromPartial({ name, op }), input, attr: new Map([[key, float]]) });
    return name;
  };
  let last = add("x", "Placeholder");
  for (let unit = 0; nodes.length < count; unit++) {
    const scope = `encoder/layer_${Math.floor((unit * 48) / count)}/part_${unit % 20}/unit_${unit}`;
    const weight = add(`${scope}/weight/read`, "Identity", [add(`${scope}/weight`, "Const")]);
    last = add(`${scope}/Tanh`, "Tanh", [add(`${scope}/Mul`, "Mul", [last, weight])]);
  }
  return GraphDef.encode({ ...GraphDef.fromPartial({}), node: nodes }).finish();
}
