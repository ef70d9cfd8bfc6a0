import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../../protos/generated/tensorflow/types.js";
import { parseDeviceName } from "../../../cluster/device-name.js";
import { parseEdge } from "../../../graph/edge.js";
import type { OpRegistry } from "../../../graph/op-registry.js";

/** Ops that hand a handle on as it is, from their first input. */
const PASSED_ON: ReadonlySet<string> = new Set([
  "Enter",
  "Exit",
  "Identity",
  "NextIteration",
  "Switch",
  "_SwitchN",
]);

/** Whether a device name says more of where a node runs than the kind of device. */
export function namesTask({ device }: NodeDef): boolean {
  return askedTask(device) !== undefined;
}

/**
 * Whether a node is given variables, or other resources, that were asked to be on different tasks. A function with such
 * arguments cannot run on any task as a whole.
 * @param nodeOf the nodes of the graph by name
 * @param resolve what is to be taken for an entry of NodeDef.input
 */
export function usesSeveralTasks(
  node: NodeDef,
  nodeOf: (name: string) => NodeDef | undefined,
  resolve: (input: string) => string,
  ops: OpRegistry,
): boolean {
  const tasks = new Set<string>();
  for (const input of node.input) {
    const task = taskOfHandle(input, nodeOf, resolve, ops);
    if (task !== undefined) {
      tasks.add(task);
    }
  }
  return tasks.size > 1;
}

function taskOfHandle(
  input: string,
  nodeOf: (name: string) => NodeDef | undefined,
  resolve: (input: string) => string,
  ops: OpRegistry,
): string | undefined {
  const seen = new Set<string>();
  for (let edge = parseEdge(resolve(input)); !edge.control && !seen.has(edge.node); ) {
    seen.add(edge.node);
    const source = nodeOf(edge.node);
    if (source === undefined) {
      return undefined;
    }
    if (!PASSED_ON.has(source.op)) {
      const isHandle = ops.get(source.op)?.outputArg[0]?.type === DataType.DT_RESOURCE;
      return isHandle ? askedTask(source.device) : undefined;
    }
    const [first] = source.input;
    if (first === undefined) {
      return undefined;
    }
    edge = parseEdge(resolve(first));
  }
  return undefined;
}

/** "job/task" of what a device name says of them; undefined where it says nothing. */
function askedTask(device: string): string | undefined {
  if (device === "") {
    return undefined;
  }
  const { job, task } = parseDeviceName(device);
  return job === undefined && task === undefined ? undefined : `${job ?? "*"}/${task ?? "*"}`;
}
