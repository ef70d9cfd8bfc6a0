/** Runs random graphs on a server, and says what a portable one ran as regions. */
import type { RunMetadata } from "../../../../../protos/generated/tensorflow/config.js";
import type { GraphDef } from "../../../../../protos/generated/tensorflow/graph.js";
import { TensorFlowError } from "../../../../../worker-runtime/protocol/status.js";
import type { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { Session } from "../../../../../worker-runtime/session/session.js";
import type { SessionConfig } from "../../../../../worker-runtime/session/session-options.js";
import { tensorDifference } from "../compare.js";
import type { RandomGraph } from "./random-graph.js";
import { originalName } from "./wrappings.js";

export interface GraphRun {
  /** For each step its fetches. */
  readonly values: readonly (readonly Tensor[])[];
  /** The nodes that sessions of ONNX Runtime ran in the last step that computes. */
  readonly inSessions: ReadonlySet<string>;
  /** How many nodes the largest of their regions has. */
  readonly largestRegion: number;
  /** How many nodes of the gradients of functions, loops among them, sessions ran in that step. */
  readonly gradientsInSessions: number;
}

/** @throws TensorFlowError of a step, which no graph here should give */
export async function runRandomGraph(
  target: string,
  { graph, steps, lowered }: RandomGraph,
  config: SessionConfig = {},
): Promise<GraphRun> {
  const session = new Session(target, { graph, config });
  try {
    const values: (readonly Tensor[])[] = [];
    let metadata: RunMetadata | undefined;
    for (const { fetches, targets, feeds, tolerances } of steps) {
      // Sessions start before a step is traced: so every step is, as what is traced takes another way.
      const isTraced = tolerances.length > 0;
      const result = await session.run(fetches, { feeds, targets, options: { trace: isTraced } });
      values.push(result.values);
      if (Object.keys(feeds).length > 0) metadata = result.metadata;
    }
    return { values, ...regionsOf(metadata, lowered, graph) };
  } finally {
    await session.close();
  }
}

function regionsOf(
  metadata: RunMetadata | undefined,
  lowered: ReadonlySet<string>,
  { node: nodes }: GraphDef,
) {
  const stats = (metadata?.stepStats?.devStats ?? []).flatMap(({ nodeStats }) => nodeStats);
  const inSessions = stats.filter(
    ({ nodeName, timelineLabel }) =>
      lowered.has(originalName(nodeName)) && timelineLabel.includes(" in a region of "),
  );
  const sizes = inSessions.map(({ timelineLabel }) =>
    Number(/ in a region of (\d+) /.exec(timelineLabel)?.[1] ?? 1),
  );
  const outside = new Set(nodes.map(({ name }) => name));
  const ofGradients = stats.filter(
    ({ nodeName, timelineLabel }) =>
      nodeName.startsWith("gradients") &&
      !outside.has(nodeName) &&
      timelineLabel.includes(" in a region of "),
  );
  return {
    gradientsInSessions: new Set(ofGradients.map(({ nodeName }) => nodeName)).size,
    inSessions: new Set(inSessions.map(({ nodeName }) => originalName(nodeName))),
    largestRegion: Math.max(0, ...sizes),
  };
}

/** How two runs of a graph differ: a sentence for the first difference of each step. */
export function runDifferences({ steps }: RandomGraph, expected: GraphRun, given: GraphRun): string[] {
  return steps.flatMap(({ fetches, tolerances }, i) => {
    for (const [at, fetch] of fetches.entries()) {
      const [wanted, got] = [expected.values[i]?.[at], given.values[i]?.[at]];
      const what =
        wanted === undefined || got === undefined
          ? "it is missing"
          : tensorDifference(wanted, got, tolerances[at] ?? { ulps: 0 });
      if (what !== undefined) return [`step ${i}, ${fetch}: ${what}`];
    }
    return [];
  });
}

export const errorText = (error: unknown): string => {
  if (!(error instanceof TensorFlowError)) throw error;
  return `${error.codeName}: ${error.message.slice(0, 600)}`;
};
