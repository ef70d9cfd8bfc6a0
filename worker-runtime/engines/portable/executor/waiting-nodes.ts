import { taskDeviceName, taskOfDevice } from "../../../cluster/device-name.js";
import { TensorFlowError } from "../../../protocol/status.js";
import { ObjectTensor, RefValue, type Value } from "../values.js";
import type { CompiledNode } from "./compiled-node.js";
import type { PendingNode } from "./step-state.js";

/** Further nodes are counted, not named: a step may wait at thousands. */
const MAX_NAMED = 8;

/** The heading of the section of an error that names the nodes for which a step waited when it ended. */
const HEADING = "Nodes that wait:";

/** A node that was started and has not finished, as a sentence without its end: "{{node x}} (Recv) for …". */
export function waitingNode(node: CompiledNode, inputs: readonly (Value | undefined)[]): string {
  return `{{node ${node.node.name}}} (${node.node.op}) waits for ${awaited(node, inputs)}`;
}

/** A node that was never started, with the inputs that did not come. */
export function pendingNode({ node, missing }: PendingNode): string {
  const inputs = missing.length === 0 ? "" : `: ${missing.join(", ")}`;
  return `{{node ${node.node.name}}} (${node.node.op}) waits for its inputs${inputs}`;
}

/** Whether a node waits for the nodes of a function, which report themselves what they wait for. */
export function callsFunction({ node }: CompiledNode): boolean {
  return node.opDef.attr.some(({ type }) => type === "func" || type === "list(func)");
}

function awaited({ node, role, work, device }: CompiledNode, inputs: readonly (Value | undefined)[]): string {
  if (work.kind === "pure" || work.kind === "region") {
    return "a compute thread";
  }
  if (role === "transfer" && node.has("tensor_name")) {
    const tensor = `"${node.string("tensor_name")}"`;
    if (node.has("client_terminated") && node.bool("client_terminated")) {
      return `${tensor}, which the client feeds`;
    }
    const task = taskOfDevice(node.string("send_device"));
    return `${tensor}, which ${task === undefined ? node.string("send_device") : taskDeviceName(task)} sends`;
  }
  if (node.has("group_key") && node.has("instance_key")) {
    return `the other members of group ${node.int("group_key")} in instance ${node.int("instance_key")}`;
  }
  for (const input of inputs) {
    if (input instanceof RefValue) {
      return `"${input.cell.name}"`;
    }
    const element = input instanceof ObjectTensor ? input.elements[0] : undefined;
    if (element !== undefined && "name" in element) {
      // "tensorflow::QueueInterface"
      const kind = element.typeName.replace(/^.*::|Interface$/g, "");
      return `the ${kind} "${element.name}" of ${element.device}`;
    }
  }
  const shared = node.has("shared_name") ? node.string("shared_name") : "";
  return shared === "" ? `what its kernel on ${device} waits for` : `"${shared}" of ${device}`;
}

/** An error with the first few nodes that its step waits for; unchanged if there are none or it already names some. */
export function withWaitingNodes(error: TensorFlowError, nodes: readonly string[]): TensorFlowError {
  if (nodes.length === 0 || error.message.includes(HEADING)) {
    return error;
  }
  return new TensorFlowError(error.code, `${error.message}\n${section(nodes)}`, {
    task: error.task,
    payloads: error.payloads,
    cause: error.cause ?? error,
  });
}

function section(nodes: readonly string[]): string {
  const more = nodes.length > MAX_NAMED ? [`and ${nodes.length - MAX_NAMED} more`] : [];
  return [HEADING, ...nodes.slice(0, MAX_NAMED), ...more].join("\n  ");
}

/** The text of an error that another task reads, whose nodes wait for others. */
export function withoutWaitingNodes(message: string): string {
  const start = message.indexOf(`\n${HEADING}\n`);
  return start < 0 ? message : message.slice(0, start);
}

/** The waiting nodes that a task's error names, as lines of text; none for an error without them. */
export function waitingNodesOf(message: string): readonly string[] {
  const start = message.indexOf(`${HEADING}\n`);
  if (start < 0) {
    return [];
  }
  const lines = message.slice(start).split("\n").slice(1);
  const end = lines.findIndex((line) => !line.startsWith("  "));
  return (end < 0 ? lines : lines.slice(0, end)).map((line) => line.trim());
}
