import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { dtypeName } from "../../../worker-runtime/protocol/dtype.js";
import { texts } from "../../texts/texts.js";
import { Draft, followTypes, outputType } from "../follow-types.js";
import { type GraphDocument, MISSING_INPUT } from "../model.js";
import { replaceNodes } from "../operations.js";
import {
  allowedTypes,
  attrOrDefault,
  controlInputs,
  dataInputs,
  growsAlone,
  type OpLookup,
  type Slot,
  signatureOf,
} from "../signature.js";
import { dataInput, parseInput } from "../tensor-names.js";
import { closesCircle, wiringOf } from "../wiring.js";
import { type EditResult, edit, refused } from "./types.js";

const words = texts.document.edits.connect;

/** -1: the control output. */
export interface OutputEnd {
  readonly node: string;
  readonly output: number;
}

/** control: a control dependency. grow: one more input of an argument of variable length. */
export interface InputEnd {
  readonly node: string;
  readonly input: number | "control" | "grow";
}

/** Why the two ends cannot be connected; undefined: they can. */
export function whyNotConnect(
  document: Pick<GraphDocument, "nodes">,
  lookup: OpLookup,
  from: OutputEnd,
  to: InputEnd,
): string | undefined {
  const consumer = document.nodes.get(to.node);
  const producer = document.nodes.get(from.node);
  if (!consumer || !producer) return words.nodeGone;
  if (from.node === to.node) return words.ownOutput;
  const isControl = to.input === "control";
  if (isControl !== from.output < 0) {
    return isControl ? words.onlyControl : words.controlPort;
  }
  if (closesCircle(document.nodes, from.node, to.node)) {
    return words.cycle({ from: from.node, to: to.node });
  }
  if (isControl) {
    return controlInputs(consumer).includes(`^${from.node}`) ? words.already : undefined;
  }
  const signature = signatureOf(consumer, lookup);
  if (!signature) return words.inputsNotKnown({ op: consumer.op });
  const dtype = outputType(document.nodes, lookup, from.node, from.output);
  if (dtype === DataType.DT_INVALID) return words.noDtype({ op: producer.op });
  const isRef = signatureOf(producer, lookup)?.outputs[from.output]?.isRef ?? false;
  if (to.input === "grow") {
    const { growing } = signature;
    if (!growing) return words.noMoreInputs({ op: consumer.op });
    if (growing.arg.typeListAttr !== "") return notAllowed(consumer, growing.arg.typeListAttr, dtype, lookup);
    return whyNotType(
      document,
      lookup,
      consumer,
      { arg: growing.arg, index: -1, isRef: false },
      dtype,
      isRef,
    );
  }
  const slot = signature.inputs[to.input as number];
  if (!slot) return words.noInput({ node: consumer.name, input: String(to.input) });
  if (dataInputs(consumer)[slot.index] === dataInput(from.node, from.output)) return words.already;
  return whyNotType(document, lookup, consumer, slot, dtype, isRef);
}

function whyNotType(
  document: Pick<GraphDocument, "nodes">,
  lookup: OpLookup,
  consumer: NodeDef,
  slot: Pick<Slot, "arg" | "index" | "isRef">,
  dtype: DataType,
  isRef: boolean,
): string | undefined {
  const { arg } = slot;
  if (slot.isRef && !isRef) return words.needsReference({ argument: arg.name });
  if (arg.type !== DataType.DT_INVALID) {
    return arg.type === dtype
      ? undefined
      : words.takes({ taker: arg.name, wanted: dtypeName(arg.type), given: dtypeName(dtype) });
  }
  const name = arg.typeAttr || arg.typeListAttr;
  const excluded = notAllowed(consumer, name, dtype, lookup);
  if (excluded || arg.typeAttr === "") return excluded;
  const inputs = dataInputs(consumer);
  for (const other of signatureOf(consumer, lookup)?.inputs ?? []) {
    if (other.index === slot.index || other.arg.typeAttr !== name) continue;
    const reference = parseInput(inputs[other.index] ?? MISSING_INPUT);
    if (reference.kind !== "data") continue;
    const bound = outputType(document.nodes, lookup, reference.node, reference.output);
    if (bound !== DataType.DT_INVALID && bound !== dtype) {
      return words.bound({
        attribute: name,
        dtype: dtypeName(bound),
        input: other.label,
        given: dtypeName(dtype),
      });
    }
  }
  return undefined;
}

function notAllowed(consumer: NodeDef, attr: string, dtype: DataType, lookup: OpLookup): string | undefined {
  const opDef = lookup(consumer.op);
  const allowed = opDef && allowedTypes(opDef, attr);
  if (!allowed || allowed.includes(dtype)) return undefined;
  return words.takes({
    taker: consumer.op,
    wanted: allowed.map(dtypeName).join(", "),
    given: dtypeName(dtype),
  });
}

