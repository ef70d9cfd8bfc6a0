import type { AttrValue } from "../../../../protos/generated/tensorflow/attr_value.js";
import type { DataType } from "../../../../protos/generated/tensorflow/types.js";
import { stringAttr, typeAttr } from "../../../graph/attr-values.js";

const ROOT_FRAME = "0:0";

/** A transfer of a tensor from one device to another. */
export interface Transfer {
  /** "edge_12_x", or for feeds and fetches the name as the client wrote it. */
  readonly tensorName: string;
  readonly sendDevice: string;
  /** The incarnation of the sending device, unsigned. */
  readonly incarnation: bigint;
  readonly recvDevice: string;
  /** The base type of the tensor. */
  readonly dataType: DataType;
  /** One end is the client, through the master: a feed or a fetch. */
  readonly clientTerminated: boolean;
}

/** The attributes of a _Send. */
export function sendAttrs(transfer: Transfer): [string, AttrValue][] {
  return [["T", typeAttr(transfer.dataType)], ...commonAttrs(transfer)];
}

/** The attributes of a _Recv. */
export function recvAttrs(transfer: Transfer): [string, AttrValue][] {
  return [["tensor_type", typeAttr(transfer.dataType)], ...commonAttrs(transfer)];
}

function commonAttrs(transfer: Transfer): [string, AttrValue][] {
  return [
    ["tensor_name", stringAttr(transfer.tensorName)],
    ["send_device", stringAttr(transfer.sendDevice)],
    // An int64 on the wire: the same bits as a signed number.
    ["send_device_incarnation", { value: { $case: "i", value: BigInt.asIntN(64, transfer.incarnation) } }],
    ["recv_device", stringAttr(transfer.recvDevice)],
    ["client_terminated", { value: { $case: "b", value: transfer.clientTerminated } }],
  ];
}

/** The rendezvous key of a feed or a fetch: these are never inside a loop. */
export function clientKey({ sendDevice, incarnation, recvDevice, tensorName }: Transfer): string {
  const hex = incarnation.toString(16).padStart(16, "0");
  return [sendDevice, hex, recvDevice, tensorName, ROOT_FRAME].join(";");
}
