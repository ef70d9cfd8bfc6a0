import type { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { roleOf } from "../../graph/structural-ops.js";
import { userNodeName } from "./node-names.js";

/** The device on which a node of the user's graph runs. */
export interface NodePlacement {
  readonly node: string;
  readonly op: string;
  /** The full name: "/job:worker/replica:0/task:0/device:CPU:0". */
  readonly device: string;
}

/**
 * Where the nodes of a graph run, from a step's `RunMetadata.partition_graphs` (RunOptions.output_partition_graphs), in
 * the order of the graph. Nodes that the step did not need are not included; nodes that TensorFlow folded away are
 * included only with `unoptimizedConfig`.
 */
export function placementOf(partitions: readonly GraphDef[], graph: GraphDef): NodePlacement[] {
  const ops = new Map(graph.node.map((node) => [node.name, node.op]));
  const known = new Set(ops.keys());
  const devices = new Map<string, string>();
  for (const { node: nodes } of partitions) {
    for (const { name, op, device } of nodes) {
      if (roleOf(op) === "transfer" || device === "") continue;
      const node = known.has(name) ? name : userNodeName(name, known);
      // A node with the user's own name takes precedence over one derived from it.
      if (node !== undefined && (node === name || !devices.has(node))) devices.set(node, device);
    }
  }
  return graph.node.flatMap(({ name, op }) => {
    const device = devices.get(name);
    return device === undefined ? [] : [{ node: name, op, device }];
  });
}

/** A placement in the format of TensorFlow's log: "x: (AddV2): /job:worker/replica:0/task:0/device:CPU:0". */
export function placementLine({ node, op, device }: NodePlacement): string {
  return `${node}: (${op}): ${device}`;
}
