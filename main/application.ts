/**
 * The application behind the windows: makes its rooms, each with the ports of those before it, merges what they handle,
 * and ends them in reverse order. It has no logic of its own.
 */
import { join } from "node:path";
import { inBackground } from "../worker-runtime/faults.js";
import type { EventName } from "./api/contract.js";
import type { NumberedEvent } from "./api/missed-events.js";
import type { Host } from "./app/host.js";
import { type InUse, inUse } from "./app/in-use.js";
import { createApp } from "./app/room.js";
import { createCluster } from "./cluster/room.js";
import { createDocuments } from "./documents/room.js";
import { defaultEngine, type Engine } from "./engine.js";
import { createKubernetes } from "./kubernetes/room.js";
import { createMachine } from "./machine/room.js";
import { openOwnFirewall } from "./network/firewall/own-firewall.js";
import { createNetwork } from "./network/room.js";
import type { KnownPeers } from "./peers/agent/instance-lock.js";
import { mayRunScripts } from "./peers/agent/roles.js";
import { loadCredentials } from "./peers/credentials.js";
import { type NetworkScope, networkScope } from "./peers/network-scope.js";
import { createPeers } from "./peers/room.js";
import { createRuns } from "./runs/room.js";
import { createScripts } from "./scripts/room.js";
import { createSettings } from "./settings/room.js";
import { type Caller, THIS_PROGRAM } from "./shared/caller.js";
import { EventHub, type EventListener } from "./shared/events.js";
import { callHandler, type Handlers } from "./shared/handlers.js";
import { log } from "./shared/log/log.js";
import { problem } from "./shared/problems.js";
import { endAll, type Room } from "./shared/room.js";
import { Watchers } from "./shared/watchers.js";
import { createSubmit } from "./submit/room.js";
import { createTasks } from "./tasks/room.js";

export interface ApplicationOptions {
  /** Folder for settings and all other saved state; created when first needed. */
  readonly dataDir: string;
  readonly host: Host;
  /** Port at which the agent listens; the default one unless given. */
  readonly agentPort?: number;
  /** How far it communicates with other machines; the value of TENSORDECK_NETWORK unless given. */
  readonly network?: NetworkScope;
  /** Disposes the application when it is aborted. */
  readonly signal?: AbortSignal;
  /** The engine that runs graphs; other than TensorFlow's only in tests. */
  readonly engine?: Engine;
}

export interface Application {
  /**
   * Runs one method of the contract.
   *
   * @throws ProblemError INVALID_ARGUMENT for unknown methods and parameters that do not fit; whatever the method
   *   throws. `problemOf` turns any of these into a problem for display.
   * @param caller The window that calls; this program itself unless given.
   */
  handle(method: string, params: unknown, caller?: Caller): Promise<unknown>;
  /**
   * Calls the listener for every event until the returned function is called.
   *
   * @param options.background True if the listener is not a window: nothing is measured for it alone.
   */
  onEvent(listener: EventListener, options?: { readonly background?: boolean }): () => void;
  /** The newest event of a name that carries a state. */
  newestEvent(event: EventName): NumberedEvent | undefined;
  /** For programs that ask the process that holds the data folder. */
  knownPeers(): KnownPeers;
  /** The work that the user would lose if the application ended now. */
  inUse(): InUse;
  /** Ends runs, installations and every task process; resolves when they are gone. May be called more than once. */
  dispose(): Promise<void>;
}

/**
 * Creates the application. Tasks of the previous process are restored right away; everything else waits for a window.
 */
