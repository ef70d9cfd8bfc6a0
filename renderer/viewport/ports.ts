/** Ports of a node as the canvas draws them, and their ids. Pure. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { type DTypeKind, dtypeKind, dtypeOf } from "../../worker-runtime/protocol/dtype.js";
import type { InputEnd, OutputEnd } from "../document/edits/connect.js";
import { nodeHeight } from "../document/node-size.js";
import { dataInputs, type OpLookup, type Slot, signatureOf } from "../document/signature.js";
import { texts } from "../texts/texts.js";

/** circle: floats and text. square: integers and truth. diamond: references and resources. */
export type PortShape = "circle" | "square" | "diamond";

export interface Port {
  /** "i0", "o1", "grow", "control-in", "control-out". */
  readonly id: string;
  readonly label: string;
  readonly dtype: DataType;
  readonly shape: PortShape;
}

export interface Ports {
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  readonly grow: Port | undefined;
  readonly height: number;
}

const SQUARE: ReadonlySet<DTypeKind> = new Set(["int", "uint", "long", "bool"]);

function portShape(dtype: DataType, isRef: boolean): PortShape {
  if (isRef || dtype === DataType.DT_RESOURCE || dtype === DataType.DT_VARIANT) return "diamond";
  if (dtype === DataType.DT_INVALID) return "circle";
  return SQUARE.has(dtypeKind(dtypeOf(dtype))) ? "square" : "circle";
}

function port(prefix: "i" | "o", slot: Slot): Port {
  return {
    id: `${prefix}${slot.index}`,
    label: slot.label,
    dtype: slot.dtype,
    shape: portShape(slot.dtype, slot.isRef),
  };
}

function unknownPort(prefix: "i" | "o", index: number): Port {
  return { id: `${prefix}${index}`, label: String(index), dtype: DataType.DT_INVALID, shape: "circle" };
}

/** @param usedOutputs how many outputs others read, for ops that are not known */
export function portsOf(node: NodeDef, lookup: OpLookup, usedOutputs: number): Ports {
  const signature = signatureOf(node, lookup);
  const connected = dataInputs(node).length;
  const inputs = signature ? signature.inputs.map((slot) => port("i", slot)) : [];
  const outputs = signature ? signature.outputs.map((slot) => port("o", slot)) : [];
  // A file may hold more edges than the op takes; they are drawn, and validation complains.
  for (let index = inputs.length; index < connected; index++) inputs.push(unknownPort("i", index));
  for (let index = outputs.length; index < usedOutputs; index++) outputs.push(unknownPort("o", index));
  const grow: Port | undefined = signature?.growing && {
    id: "grow",
    label: texts.viewport.ports.oneMore({ argument: signature.growing.arg.name }),
    dtype: DataType.DT_INVALID,
    shape: "circle",
  };
  return { inputs, outputs, grow, height: drawnHeight(node, lookup, usedOutputs) };
}

/** The height of a node with all its ports. */
export function drawnHeight(node: NodeDef, lookup: OpLookup, usedOutputs: number): number {
  const signature = signatureOf(node, lookup);
  const inputs = Math.max(signature?.inputs.length ?? 0, dataInputs(node).length);
  const outputs = Math.max(signature?.outputs.length ?? 0, usedOutputs);
  return nodeHeight(Math.max(inputs + (signature?.growing ? 1 : 0), outputs));
}

export function inputEnd(node: string, portId: string): InputEnd {
  if (portId === "grow") return { node, input: "grow" };
  return { node, input: portId === "control-in" ? "control" : Number(portId.slice(1)) };
}

export function outputEnd(node: string, portId: string): OutputEnd {
  return { node, output: portId === "control-out" ? -1 : Number(portId.slice(1)) };
}
