/**
 * Ops that give a graph its structure: loops, branches, functions and transfers. What they are is part of TensorFlow's graph
 * language, whichever engine runs it, so it is said here once for all who read graphs: the window, the client's session, and
 * the portable engine, whose kernels take their facts from here.
 */

/**
 * The part that the nodes of an op play in the rules by which a step proceeds; "plain" for all that just waits for all of
 * its inputs.
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

/** What an op is to the structure of a graph. What is not given does not hold. */
export interface OpStructure {
  /** "plain" unless given. */
  readonly role?: NodeRole;
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
  ["_Send", { role: "transfer" }],
  ["_HostSend", { role: "transfer" }],
  ["_Recv", { role: "transfer" }],
  ["_HostRecv", { role: "transfer" }],
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

/** The names of the ops with a structure of their own. */
export const structuralOpNames: readonly string[] = [...structuralOps.keys()];

/** What an op is to the structure of a graph; nothing for most. */
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
