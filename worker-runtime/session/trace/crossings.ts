/** Determines which tensors were sent between tasks from the graph and the placement of its nodes. */
import type { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { parseEdge } from "../../graph/edge.js";
import type { NodeTiming, TransferTiming } from "./timings.js";
import { taskOf } from "./trace-record.js";

/** The output of one run that a node of another task reads. */
interface Crossing {
  readonly node: string;
  readonly slot: number;
  readonly from: NodeTiming;
  readonly bytes: number | undefined;
  readonly toDevice: string;
  /** When the first node that reads it started. */
  readonly readMicros: number;
}

/**
 * All transfers of a step: those recorded, under the names of the outputs that they carry, and those inferred.
 * TensorFlow's master enables recording on other tasks with a call that it does not wait for, so records of the first
 * transfers are often missing, in the first step and in later ones; the nodes themselves are always recorded, and so
 * are the sizes of their outputs.
 */
export function completeTransfers(
  nodes: readonly NodeTiming[],
  recorded: readonly TransferTiming[],
  graph: GraphDef,
): TransferTiming[] {
  const left = groupBy(recorded, ({ tensor, toDevice }) => routeKey(nodeOf(tensor), toDevice));
  const complete: TransferTiming[] = [];
  for (const [route, crossings] of groupBy(crossingsOf(nodes, graph), ({ node, toDevice }) =>
    routeKey(node, toDevice),
  )) {
    const records = left.get(route) ?? [];
    left.delete(route);
    const unmatched = [...crossings];
    for (const record of records) complete.push(named(record, unmatched));
    complete.push(...unmatched.map(unrecorded));
  }
  const edges = new Set(graph.node.flatMap(({ input }) => input.map(edgeOf)));
  // Their readers were not recorded, or there are none.
  for (const others of left.values()) complete.push(...others.map((one) => withPurpose(one, edges)));
  return complete;
}

/** "x" of "x:1", "^x" of a control edge. */
function edgeOf(input: string): string {
  const { control, node } = parseEdge(input);
  return control ? `^${node}` : node;
}

/** A transfer that no node was seen to read: of a tensor that one reads, of a control edge, or for the client. */
function withPurpose(transfer: TransferTiming, edges: ReadonlySet<string>): TransferTiming {
  const node = nodeOf(transfer.tensor);
  if (node === "" || edges.has(node)) return transfer;
  return edges.has(`^${node}`) ? { ...transfer, tensor: `^${node}` } : { ...transfer, forClient: true };
}

const routeKey = (node: string, toDevice: string): string => `${node}\n${toDevice}`;
const nodeOf = (tensor: string): string => tensor.replace(/:\d+$/, "");

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/**
 * Labels omit the output, so a record matches the next crossing of its size, which is removed from the list. One without
 * is fetched besides.
 */
function named(record: TransferTiming, unmatched: Crossing[]): TransferTiming {
  const end = record.startMicros + record.durationMicros;
  const made = (crossing: Crossing) => crossing.from.startMicros + crossing.from.durationMicros <= end;
  const sameSize = unmatched.findLastIndex((one) => one.bytes === record.bytes && made(one));
  const at = sameSize < 0 ? unmatched.findLastIndex(made) : sameSize;
  const [crossing] = at < 0 ? [] : unmatched.splice(at, 1);
  return crossing
    ? { ...record, tensor: `${crossing.node}:${crossing.slot}` }
    : { ...record, forClient: true };
}

function unrecorded({ node, slot, from, bytes, toDevice, readMicros }: Crossing): TransferTiming {
  const startMicros = from.startMicros + from.durationMicros;
  return {
    tensor: `${node}:${slot}`,
    fromDevice: from.device,
    toDevice,
    startMicros,
    durationMicros: Math.max(0, readMicros - startMicros),
    bytes,
    timed: false,
  };
}

/** In the order of their computation. */
function crossingsOf(nodes: readonly NodeTiming[], graph: GraphDef): Crossing[] {
  const runs = groupBy(nodes, ({ node }) => node);
  const crossings = new Map<string, Crossing>();
  for (const { name, input } of graph.node) {
    const readers = ownRuns(runs.get(name));
    for (const edge of input) {
      if (edge.startsWith("^")) continue;
      const [, node = "", output = "0"] = /^(.*?)(?::(\d+))?$/.exec(edge) ?? [];
      const slot = Number(output);
      const makers = runs.get(node) ?? [];
      for (const reader of readers) {
        // An output that also exists on the reader's own task, even as a copy, was not transferred.
        if (makers.some((maker) => taskOf(maker.device) === taskOf(reader.device))) continue;
        for (const maker of makers) {
          const made = maker.outputs.find((one) => one.slot === slot);
          if (made === undefined) continue;
          const key = `${node}:${slot} ${maker.device} ${maker.startMicros} ${reader.device}`;
          const readMicros = firstAfter(maker, reader, crossings.get(key)?.readMicros);
          crossings.set(key, {
            node,
            slot,
            from: maker,
            bytes: made.bytes,
            toDevice: reader.device,
            readMicros,
          });
        }
      }
    }
  }
  return [...crossings.values()].sort((one, other) => one.from.startMicros - other.from.startMicros);
}

/**
 * The runs of a node itself: what the runtime derived from it, such as the end of a control edge on another task, reads
 * none of its inputs. All if it was recorded under no other name.
 */
function ownRuns(runs: readonly NodeTiming[] = []): readonly NodeTiming[] {
  const own = runs.filter(({ node, recordedName }) => node === recordedName);
  return own.length > 0 ? own : runs;
}

function firstAfter(maker: NodeTiming, reader: NodeTiming, known = Number.POSITIVE_INFINITY): number {
  const made = maker.startMicros + maker.durationMicros;
  return reader.startMicros >= made ? Math.min(known, reader.startMicros) : known;
}
