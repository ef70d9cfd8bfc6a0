/** The transfers of collective operations between tasks: TensorFlow's servers record none of it. */
import type { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { parseEdge } from "../../graph/edge.js";
import { ringChunkBytes } from "../../protocol/ring-chunks.js";
import { tensorFromProto } from "../../protocol/tensor.js";
import type { NodeTiming, TransferTiming } from "./timings.js";
import { taskOf } from "./trace-record.js";

/** The position of the keys among the inputs of the later versions of the ops. */
const GROUP_KEY_INPUT = 2;
const INSTANCE_KEY_INPUT = 3;

/**
 * The transfers of the rings by which reductions and gathers went, computed from the sizes of their tensors: one from each
 * member to the next, over the time of the receiving node. Each is named after that node. Broadcasts, which go along a
 * tree, are left out.
 */
export function collectiveTransfers(nodes: readonly NodeTiming[], graph: GraphDef): TransferTiming[] {
  const defs = new Map(graph.node.map((node) => [node.name, node]));
  const groups = new Map<string, NodeTiming[]>();
  for (const run of nodes) {
    const node = defs.get(run.node);
    const kind = node && ringOf(node.op);
    if (node === undefined || kind === undefined) continue;
    const [group, instance] = keysOf(node, defs);
    if (group === undefined || instance === undefined) continue;
    const key = `${kind} ${group} ${instance}`;
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups].flatMap(([key, runs]) => ringTransfers(runs, key.startsWith("reduce")));
}

function ringOf(op: string): "reduce" | "gather" | undefined {
  const [, kind] = /^Collective(Reduce|Gather)(?:V2)?$/.exec(op) ?? [];
  return kind === undefined ? undefined : kind === "Reduce" ? "reduce" : "gather";
}

/** The group's and the instance's key; undefined where they are computed in the step. */
function keysOf(node: NodeDef, defs: ReadonlyMap<string, NodeDef>): (number | undefined)[] {
  const attr = (name: string) => {
    const value = node.attr.get(name)?.value;
    return value?.$case === "i" ? Number(value.value) : undefined;
  };
  const constant = (input: number) => {
    const edge = node.input[input];
    const value = edge === undefined ? undefined : defs.get(parseEdge(edge).node)?.attr.get("value")?.value;
    return value?.$case === "tensor" && value.value.dtype === DataType.DT_INT32
      ? Number(tensorFromProto(value.value).at(0))
      : undefined;
  };
  return [
    attr("group_key") ?? constant(GROUP_KEY_INPUT),
    attr("instance_key") ?? constant(INSTANCE_KEY_INPUT),
  ];
}

function ringTransfers(runs: readonly NodeTiming[], isReduction: boolean): TransferTiming[] {
  const members = [...runs].sort((one, other) => (one.device < other.device ? -1 : 1));
  const count = members.length;
  return members.flatMap((to, rank) => {
    const from = members[(rank + count - 1) % count];
    if (from === undefined || taskOf(from.device) === taskOf(to.device)) return [];
    const { node, device, startMicros, durationMicros, outputBytes } = to;
    return {
      ...{ tensor: node, fromDevice: from.device, toDevice: device, startMicros, durationMicros },
      bytes: isReduction
        ? bytesOfReduction(outputBytes, count, rank)
        : Math.round((outputBytes * (count - 1)) / count),
      timed: false,
    };
  });
}

/**
 * Each chunk goes once around the ring from the member of its number, which gets no part of it in that pass, and once more
 * from the member before that, which has the result.
 */
function bytesOfReduction(bytes: number, count: number, rank: number): number {
  const length = ringChunkBytes(Math.ceil(bytes / count));
  let received = 0;
  for (let chunk = 0; chunk < count; chunk += 1) {
    const size = Math.max(0, Math.min(length, bytes - chunk * length));
    if (rank !== chunk) received += size;
    if (rank !== (chunk + count - 1) % count) received += size;
  }
  return received;
}
