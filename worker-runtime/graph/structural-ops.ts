/**
 * Ops that give a graph its structure: loops, branches, functions and transfers. They are part of TensorFlow's graph
 * language, whichever engine runs it, so they are described once for all readers of graphs: the window, the client's
 * session, and the portable engine, whose kernels use these facts.
 */

/**
 * The role of an op's nodes in the rules by which a step proceeds; "plain" for nodes that simply wait for all their
 * inputs.
 */
export type NodeRole =
  | "plain"
  | "merge"
  | "enter"
  | "exit"
  | "next-iteration"
  | "control-trigger"
  | "transfer";

/** How a node calls the functions that its attributes name. */
export type CallKind = "call" | "if" | "case" | "while";

/** The role of an op in the structure of a graph. Omitted properties do not apply. */
export interface OpStructure {
  /** Defaults to "plain". */
  readonly role?: NodeRole;
  /** The end of a transfer between devices that the node is. */
  readonly transfer?: "send" | "receive";
  /** The node is an argument or a result of the function whose body it is in; no kernel runs it. */
  readonly boundary?: "argument" | "result";
  /** The node calls functions that its attributes name. */
  readonly calls?: CallKind;
}

const structuralOps: ReadonlyMap<string, OpStructure> = new Map<string, OpStructure>([
  ["Merge", { role: "merge" }],
  ["RefMerge", { role: "merge" }],
  ["Enter", { role: "enter" }],
  ["RefEnter", { role: "enter" }],
  ["Exit", { role: "exit" }],
  ["RefExit", { role: "exit" }],
  ["NextIteration", { role: "next-iteration" }],
  ["RefNextIteration", { role: "next-iteration" }],
  ["ControlTrigger", { role: "control-trigger" }],
  ["_Send", { role: "transfer", transfer: "send" }],
  ["_HostSend", { role: "transfer", transfer: "send" }],
  ["_Recv", { role: "transfer", transfer: "receive" }],
  ["_HostRecv", { role: "transfer", transfer: "receive" }],
  ["_Arg", { boundary: "argument" }],
  ["_DeviceArg", { boundary: "argument" }],
  ["_Retval", { boundary: "result" }],
  ["_DeviceRetval", { boundary: "result" }],
  ["PartitionedCall", { calls: "call" }],
  ["StatefulPartitionedCall", { calls: "call" }],
  ["If", { calls: "if" }],
  ["StatelessIf", { calls: "if" }],
  ["Case", { calls: "case" }],
  ["StatelessCase", { calls: "case" }],
  ["While", { calls: "while" }],
  ["StatelessWhile", { calls: "while" }],
]);

const NONE: OpStructure = {};

/** The names of the structural ops. */
export const structuralOpNames: readonly string[] = [...structuralOps.keys()];

/** The structure of an op; empty for most ops. */
export function structureOf(op: string): OpStructure {
  return structuralOps.get(op) ?? NONE;
}

/** The role of an op's nodes. */
export function roleOf(op: string): NodeRole {
  return structureOf(op).role ?? "plain";
}

/** Whether an edge between nodes of these ops closes a while loop. */
export function closesLoop(sourceOp: string, targetOp: string): boolean {
  return roleOf(sourceOp) === "next-iteration" && roleOf(targetOp) === "merge";
}