export async function createApplication(options: ApplicationOptions): Promise<Application> {
  const { dataDir, host, signal, engine = defaultEngine() } = options;
  const inDataDir = (name: string) => join(dataDir, name);
  const events = new EventHub();
  const watchers = new Watchers();
  const { emit } = events;

  const credentials = await loadCredentials(dataDir);
  const settings = await createSettings({ file: inDataDir("settings.json"), emit });
  const app = createApp({ host, emit });
  const documents = createDocuments({
    draftsFolder: inDataDir("drafts"),
    examples: engine.examples,
    recent: settings,
    host,
  });
  const machine = createMachine({ settings });
  const firewall = await openOwnFirewall({ dataDir, agentPort: () => machine.description().agentPort });
  const tasks = createTasks({
    engine,
    settings,
    machine,
    owners: credentials.owners,
    emit,
    wantedFile: inDataDir("tasks.json"),
  });
  const { trust } = credentials;
  const scripts = createScripts({
    folder: inDataDir("scripts"),
    ports: tasks.ports,
    mayExpose: () => settings.now().allowExposedTasks,
    mayRun: (deviceId) => mayRunScripts(trust, deviceId),
    onTrust: (listener) => trust.onChange(() => listener()),
  });
  const peers = createPeers({
    scripts,
    credentials,
    settings,
    machine,
    tasks,
    firewall,
    watchers,
    emit,
    dataDir,
    machinesFile: inDataDir("machines.json"),
    scope: options.network ?? networkScope(),
    port: options.agentPort,
    sharedWindow: host.sharedWindow,
  });
  const { cluster, ...clusterRoom } = createCluster({
    peers,
    tasks,
    openProbe: engine.openProbe,
    settings,
    emit,
    file: inDataDir("cluster.json"),
  });
  const runs = createRuns({
    ...{ engine, cluster, documents, tasks, emit },
    ...{ folder: inDataDir("runs"), checkpointFolder: inDataDir("checkpoints") },
    setAsideFolder: inDataDir("set-aside"),
  });
  clusterRoom.attachRuns(runs.isGoing);
  const submit = createSubmit({
    folder: inDataDir("scripts"),
    ports: tasks.ports,
    identity: credentials.identity,
    trust,
    ownName: () => machine.description().name,
    emit,
  });
  const kubernetes = createKubernetes({ emit, runs, submit, openProbe: engine.openProbe });
  const network = createNetwork({ peers, cluster, firewall, events, emit });

  const rooms: readonly Room<unknown>[] = [
    settings,
    app,
    documents,
    machine,
    tasks,
    scripts,
    peers,
    clusterRoom,
    runs,
    submit,
    kubernetes,
    network,
  ];
  const handlers: Handlers = {
    "events.missed": (known) => events.missed(known),
    ...settings.handlers,
    ...app.handlers,
    ...documents.handlers,
    ...tasks.handlers,
    ...peers.handlers,
    ...clusterRoom.handlers,
    ...runs.handlers,
    ...submit.handlers,
    ...kubernetes.handlers,
    ...network.handlers,
  };

  // Tasks are restored after the cluster, which knows their former colours, and before other machines see this one
  // without them.
  clusterRoom.loaded
    .then(() => tasks.restore())
    .then(() => peers.show())
    .catch((error: unknown) => log.error("This machine could not be shown to others:", error));

  let disposal: Promise<void> | undefined;
  const dispose = () => {
    disposal ??= endAll(rooms);
    return disposal;
  };
  signal?.addEventListener("abort", () => inBackground(dispose()), { once: true });

  return {
    handle: async (method, params, caller = THIS_PROGRAM) => {
      if (disposal) throw problem("UNAVAILABLE", "Tensordeck is shutting down.");
      return await callHandler(handlers, method, params, caller);
    },
    knownPeers: () => peers.knownPeers(),
    inUse: () =>
      inUse({
        ownId: peers.ownId,
        tasks: tasks.host.tasks(),
        uses: clusterRoom.uses(),
        nameOf: (deviceId) => peers.trust.get(deviceId)?.name,
        run: runs.latest(),
        scripts: submit.running(),
      }),
    newestEvent: (event) => events.newest(event),
    onEvent: (listener, { background = false } = {}) => {
      const stops = [events.listen(listener), ...(background ? [] : [watchers.add()])];
      return () => {
        for (const stop of stops) stop();
      };
    },
    dispose,
  };
}
