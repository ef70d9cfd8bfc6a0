import type { VersionDef } from "../../../../protos/generated/tensorflow/versions.js";
import { RegisterGraphRequest } from "../../../../protos/generated/tensorflow/worker.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { withSharedSignal } from "../../../cancellation/shared-signal.js";
import { GRAPH_DEF_VERSION } from "../../../graph/op-list.js";
import type { OpFactsSource } from "../kernels/op-facts.js";
import type { KernelRegistry } from "../kernels/registry.js";
import { withPauses } from "../pauses.js";
import { collectiveGraphKey } from "./collective-step.js";
import { foldConstants, mayFold } from "./constant-folding.js";
import { reachableFunctions } from "./function-closure.js";
import { type Partition, partitionGraph } from "./partition.js";
import type { SessionGraph } from "./session-graph.js";
import { type FeedPoint, makeStepGraph, type StepGraph } from "./step-graph.js";
import type { StepSignature } from "./step-signature.js";
import { combinedError, type TaskFailure } from "./worker-errors.js";
import type { WorkerSessions } from "./worker-sessions.js";

/** A graph at the worker that runs it. */
export interface RegisteredPartition {
  readonly task: string;
  readonly graphHandle: string;
}

/** A step of one signature, ready to run. */
export interface PreparedStep {
  readonly partitions: readonly RegisteredPartition[];
  /** The graph key of its collectives; 0 if there are none. */
  readonly collectiveGraphKey: bigint;
  readonly feeds: ReadonlyMap<string, FeedPoint>;
  /** Keys of the rendezvous by the client's name for a fetch. */
  readonly fetches: ReadonlyMap<string, string>;
  /** The feeds that each fetch needs; only for partial runs. */
  readonly feedsOfFetch: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface PrepareTools {
  readonly session: WorkerSessions;
  readonly graph: SessionGraph;
  readonly kernels: KernelRegistry;
  /** A name that no other node of the session has. */
  readonly newName: (prefix: string) => string;
  /** Aborted when the session ends. */
  readonly signal: CancellationSignal;
}

/**
 * Prepares a graph for one signature and registers its partitions with their workers. Other calls get their turn
 * between the parts of the work: the graph may have many thousands of nodes.
 * @param isPartial keeps the dependencies that a partial run needs.
 * @throws TensorFlowError what is wrong with the signature, or what the workers answered.
 */
export async function prepareStep(
  signature: StepSignature,
  isPartial: boolean,
  tools: PrepareTools,
): Promise<PreparedStep> {
  const { session, graph, kernels, newName, signal } = tools;
  const { ops, library } = graph;
  const { clientDevice } = session.cluster;
  const needed = await withPauses(
    makeStepGraph({ graph, signature, ops, facts: kernels, clientDevice }),
    signal,
  );
  const step = mayFold(session.config)
    ? await withPauses(foldConstants(needed, { kernels, ops }), signal)
    : needed;
  const incarnationOf = incarnations(session);
  const partitions = await withPauses(
    partitionGraph(step, { ops, kernels, newName, incarnationOf, isPartial }),
    signal,
  );
  const graphKey = graphKeyOf(signature, partitions, library, kernels);
  const requests = partitions.map((partition) => ({
    task: partition.task,
    request: registerRequest(partition, graphKey, signature, session, library, graph.versions),
  }));
  return {
    collectiveGraphKey: graphKey,
    partitions: await registerAll(requests, tools),
    feeds: step.feeds,
    fetches: step.fetches,
    feedsOfFetch: isPartial ? feedDependencies(step) : new Map(),
  };
}

/** As given by the client, or computed from the step's collectives. */
function graphKeyOf(
  { collectiveGraphKey: given }: StepSignature,
  partitions: readonly Partition[],
  library: SessionGraph["library"],
  facts: OpFactsSource,
): bigint {
  if (given !== 0n) {
    return given;
  }
  const [only, ...others] = partitions;
  const nodes =
    only !== undefined && others.length === 0
      ? only.nodes
      : partitions.flatMap((partition) => partition.nodes);
  return collectiveGraphKey(nodes, reachableFunctions(nodes, library), facts);
}

function incarnations({ cluster }: WorkerSessions): (device: string) => bigint {
  const known = new Map(
    [...cluster.localDevices, ...cluster.remoteDevices].map(({ name, incarnation }) => [name, incarnation]),
  );
  return (device) => known.get(device) ?? 0n;
}

function registerRequest(
  { nodes }: Partition,
  graphKey: bigint,
  { debug }: StepSignature,
  { handle, config }: WorkerSessions,
  library: SessionGraph["library"],
  versions: VersionDef | undefined,
): RegisterGraphRequest {
  const request = RegisterGraphRequest.create();
  request.sessionHandle = handle;
  request.graphDef = {
    node: [...nodes],
    versions: versions ?? { producer: GRAPH_DEF_VERSION, minConsumer: 0, badConsumers: [] },
    version: 0,
    library: reachableFunctions(nodes, library),
    debugInfo: undefined,
  };
  request.createWorkerSessionCalled = true;
  request.collectiveGraphKey = graphKey;
  request.configProto = config;
  request.debugOptions = debug;
  return request;
}

async function registerAll(
  requests: readonly { readonly task: string; readonly request: RegisterGraphRequest }[],
  { session, signal }: PrepareTools,
): Promise<RegisteredPartition[]> {
  const failures: TaskFailure[] = [];
  const registered: RegisteredPartition[] = [];
  const { masterTask } = session.cluster;
  await withSharedSignal(signal, (shared) =>
    Promise.all(
      requests.map(async ({ task, request }) => {
        try {
          const worker = session.cluster.worker(task);
          const { graphHandle } = await worker.registerGraph(request, { signal: shared });
          registered.push({ task, graphHandle });
        } catch (error) {
          failures.push({ task, error });
        }
      }),
    ),
  );
  if (failures.length > 0) {
    await deregister(registered, session);
    throw combinedError(failures);
  }
  // This task last: its partition runs on this thread, and the others should receive the step first.
  return registered.sort((a, b) => Number(a.task === masterTask) - Number(b.task === masterTask));
}

const DEREGISTER_DEADLINE_MILLIS = 10_000;

/** Deregisters the graphs of a step at the workers. A worker that does not answer forgets them with the session. */
export async function deregister(
  partitions: readonly RegisteredPartition[],
  { handle, cluster }: WorkerSessions,
): Promise<void> {
  await Promise.allSettled(
    partitions.map(({ task, graphHandle }) =>
      cluster
        .worker(task)
        .deregisterGraph(
          { graphHandle, sessionHandle: handle, createWorkerSessionCalled: true },
          { deadlineMillis: DEREGISTER_DEADLINE_MILLIS },
        ),
    ),
  );
}

/** Which feeds each fetch needs. */
function feedDependencies({ nodes, feeds, fetches, roots }: StepGraph): Map<string, Set<string>> {
  const feedOfNode = new Map([...feeds].map(([feed, { node }]) => [node, feed]));
  const sends = roots.slice(roots.length - fetches.size);
  const found = new Map<string, Set<string>>();
  for (const [index, fetch] of [...fetches.keys()].entries()) {
    const needed = new Set<string>();
    const seen = new Set<string>();
    const todo = sends.slice(index, index + 1);
    for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
      const node = seen.has(name) ? undefined : nodes.get(name);
      seen.add(name);
      const feed = feedOfNode.get(name);
      if (feed !== undefined) {
        needed.add(feed);
      }
      todo.push(...(node?.inputs ?? []).map((input) => input.node), ...(node?.controls ?? []));
    }
    found.set(fetch, needed);
  }
  return found;
}
