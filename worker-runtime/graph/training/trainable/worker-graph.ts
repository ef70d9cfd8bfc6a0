/** The graph of one worker in between-graph replication: the same for all, but for where its nodes run. */
import type { GraphDef } from "../../../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import { formatDeviceName, type TaskName, tryParseDeviceName } from "../../../cluster/device-name.js";
import { colocatedNodes } from "../../colocation-groups.js";
import { indexOf, readersOf } from "../../graph-index.js";
import { isTable, isVariable } from "../../initialisers.js";
import { withSeeds } from "./copy-nodes.js";

/** Ops whose state all workers share, besides variables and tables. */
const SHARED_OPS: ReadonlySet<string> = new Set(["ConditionalAccumulator"]);

/**
 * Nodes that compute are put on the worker: those that are pinned to no job, or to any task of the worker's. Variables, tables,
 * and what reads, assigns or is colocated with them, stay where they are. Random nodes get seeds of their own.
 *
 * @param number of the worker among those that train, from 0
 */
export function workerGraph(graphDef: GraphDef, task: TaskName, number: number): GraphDef {
  const nodes = new Map(graphDef.node.map((node) => [node.name, node]));
  const shared = sharedNodes(nodes);
  return {
    ...graphDef,
    node: graphDef.node.map((node) => {
      if (shared.has(node.name)) return node;
      const parts = tryParseDeviceName(node.device);
      if (!parts || (parts.job !== undefined && parts.job !== task.job)) return node;
      const { type, index } = parts;
      return {
        ...node,
        device: formatDeviceName({ job: task.job, task: task.index, type, index }),
        attr: number === 0 ? node.attr : withSeeds(node.attr, number),
      };
    }),
  };
}

/** The parts that all workers share. */
function sharedNodes(nodes: ReadonlyMap<string, NodeDef>): ReadonlySet<string> {
  const index = indexOf(nodes);
  const shared = new Set<string>();
  for (const node of nodes.values()) {
    if (!isVariable(node) && !isTable(node) && !SHARED_OPS.has(node.op)) continue;
    shared.add(node.name);
    for (const reader of readersOf(index, node.name)) if (reader.output === 0) shared.add(reader.node);
  }
  const states = new Set(shared);
  for (const { name, attr } of nodes.values()) {
    if (colocatedNodes(attr).some((other) => states.has(other))) shared.add(name);
  }
  return shared;
}
