/**
 * The application behind the windows: makes the services, gives each method of the contract to one of them, and ends
 * everything that it started. It has no logic of its own.
 */
import { hostname } from "node:os";
import { join } from "node:path";
import { ClusterService } from "./cluster/cluster-service.js";
import { listGpus } from "./cluster/gpus.js";
import { describeThisMachine } from "./cluster/this-machine.js";
import { DocumentService } from "./documents/document-service.js";
import { defaultEngine, type Engine } from "./engine.js";
import { EventHub, type EventListener } from "./events.js";
import { listDirectory } from "./files/directory.js";
import { callHandler, type Handlers } from "./handlers.js";
import type { Host } from "./host.js";
import { OpListService } from "./ops/op-list-service.js";
import { problem } from "./problems.js";
import { RuntimeService } from "./runtime/runtime-service.js";
import { readFeeds } from "./sessions/feeds.js";
import { RunService } from "./sessions/run-service.js";
import { SettingsService } from "./settings/settings-service.js";
import { TaskSupervisor } from "./tasks/task-supervisor.js";
import { version } from "./version.js";

export interface ApplicationOptions {
  /** Folder for settings and whatever else is kept; made when it is first needed. */
  readonly dataDir: string;
  readonly host: Host;
  /** Disposes the application when it is aborted. */
  readonly signal?: AbortSignal;
  /** What runs graphs; other than TensorFlow's only in tests. */
  readonly engine?: Engine;
}

export interface Application {
  /**
   * Runs one method of the contract.
   *
   * @throws ProblemError INVALID_ARGUMENT for unknown methods and parameters that do not fit; whatever the method
   *   throws. `problemOf` makes any of it presentable.
   */
  handle(method: string, params: unknown): Promise<unknown>;
  /** Calls the listener for every event until the returned function is called. */
  onEvent(listener: EventListener): () => void;
  /** Ends runs, installations and every task process; resolves when they are gone. May be called more than once. */
  dispose(): Promise<void>;
}

/** Makes the application. No library is searched for and no task started until a window asks. */
export function createApplication(options: ApplicationOptions): Application {
  const { dataDir, host, signal, engine = defaultEngine() } = options;
  const events = new EventHub();
  const { emit } = events;

  const settings = new SettingsService(join(dataDir, "settings.json"), emit);
  const runtime = new RuntimeService(engine.runtime, emit);
  const ops = new OpListService({
    runtime: () => runtime.runtime(),
    ask: engine.runtime.opList,
    bundled: engine.bundledOps,
  });
  const cluster = new ClusterService({
    machine: describeThisMachine(),
    emit,
    supervise: (hooks) =>
      new TaskSupervisor({
        ...hooks,
        launch: engine.launcher(() => runtime.known()?.path),
        openProbe: engine.openProbe,
      }),
    chooseEngine: () => "tensorflow",
  });
  const disposed = new AbortController();
  void listGpus(disposed.signal).then((gpus) => {
    if (gpus.length > 0) cluster.describeMachine({ gpus });
  });
  const documents = new DocumentService({
    examples: engine.examples,
    onUsed: (path) => settings.addRecentDocument(path),
  });
  const runs = new RunService({ cluster, emit, readFeeds });

  const handlers: Handlers = {
    "app.info": () => ({
      version: version(),
      host: host.kind,
      platform: process.platform,
      hostname: hostname(),
      fileDialogs: host.pickFile ? "native" : "window",
    }),
    "app.newWindowUrl": () => {
      if (host.newWindowUrl) return host.newWindowUrl();
      throw notOnThisHost("A link to another window", "This window is not a page of a browser.");
    },
    "settings.get": () => settings.get(),
    "settings.set": (changes) => settings.set(changes),

    "cluster.get": () => cluster.state(),
    "cluster.addTasks": ({ job, count, engine: chosen }) => cluster.addTasks(job, count, chosen),
    "cluster.startTask": ({ taskId }) => cluster.startTask(taskId),
    "cluster.stopTask": ({ taskId }) => cluster.stopTask(taskId),
    "cluster.restartTask": ({ taskId }) => cluster.restartTask(taskId),
    "cluster.removeTask": ({ taskId }) => cluster.removeTask(taskId),
    "cluster.setMembership": ({ membership }) => cluster.setMembership(membership),
    "cluster.taskLog": ({ taskId, afterSequence }) => cluster.taskLog(taskId, afterSequence),

    "runtime.get": () => runtime.get(),
    "runtime.refresh": () => runtime.refresh(),
    "runtime.install": () => runtime.install(),
    "runtime.cancelInstall": () => runtime.cancelInstall(),

    "ops.list": () => ops.list(),

    "documents.examples": () => documents.examples(),
    "documents.openExample": ({ id }) => documents.openExample(id),
    "documents.open": ({ path }) => documents.open(path),
    "documents.read": ({ name, bytes }) => documents.read(name, bytes),
    "documents.save": (request) => documents.save(request),

    "files.list": ({ path, extensions }) => listDirectory(path, extensions),
    "files.pick": (request) => {
      if (host.pickFile) return host.pickFile(request);
      throw notOnThisHost("The system's file dialog", "Tensordeck runs without a desktop here.");
    },

    "runs.start": (request) => runs.start(request),
    "runs.stop": ({ runId, abort }) => runs.stop(runId, abort),
    "runs.latest": () => runs.latest(),
    "runs.tensor": (request) => runs.tensor(request),
    "runs.chromeTrace": ({ runId }) => runs.chromeTrace(runId),
  };

  let disposal: Promise<void> | undefined;
  const dispose = () => {
    disposal ??= (async () => {
      disposed.abort();
      ops.dispose();
      // Tasks end while sessions close: a session whose master is gone has nothing left to close.
      await Promise.allSettled([runs.dispose(), cluster.dispose(), runtime.dispose()]);
    })();
    return disposal;
  };
  signal?.addEventListener("abort", () => void dispose(), { once: true });

  return {
    handle: async (method, params) => {
      if (disposal) throw problem("UNAVAILABLE", "Tensordeck ends.");
      return await callHandler(handlers, method, params);
    },
    onEvent: (listener) => events.listen(listener),
    dispose,
  };
}

function notOnThisHost(what: string, reason: string): Error {
  return problem("UNIMPLEMENTED", `${what} is not to be had here.`, { reason });
}
