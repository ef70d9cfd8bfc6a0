import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../../protos/generated/tensorflow/types.js";
import { parseDeviceName } from "../../../cluster/device-name.js";
import { parseEdge } from "../../../graph/edge.js";
import type { OpRegistry } from "../../../graph/op-registry.js";
import type { OpFactsSource } from "../kernels/op-facts.js";

/** The ops of a graph, including its functions, and what is known about them. */
export interface KnownOps {
  readonly ops: OpRegistry;
  readonly facts: OpFactsSource;
}

/** Whether a device name restricts more than the type of the device. */
export function namesTask({ device }: NodeDef): boolean {
  return askedTask(device) !== undefined;
}

/**
 * Whether the inputs of a node include variables, or other resources, that were requested on different tasks. A
 * function with such arguments cannot run on one task as a whole.
 * @param nodeOf the nodes of the graph by name
 * @param resolve the replacement of an entry of NodeDef.input
 */
export function usesSeveralTasks(
  node: NodeDef,
  nodeOf: (name: string) => NodeDef | undefined,
  resolve: (input: string) => string,
  known: KnownOps,
): boolean {
  const tasks = new Set<string>();
  for (const input of node.input) {
    const task = taskOfHandle(input, nodeOf, resolve, known);
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
  known: KnownOps,
): string | undefined {
  const seen = new Set<string>();
  for (let edge = parseEdge(resolve(input)); !edge.control && !seen.has(edge.node); ) {
    seen.add(edge.node);
    const source = nodeOf(edge.node);
    if (source === undefined) {
      return undefined;
    }
    if (!known.facts.facts(source.op).passesHandle) {
      const isHandle = known.ops.get(source.op)?.outputArg[0]?.type === DataType.DT_RESOURCE;
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

/** "job/task" of a device name; undefined if it names neither. */
function askedTask(device: string): string | undefined {
  if (device === "") {
    return undefined;
  }
  const { job, task } = parseDeviceName(device);
  return job === undefined && task === undefined ? undefined : `${job ?? "*"}/${task ?? "*"}`;
}
