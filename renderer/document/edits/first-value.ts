import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { COLOCATION_ATTR } from "../../../worker-runtime/graph/colocation-groups.js";
import { filledProto, zeroOf } from "../../../worker-runtime/graph/constant-proto.js";
import { dtypeKind, dtypeOf } from "../../../worker-runtime/protocol/dtype.js";
import { texts } from "../../texts/texts.js";
import { COLUMN_GAP, ROW_GAP } from "../layout.js";
import type { GraphDocument, Point } from "../model.js";
import { NODE_MAX_WIDTH, NODE_MIN_HEIGHT, roughHeight } from "../node-size.js";
import type { Operation } from "../operations.js";
import type { OpLookup } from "../signature.js";
import { uniqueName } from "../tensor-names.js";
import { newNode } from "./add.js";
import { type EditResult, edit, refused } from "./types.js";

const words = texts.document.edits.firstValue;

/** Gives variables a first value of zeros (false, empty text): a Const and the node that assigns it, for each. */
export function giveFirstValue(
  document: GraphDocument,
  lookup: OpLookup,
  variables: readonly string[],
): EditResult {
  const added: NodeDef[] = [];
  const places: { readonly node: string; readonly to: Point }[] = [];
  const taken = new Set(document.nodes.keys());
  let y = bottomOf(document) + ROW_GAP;
  for (const name of variables) {
    const variable = document.nodes.get(name);
    if (!variable) return refused(texts.document.edits.common.noNode({ node: name }));
    const made = nodesFor(variable, lookup, taken);
    if (typeof made === "string") return refused(made);
    const [value, assign] = made;
    added.push(value, assign);
    const x = document.layout.get(name)?.x ?? 0;
    places.push(
      { node: value.name, to: { x, y } },
      { node: assign.name, to: { x: x + NODE_MAX_WIDTH + COLUMN_GAP, y } },
    );
    y += NODE_MIN_HEIGHT + ROW_GAP;
  }
  if (added.length === 0) return refused(words.none);
  const operations: Operation[] = [
    {
      type: "nodes",
      changes: added.map((after, index) => ({ after, index: document.nodes.size + index })),
    },
    { type: "layout", moves: places },
  ];
  const [first] = variables;
  const label =
    variables.length === 1
      ? words.label({ variable: first ?? "" })
      : words.labelForMany({ count: variables.length });
  return edit({ label, operations });
}

function nodesFor(variable: NodeDef, lookup: OpLookup, taken: Set<string>): [NodeDef, NodeDef] | string {
  const isResource = variable.op === "VarHandleOp";
  const constDef = lookup("Const");
  const assignDef = lookup(isResource ? "AssignVariableOp" : "Assign");
  const type = variable.attr.get("dtype");
  const shape = variable.attr.get("shape")?.value;
  if (!constDef || !assignDef || type?.value?.$case !== "type")
    return texts.document.edits.common.opsNotLoaded;
  if (shape?.$case !== "shape" || shape.value.unknownRank || shape.value.dim.some(({ size }) => size < 0n)) {
    return words.noShape({ variable: variable.name });
  }
  const dtype = dtypeOf(type.value.value);
  if (dtypeKind(dtype) === "opaque") return words.opaque({ dtype });
  const sizes = shape.value.dim.map(({ size }) => Number(size));
  const tensor = filledProto(dtype, sizes, zeroOf(dtype));
  const together: AttrValue | undefined = variable.attr.get(COLOCATION_ATTR);
  const name = (suffix: string) => {
    const unique = uniqueName(`${variable.name}/${suffix}`, taken);
    taken.add(unique);
    return unique;
  };
  const bare = newNode(name("initial_value"), constDef);
  const value: NodeDef = {
    ...bare,
    device: variable.device,
    attr: new Map(bare.attr).set("dtype", type).set("value", { value: { $case: "tensor", value: tensor } }),
  };
  const bareAssign = newNode(name("Assign"), assignDef);
  const attr = new Map(bareAssign.attr).set(isResource ? "dtype" : "T", type);
  if (together) attr.set(COLOCATION_ATTR, together);
  const assign = { ...bareAssign, device: variable.device, input: [variable.name, value.name], attr };
  return [value, assign];
}

function bottomOf(document: GraphDocument): number {
  const ends = [...document.nodes.values()].map(
    (node) => (document.layout.get(node.name)?.y ?? 0) + roughHeight(node),
  );
  return ends.length > 0 ? Math.max(...ends) : 0;
}
