import type { NodeRun } from "../../main/api/runs.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { paused, type Sliced, STEPS_AT_ONCE } from "../../worker-runtime/graph/slices.js";

/**
 * The chain of nodes that determined when the step ended: each waited for the one before it. Times in µs. Every moment of
 * the step belongs to exactly one of the three times, so that they add up to it.
 */
export interface CriticalPath {
  /** In the order of time. */
  readonly nodes: readonly NodeRun[];
  /** While nodes of the path ran. */
  readonly computeMicros: number;
  /** Between two nodes on different devices: copies, the network, and waiting for both. */
  readonly transferMicros: number;
  /** The rest: before the first node, after the last one, and between two on one device, which ran others or nothing. */
  readonly waitMicros: number;
}

const endOf = ({ startMicros, durationMicros }: NodeRun) => startMicros + durationMicros;

/** The node of an input: "x" of "x:1" and of "^x". */
function nodeOfInput(input: string): string {
  return input.replace(/^\^/, "").replace(/:\d+$/, "");
}

/**
 * Goes back from the node that ended last, to the input that ended last, and so on. Inputs that were not recorded, such
 * as nodes that TensorFlow folded, are passed through to theirs.
 *
 * @param stepMicros from the start of the step, at which times are 0, to its end
 */
export function* slicedCriticalPath(
  runs: readonly NodeRun[],
  nodes: ReadonlyMap<string, NodeDef>,
  stepMicros: number,
): Sliced<CriticalPath> {
  const byName = new Map<string, NodeRun>();
  let last: NodeRun | undefined;
  yield* paused(runs, (run) => {
    byName.set(run.node, run);
    if (last === undefined || endOf(run) > endOf(last)) last = run;
  });
  const visited = new Set<string>();
  const path: NodeRun[] = [];
  for (let run = last; run !== undefined; run = latest(inputsOf(run.node, byName, nodes, visited))) {
    visited.add(run.node);
    path.push(run);
    if (path.length % STEPS_AT_ONCE === 0) yield;
  }
  path.reverse();
  return { nodes: path, ...partsOf(path, stepMicros) };
}

/** Divides the step: of nodes that overlap, the later one counts from the end of the one before. */
function partsOf(path: readonly NodeRun[], stepMicros: number): Omit<CriticalPath, "nodes"> {
  let [computeMicros, transferMicros, waitMicros] = [0, 0, 0];
  let reached = 0;
  let before: NodeRun | undefined;
  for (const run of path) {
    const start = Math.min(Math.max(reached, run.startMicros), stepMicros);
    const end = Math.min(Math.max(start, endOf(run)), stepMicros);
    if (before === undefined || before.device === run.device) waitMicros += start - reached;
    else transferMicros += start - reached;
    computeMicros += end - start;
    reached = end;
    before = run;
  }
  return { computeMicros, transferMicros, waitMicros: waitMicros + stepMicros - reached };
}

function latest(runs: readonly NodeRun[]): NodeRun | undefined {
  return runs.reduce<NodeRun | undefined>(
    (last, run) => (last === undefined || endOf(run) > endOf(last) ? run : last),
    undefined,
  );
}

/** The recorded nodes that a node waited for. */
function inputsOf(
  name: string,
  byName: ReadonlyMap<string, NodeRun>,
  nodes: ReadonlyMap<string, NodeDef>,
  visited: Set<string>,
): NodeRun[] {
  const found: NodeRun[] = [];
  const open = [name];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const input of nodes.get(node)?.input ?? []) {
      const source = nodeOfInput(input);
      // Loops lead back to nodes that were passed.
      if (source === "" || visited.has(source)) continue;
      const run = byName.get(source);
      if (run) found.push(run);
      else {
        visited.add(source);
        open.push(source);
      }
    }
  }
  return found;
}
