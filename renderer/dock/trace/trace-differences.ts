/** Two traced steps against each other. */
import type { NodeRun, Transfer } from "../../../main/api/runs.js";
import type { StepTrace } from "../../../main/api/traces.js";
import { paused, type Sliced } from "../../../worker-runtime/graph/slices.js";
import { slicedSort } from "../../document/sliced-sort.js";
import { sentBetweenTasks } from "../../stores/device-copies.js";
import { texts } from "../../texts/texts.js";

const words = texts.dock.traceDifferences;

export interface NodeDifference {
  readonly node: string;
  /** Its time in each of the steps; undefined where it did not run. */
  readonly before: NodeTotal | undefined;
  readonly after: NodeTotal | undefined;
  /** Positive if it took longer in the second step. */
  readonly micros: number;
}

export interface NodeTotal {
  readonly micros: number;
  /** The device of its longest run. */
  readonly device: string;
}

/** All nodes of both steps, those whose times differ most first. In slices, as `slicedTimeline`. */
export function* slicedDifferences(
  before: Pick<StepTrace, "nodes">,
  after: Pick<StepTrace, "nodes">,
): Sliced<readonly NodeDifference[]> {
  const first = yield* slicedTotals(before.nodes);
  const second = yield* slicedTotals(after.nodes);
  const differences: NodeDifference[] = [];
  yield* paused(first, ([node, one]) => {
    const other = second.get(node);
    differences.push({ node, before: one, after: other, micros: (other?.micros ?? 0) - one.micros });
  });
  yield* paused(second, ([node, other]) => {
    if (!first.has(node)) differences.push({ node, before: undefined, after: other, micros: other.micros });
  });
  // In an order of any language, a hundred thousand names would take seconds.
  return yield* slicedSort(
    differences,
    (one, other) => Math.abs(other.micros) - Math.abs(one.micros) || (one.node < other.node ? -1 : 1),
  );
}

function* slicedTotals(nodes: readonly NodeRun[]): Sliced<Map<string, NodeTotal>> {
  const found = new Map<string, NodeTotal & { readonly longest: number }>();
  yield* paused(nodes, ({ node, device, durationMicros }) => {
    const known = found.get(node);
    const isLonger = known === undefined || durationMicros > known.longest;
    found.set(node, {
      micros: (known?.micros ?? 0) + durationMicros,
      device: isLonger ? device : known.device,
      longest: isLonger ? durationMicros : known.longest,
    });
  });
  return found;
}

/** One figure of the whole step; undefined where it is not known. */
export interface Total {
  readonly name: string;
  readonly unit: "millis" | "count" | "bytes";
  readonly before: number | undefined;
  readonly after: number | undefined;
}

export function totalsOf(before: StepTrace, after: StepTrace): Total[] {
  const row = (name: string, unit: Total["unit"], of: (trace: StepTrace) => number | undefined): Total => ({
    ...{ name, unit },
    ...{ before: of(before), after: of(after) },
  });
  return [
    row(words.step, "millis", ({ stepMillis }) => stepMillis),
    row(words.firstNodeToLast, "millis", ({ computeMillis }) => computeMillis),
    row(words.nodes, "count", ({ nodes }) => nodes.length),
    row(words.sentBetweenTasks, "count", ({ transfers }) => sentBetweenTasks(transfers).length),
    row(words.bytesSent, "bytes", ({ transfers }) => bytesSent(sentBetweenTasks(transfers))),
    row(words.peakMemory, "bytes", ({ memory }) =>
      memory.length === 0 ? undefined : Math.max(...memory.map(({ peakBytes }) => peakBytes)),
    ),
  ];
}

/** Undefined if a transfer's bytes are not known. */
function bytesSent(transfers: readonly Transfer[]): number | undefined {
  let sum = 0;
  for (const { bytes } of transfers) {
    if (bytes === undefined) return undefined;
    sum += bytes;
  }
  return sum;
}
