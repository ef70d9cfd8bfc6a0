import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { outputType } from "../follow-types.js";
import type { GraphDocument } from "../model.js";
import { type OpLookup, signatureOf } from "../signature.js";
import { parseInput, uniqueName } from "../tensor-names.js";
import { type EditResult, edit, refused } from "./types.js";

/** Inserts a Cast before an input whose producer has a dtype that the input does not accept. */
export function insertCast(
  document: GraphDocument,
  lookup: OpLookup,
  name: string,
  input: number,
): EditResult {
  const before = document.nodes.get(name);
  const slot = before && signatureOf(before, lookup)?.inputs[input];
  const text = before?.input[input] ?? "";
  const reference = parseInput(text);
  if (!before || !slot || reference.kind !== "data") return refused("The input is not connected.");
  const from = outputType(document.nodes, lookup, reference.node, reference.output);
  if (from === DataType.DT_INVALID || slot.dtype === DataType.DT_INVALID)
    return refused("The dtypes are not known.");
  const cast: NodeDef = {
    ...NodeDef.fromPartial({ name: uniqueName("Cast", document.nodes), op: "Cast", device: before.device }),
    input: [text],
    attr: new Map([
      ["SrcT", { value: { $case: "type", value: from } }],
      ["DstT", { value: { $case: "type", value: slot.dtype } }],
      ["Truncate", { value: { $case: "b", value: false } }],
    ]),
  };
  const after = { ...before, input: before.input.with(input, cast.name) };
  const source = document.layout.get(reference.node);
  const target = document.layout.get(name);
  // Without positions the window arranges the new node with the others.
  const middle = source && target && { x: (source.x + target.x) / 2, y: Math.max(source.y, target.y) + 92 };
  return edit({
    label: `Insert ${cast.name} before ${name}`,
    operations: [
      {
        type: "nodes",
        changes: [
          { before, after, index: 0 },
          { after: cast, index: document.nodes.size },
        ],
      },
      ...(middle ? [{ type: "layout" as const, moves: [{ node: cast.name, to: middle }] }] : []),
    ],
  });
}