/** Connects two ports; an input that was connected before is replaced. Types of the consumer follow. */
export function connect(
  document: GraphDocument,
  lookup: OpLookup,
  from: OutputEnd,
  to: InputEnd,
): EditResult {
  const reason = whyNotConnect(document, lookup, from, to);
  if (reason) return refused(reason);
  const consumer = document.nodes.get(to.node);
  if (!consumer) return refused(words.nodeGone);
  const draft = new Draft(document.nodes);
  draft.set(withInput(consumer, lookup, from, to.input));
  const wiring = wiringOf(document.nodes);
  followTypes(draft, lookup, [to.node], (name) => (wiring.outgoing.get(name) ?? []).map((edge) => edge.to));
  return edit({
    label: words.label({ from: from.node, to: to.node }),
    operations: replaceNodes(draft.replaced()),
  });
}

/** The node with the edge in its input list; attributes that count or type its inputs grow with it. */
export function withInput(
  node: NodeDef,
  lookup: OpLookup,
  from: OutputEnd,
  input: InputEnd["input"],
): NodeDef {
  if (input === "control") return { ...node, input: [...node.input, `^${from.node}`] };
  const data = [...dataInputs(node)];
  if (input !== "grow") {
    while (data.length < input) data.push(MISSING_INPUT);
    data[input] = dataInput(from.node, from.output);
    return { ...node, input: [...data, ...controlInputs(node)] };
  }
  const signature = signatureOf(node, lookup);
  if (!signature?.growing) return node;
  const { arg, at } = signature.growing;
  data.splice(at, 0, dataInput(from.node, from.output));
  const attr = new Map(node.attr);
  if (arg.numberAttr !== "") {
    const count = attrOrDefault(node, signature.opDef, arg.numberAttr)?.value;
    attr.set(arg.numberAttr, {
      value: { $case: "i", value: (count?.$case === "i" ? count.value : 0n) + 1n },
    });
  } else {
    const types = attrOrDefault(node, signature.opDef, arg.typeListAttr)?.value;
    if (types?.$case === "list") {
      const type = [...types.value.type, DataType.DT_FLOAT];
      attr.set(arg.typeListAttr, { value: { $case: "list", value: { ...types.value, type } } });
    }
  }
  return { ...node, input: [...data, ...controlInputs(node)], attr };
}

/** Removes edges. A data input stays as a missing one, a control input is removed. */
export function disconnect(
  document: GraphDocument,
  ends: readonly { readonly node: string; readonly input: number }[],
): EditResult {
  const byNode = new Map<string, Set<number>>();
  for (const { node, input } of ends) byNode.set(node, (byNode.get(node) ?? new Set()).add(input));
  const pairs: [NodeDef, NodeDef][] = [];
  for (const [name, inputs] of byNode) {
    const before = document.nodes.get(name);
    if (!before) continue;
    const input = before.input.flatMap((text, index) => {
      if (!inputs.has(index)) return [text];
      return text.startsWith("^") ? [] : [MISSING_INPUT];
    });
    pairs.push([before, { ...before, input }]);
  }
  if (pairs.length === 0) return refused(words.noEdge);
  const label =
    ends.length === 1
      ? words.disconnect({ node: ends[0]?.node ?? "" })
      : words.disconnectEdges({ count: ends.length });
  return edit({ label, operations: replaceNodes(pairs) });
}

/** Takes one input of variable length away together with its slot. */
export function removeSlot(
  document: GraphDocument,
  lookup: OpLookup,
  name: string,
  index: number,
): EditResult {
  const before = document.nodes.get(name);
  const signature = before && signatureOf(before, lookup);
  const slot = signature?.inputs[index];
  if (!before || !signature || !slot) return refused(words.inputGone);
  const attrName = slot.arg.numberAttr || slot.arg.typeListAttr;
  if (!growsAlone(signature.opDef, slot.arg))
    return refused(words.fixedInput({ op: before.op, input: slot.label }));
  const value = attrOrDefault(before, signature.opDef, attrName)?.value;
  const definition = signature.opDef.attr.find((attr) => attr.name === attrName);
  const count = signature.inputs.filter(({ arg }) => arg === slot.arg).length;
  if (definition?.hasMinimum && count <= Number(definition.minimum)) {
    return refused(
      words.needsAtLeast({ op: before.op, minimum: Number(definition.minimum), argument: slot.arg.name }),
    );
  }
  const attr = new Map(before.attr);
  if (value?.$case === "i") attr.set(attrName, { value: { $case: "i", value: value.value - 1n } });
  if (value?.$case === "list") {
    const type = value.value.type.filter((_, position) => position !== slot.position);
    attr.set(attrName, { value: { $case: "list", value: { ...value.value, type } } });
  }
  const after = { ...before, input: before.input.toSpliced(index, 1), attr };
  return edit({
    label: words.removeInput({ input: slot.label, node: name }),
    operations: replaceNodes([[before, after]]),
  });
}
