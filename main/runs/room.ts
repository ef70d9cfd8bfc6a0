/** Runs of graphs on the cluster, and the ops and kernels that graphs may be made of. */
import type { feedMethods } from "../api/feeds.js";
import type { KernelList } from "../api/kernels.js";
import type { modelMethods } from "../api/models.js";
import type { runHistoryMethods } from "../api/run-history.js";
import type { runQueueMethods } from "../api/run-queue.js";
import type { RunUpdate, runMethods } from "../api/runs.js";
import type { Runtime } from "../api/runtime.js";
import type { tensorMethods } from "../api/tensors.js";
import type { traceMethods } from "../api/traces.js";
import type { variableMethods } from "../api/variables.js";
import type { EmitEvent } from "../shared/events.js";
import type { HandlersOf } from "../shared/handlers.js";
import { once, type Room } from "../shared/room.js";
import { version } from "../shared/version.js";
import type { RuntimeTools } from "../tasks/runtime/runtime-tools.js";
import { feedContents } from "./feed-contents.js";
import { type ReadFeeds, readFeeds } from "./feeds.js";
import { ModelExporter } from "./model-export.js";
import { KernelListService } from "./ops/kernel-list-service.js";
import { type OpList, OpListService } from "./ops/op-list-service.js";
import { RunArchive } from "./run-archive.js";
import { ChosenCluster, type RunCluster } from "./run-cluster.js";
import { RunService, type RunServiceCollaborators } from "./run-service.js";
import { Jobs } from "./tensors/jobs.js";
import { TensorService } from "./tensors/tensor-service.js";
import { TensorStore } from "./tensors/tensor-store.js";
import { VariableService } from "./variables/variable-service.js";

/** Provides the ops that a graph may contain. */
export interface RunEngine {
  readonly runtime: Pick<RuntimeTools, "opList">;
  readonly bundledOps: () => OpList;
  /** The ops for which this version's portable engine has kernels. */
  readonly portableKernels: (signal: AbortSignal) => Promise<KernelList["kernels"]>;
}

export interface RunsOptions {
  readonly engine: RunEngine;
  /** The tasks of this machine and the paired ones. */
  readonly cluster: RunCluster;
  readonly documents: { folderOf: RunServiceCollaborators["folderOf"] };
  /** The libtensorflow of this machine. */
  readonly tasks: { runtime(): Promise<Runtime | undefined> };
  readonly emit: EmitEvent;
  /** The runs of saved documents. */
  readonly folder: string;
  /** The checkpoints of documents without a file. */
  readonly checkpointFolder: string;
  /** Values of variables that can be brought back until the application ends. */
  readonly setAsideFolder: string;
  /** Replaced in tests. */
  readonly readFeeds?: ReadFeeds;
}

export interface RunsRoom
  extends Room<
    HandlersOf<
      typeof runMethods &
        typeof feedMethods &
        typeof runHistoryMethods &
        typeof traceMethods &
        typeof runQueueMethods &
        typeof tensorMethods &
        typeof modelMethods &
        typeof variableMethods
    >
  > {
  /** The newest run, whether it is running or finished. */
  latest(): RunUpdate | undefined;
  /** Whether a run goes on, or has only just ended. */
  isGoing(): boolean;
  /** Runs graphs on another cluster from now on; undefined: again on that of this machine and the paired ones. */
  chooseCluster(cluster: RunCluster | undefined): void;
  /** Whether a run goes on there. */
  runsOn(cluster: RunCluster): boolean;
}

export function createRuns(options: RunsOptions): RunsRoom {
  const { engine, documents, tasks, emit } = options;
  const cluster = new ChosenCluster(options.cluster);
  const archive = new RunArchive(options.folder);
  const tensors = new TensorStore(undefined, (runId) => archive.results(runId));
  const jobs = new Jobs(emit);
  const tensorService = new TensorService(tensors, jobs);
  const variables = new VariableService({
    ...{ cluster, tensors, jobs },
    setAsideFolder: options.setAsideFolder,
  });
  const models = new ModelExporter({ cluster, jobs });
  const runs = new RunService({
    cluster: () => cluster.current,
    emit,
    tensors,
    archive,
    checkpointFolder: options.checkpointFolder,
    readFeeds: options.readFeeds ?? readFeeds,
    folderOf: (sourceId) => documents.folderOf(sourceId),
  });
  const ops = new OpListService({
    runtime: () => tasks.runtime(),
    ask: engine.runtime.opList,
    bundled: engine.bundledOps,
  });
  const kernels = new KernelListService({ version: version(), ask: engine.portableKernels });
  /** Numbers of runs, and what is listed, go on from those of before. */
  const afterRestoring = async <T>(answer: () => T): Promise<T> => {
    await runs.ready;
    return answer();
  };
  const endWork = once(async () => {
    ops.dispose();
    kernels.dispose();
    jobs.dispose();
    await Promise.all([runs.dispose(), variables.dispose(), models.dispose()]);
    cluster.dispose();
  });
  return {
    handlers: {
      "runs.start": (request) => afterRestoring(() => runs.start(request)),
      "runs.stop": ({ runId, abort }) => runs.stop(runId, abort),
      "runs.pause": ({ runId }) => runs.pause(runId),
      "runs.resume": ({ runId }) => runs.resume(runId),
      "runs.enqueue": (request) => afterRestoring(() => runs.enqueue(request)),
      "runs.dequeue": ({ queueId }) => runs.dequeue(queueId),
      "runs.saveCheckpoint": ({ runId }) => runs.saveCheckpoint(runId),
      "runs.goOn": ({ runId }) => runs.goOn(runId),
      "runs.dismissRecovery": ({ runId }) => runs.dismissRecovery(runId),
      "runs.latest": () => runs.latest(),
      "runs.chromeTrace": ({ runId }) => runs.chromeTrace(runId),
      "runs.history": () => afterRestoring(() => runs.history()),
      "runs.dropped": () => afterRestoring(() => runs.dropped),
      "runs.trace": ({ runId, step }) => runs.trace(runId, step),
      "runs.traceEvents": ({ runId, step, from }) => runs.traceEvents(runId, step, from),
      "runs.kept": ({ runId }) => runs.kept(runId),
      "runs.clear": (document) => afterRestoring(() => runs.clear(document)),
      "runs.documentSaved": (document) => afterRestoring(() => runs.documentSaved(document)),
      "runs.scalars": ({ runId }) => runs.scalars(runId),
      "feeds.contents": feedContents,
      ...tensorService.handlers,
      ...variables.handlers,
      ...models.handlers,
      "ops.list": () => ops.list(),
      "kernels.list": () => kernels.list(),
    },
    latest: () => runs.latest(),
    isGoing: () => runs.isGoing(),
    chooseCluster: (chosen) => cluster.choose(chosen),
    runsOn: (asked) => runs.runsOn(asked),
    endWork,
    dispose: endWork,
  };
}
