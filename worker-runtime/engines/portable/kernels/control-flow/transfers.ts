import { invalidArgument } from "../../../../protocol/status.js";
import type { Value } from "../../values.js";
import type { KernelDefinition, OpContext, Outputs } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import type { OpFacts } from "../op-facts.js";
import { anyType, cppTypeName } from "../support/dtypes.js";

const NO_OUTPUTS: Outputs = [];
const DEAD: Outputs = [undefined];
const HEX_DIGITS_OF_64_BITS = 16;

/** The constant part of a rendezvous key: everything except frame and iteration. */
function keyPrefix(node: KernelNode): string {
  // The attribute is signed, the key is not.
  const incarnation = BigInt.asUintN(64, node.long("send_device_incarnation"))
    .toString(16)
    .padStart(HEX_DIGITS_OF_64_BITS, "0");
  return [
    node.string("send_device"),
    incarnation,
    node.string("recv_device"),
    node.string("tensor_name"),
  ].join(";");
}

/**
 * Client-terminated transfers carry feeds and fetches. The client does not know about loops, so their keys are always
 * those of the root frame.
 */
function keyMaker(node: KernelNode): (context: OpContext) => string {
  const prefix = keyPrefix(node);
  const atRoot = `${prefix};0:0`;
  if (node.has("client_terminated") && node.bool("client_terminated")) {
    return () => atRoot;
  }
  return ({ frameId, iteration }) =>
    frameId === 0n && iteration === 0 ? atRoot : `${prefix};${frameId}:${iteration}`;
}

/** Puts its input into the rendezvous; a dead node has no input and tells the receiver so. */
function makeSend(node: KernelNode): (context: OpContext) => Outputs {
  const keyOf = keyMaker(node);
  return (context) => {
    const value: Value | undefined = context.inputs[0];
    const sent = value === undefined ? ({ isDead: true } as const) : ({ isDead: false, value } as const);
    context.step.rendezvous.send(keyOf(context), sent);
    return NO_OUTPUTS;
  };
}

/** Waits for the value that the other side sends; the output is dead if that value is. */
function makeRecv(node: KernelNode): (context: OpContext) => Promise<Outputs> {
  const keyOf = keyMaker(node);
  const dtype = node.type("tensor_type");
  return async (context) => {
    const sent = await context.step.rendezvous.recv(keyOf(context), context.step.signal);
    if (sent.isDead) {
      return DEAD;
    }
    if (sent.value.dtype !== dtype) {
      throw invalidArgument(
        `Received tensor of type ${cppTypeName(sent.value.dtype)} does not match declared type ${cppTypeName(dtype)}.`,
      );
    }
    return [sent.value];
  };
}

const sends: OpFacts = { neverWaits: true };
const receives: OpFacts = { leavesDead: true };

export const transferKernels: readonly KernelDefinition[] = [
  { kind: "stateful", op: "_Send", types: { T: anyType }, facts: sends, create: makeSend },
  { kind: "stateful", op: "_HostSend", types: { T: anyType }, facts: sends, create: makeSend },
  { kind: "stateful", op: "_Recv", types: { tensor_type: anyType }, facts: receives, create: makeRecv },
  { kind: "stateful", op: "_HostRecv", types: { tensor_type: anyType }, facts: receives, create: makeRecv },
];
