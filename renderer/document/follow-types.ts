/** Type attributes follow the connections: after an edit, T of each op becomes the dtype its inputs agree on. */
import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { allowedTypes, dataInputs, type OpLookup, type Slot, signatureOf } from "./signature.js";
import { parseInput } from "./tensor-names.js";

/** The base dtype of an output; DT_INVALID when the node or its op is not known. */
export function outputType(
  nodes: { get(name: string): NodeDef | undefined },
  lookup: OpLookup,
  name: string,
  output: number,
): DataType {
  const node = nodes.get(name);
  const slot = node && signatureOf(node, lookup)?.outputs[output];
  return slot?.dtype ?? DataType.DT_INVALID;
}

/** An edit in the making: nodes changed so far above the document's. */
export class Draft {
  readonly #changed = new Map<string, NodeDef>();
  constructor(readonly original: ReadonlyMap<string, NodeDef>) {}

  get(name: string): NodeDef | undefined {
    return this.#changed.get(name) ?? this.original.get(name);
  }

  set(node: NodeDef): void {
    this.#changed.set(node.name, node);
  }

  /** Nodes of the original that differ now. */
  *replaced(): Generator<readonly [NodeDef, NodeDef]> {
    for (const [name, after] of this.#changed) {
      const before = this.original.get(name);
      if (before && before !== after) yield [before, after];
    }
  }
}

/** Cycles of loops could change types forever; a node is visited no more often than this. */
const MAX_VISITS = 8;

/**
 * Sets the type attributes of `start` and of what comes after it from their connected inputs.
 * @param consumers names of the nodes that read a node
 */
export function followTypes(
  draft: Draft,
  lookup: OpLookup,
  start: Iterable<string>,
  consumers: (name: string) => Iterable<string>,
): void {
  const visits = new Map<string, number>();
  const open = [...start];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const count = (visits.get(name) ?? 0) + 1;
    visits.set(name, count);
    const node = draft.get(name);
    if (!node || count > MAX_VISITS) continue;
    const typed = withFollowedTypes(node, draft, lookup);
    if (typed === node) continue;
    draft.set(typed);
    open.push(...consumers(name));
  }
}

function withFollowedTypes(node: NodeDef, draft: Draft, lookup: OpLookup): NodeDef {
  const signature = signatureOf(node, lookup);
  if (!signature) return node;
  const connected = connectedTypes(node, signature.inputs, draft, lookup);
  const attr = new Map<string, AttrValue>();
  for (const name of new Set(signature.inputs.map(({ arg }) => arg.typeAttr).filter((text) => text !== ""))) {
    const types = new Set(
      signature.inputs
        .filter(({ arg }) => arg.typeAttr === name)
        .flatMap(({ index }) => connected.get(index) ?? []),
    );
    const [dtype] = types;
    const current = node.attr.get(name)?.value;
    if (types.size !== 1 || dtype === undefined || (current?.$case === "type" && current.value === dtype))
      continue;
    if (allowedTypes(signature.opDef, name)?.includes(dtype) === false) continue;
    attr.set(name, { value: { $case: "type", value: dtype } });
  }
  for (const { name, typeListAttr } of signature.opDef.inputArg) {
    const current = node.attr.get(typeListAttr)?.value;
    if (typeListAttr === "" || current?.$case !== "list") continue;
    const slots = signature.inputs.filter(({ arg }) => arg.name === name);
    const type = slots.map(({ index, dtype }) => connected.get(index) ?? dtype);
    if (type.some((dtype, position) => dtype !== current.value.type[position])) {
      attr.set(typeListAttr, { value: { $case: "list", value: { ...current.value, type } } });
    }
  }
  return attr.size === 0 ? node : { ...node, attr: new Map([...node.attr, ...attr]) };
}

function connectedTypes(
  node: NodeDef,
  inputs: readonly Slot[],
  draft: Draft,
  lookup: OpLookup,
): Map<number, DataType> {
  const result = new Map<number, DataType>();
  const texts = dataInputs(node);
  for (const { index } of inputs) {
    const reference = parseInput(texts[index] ?? "");
    if (reference.kind !== "data") continue;
    const dtype = outputType(draft, lookup, reference.node, reference.output);
    if (dtype !== DataType.DT_INVALID) result.set(index, dtype);
  }
  return result;
}
