/**
 * The application behind the windows: makes the services, gives each method of the contract to one of them, and ends
 * everything that it started. It has no logic of its own.
 */
import { hostname } from "node:os";
import { join } from "node:path";
import { nodeCommand } from "../worker-runtime/engines/package-root.js";
import { inBackground } from "../worker-runtime/faults.js";
import type { Host } from "./app/host.js";
import { ClusterDoor } from "./cluster/cluster-door.js";
import { ClusterService } from "./cluster/cluster-service.js";
import { listDirectory } from "./documents/directory.js";
import { DocumentService } from "./documents/document-service.js";
import { DraftStore } from "./documents/draft-store.js";
import { defaultEngine, type Engine } from "./engine.js";
import { machineEngines } from "./machine/engines.js";
import { MachineDescriber } from "./machine/machine-describer.js";
import { loadRuleTag } from "./network/firewall/rule-tag.js";
import { thisFirewall } from "./network/firewall/this-firewall.js";
import { FirewallWizardService } from "./network/firewall/wizard/firewall-wizard.js";
import { KnownFacts } from "./network/reachability/known-facts.js";
import { probeAddress } from "./network/reachability/probe.js";
import { ReachabilityService } from "./network/reachability/reachability-service.js";
import type { Clones } from "./peers/agent/instance-lock.js";
import { ControlPlane, loadCredentials } from "./peers/control-plane.js";
import { stopExposedTasks } from "./peers/former-owners.js";
import { requestNewIdentity } from "./peers/identity/new-identity.js";
import { type NetworkScope, networkScope } from "./peers/network-scope.js";
import { wizardMachines } from "./peers/wizard-machines.js";
import { readFeeds } from "./runs/feeds.js";
import { KernelListService } from "./runs/ops/kernel-list-service.js";
import { OpListService } from "./runs/ops/op-list-service.js";
import { RunService } from "./runs/run-service.js";
import { SettingsService } from "./settings/settings-service.js";
import { type Caller, THIS_PROGRAM } from "./shared/caller.js";
import { EventHub, type EventListener } from "./shared/events.js";
import { callHandler, type Handlers } from "./shared/handlers.js";
import { defined, problem } from "./shared/problems.js";
import { version } from "./shared/version.js";
import { Isolation } from "./tasks/isolation/isolation.js";
import { LocalTaskHost } from "./tasks/local-task-host.js";
import { RuntimeService } from "./tasks/runtime/runtime-service.js";

export interface ApplicationOptions {
  /** Folder for settings and whatever else is kept; made when it is first needed. */
  readonly dataDir: string;
  readonly host: Host;
  /** Port at which the agent listens; the usual one unless given. */
  readonly agentPort?: number;
  /** How far it talks to other machines; what TENSORDECK_NETWORK says unless given. */
  readonly network?: NetworkScope;
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
   * @param caller The window that calls; this program itself unless given.
   */
  handle(method: string, params: unknown, caller?: Caller): Promise<unknown>;
  /** Calls the listener for every event until the returned function is called. */
  onEvent(listener: EventListener): () => void;
  /** Where machines answer that have one identity, "host:port" each, by device ID. */
  clones(): Clones;
  /** Ends runs, installations and every task process; resolves when they are gone. May be called more than once. */
  dispose(): Promise<void>;
}

/** Makes the application. Tasks of an earlier life come back by themselves; everything else waits for a window. */
export async function createApplication(options: ApplicationOptions): Promise<Application> {
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
  const kernels = new KernelListService({ version: version(), ask: engine.portableKernels });
  const [credentials, kept, tag] = await Promise.all([
    loadCredentials(dataDir),
    settings.get(),
    loadRuleTag(dataDir),
  ]);
  const { deviceId: ownId } = credentials.identity;
  let { machineName, graphFolders, allowExposedTasks } = kept;
  let canIsolate: boolean | undefined;
  const describer = new MachineDescriber({
    name: () => machineName,
    agentPort: () => network.presence.port,
    engines: () => machineEngines(runtime.known()),
    exposure: () =>
      canIsolate === undefined ? undefined : { allowed: allowExposedTasks, avoidable: canIsolate },
    taskOfPid: (pid) => tasks.tasks().find((task) => task.pid === pid)?.id,
  });
  const isolation = new Isolation({ carry: (port, client) => network.tunnels.accept(port, client) });
  const tasks = new LocalTaskHost({
    launch: isolation.launcher(
      engine.launcher({ library: () => runtime.known()?.path, graphFolders: () => graphFolders }),
    ),
    openProbe: engine.openProbe,
    gpus: () => describer.description().gpus,
    mayExpose: (owner) => owner === ownId || allowExposedTasks,
    wantedFile: join(dataDir, "tasks.json"),
  });
  const firewall = thisFirewall({
    agentPort: () => network.presence.port,
    programs: [process.execPath, nodeCommand().command],
    tag,
  });
  const network = new ControlPlane({
    ...credentials,
    dataDir,
    scope: options.network ?? networkScope(),
    ...defined({ port: options.agentPort }),
    name: () => describer.description().name,
    machine: describer,
    tasks,
    isLocalServer: (port) => cluster.hasLocalServer(port),
    isolation,
    firewall,
    mayExpose: () => allowExposedTasks,
    ...defined({ sharedWindow: host.sharedWindow }),
    onPairing: (state) => emit("pairing", state),
  });
  let windows = 0;
  let stopMeasuring = () => {};
  const cluster = new ClusterService({
    machines: network.machines,
    emit,
    isWatched: () => windows > 0,
    openProbe: engine.openProbe,
    file: join(dataDir, "cluster.json"),
    discovery: () => network.presence.state(),
    door: () => door.state(),
    stopPsWithLastWorker: async () => (await settings.get()).stopPsWithLastWorker,
    reachPort: (port) => isolation.reach(port),
  });
  const door = new ClusterDoor(cluster);
  const proberOf = (machineId: string) => (machineId === ownId ? probeAddress : network.proberOf(machineId));
  const known = new KnownFacts({
    machineId: () => ownId,
    listen: (listener) => events.listen(listener),
    tasks: () => cluster.tasks(),
  });
  const reachability = new ReachabilityService({
    cluster,
    emit,
    proberOf,
    measure: (from, to, signal) => network.measureLink(from, to, signal),
    facts: () => known.facts(),
    callsHere: (machineId) => network.isCalledBy(machineId),
  });
  const wizard = new FirewallWizardService({
    machines: wizardMachines({
      cluster,
      ownId,
      ownFirewall: firewall,
      network,
      proberOf,
    }),
    emit: (event, data) => {
      const before = event === "firewall" ? shown : undefined;
      emit(event, data);
      shown = wizard.get();
      // What was just opened or closed again shows in the links.
      if (before?.busy && shown?.busy === false && shown.apply) reachability.check();
    },
  });
  let shown = wizard.get();
  network.presence.onChange(() => {
    describer.tellChanges();
    cluster.refresh();
  });
  events.listen((event) => {
    // Whatever was found or installed is something to compute with here.
    if (event === "runtime") describer.tellChanges();
  });
  inBackground(describer.start());
  inBackground(
    isolation.available().then(({ ok }) => {
      canIsolate = ok;
      describer.tellChanges();
    }),
  );
  // Tasks come back after the cluster, which knows the colours that they had, and before anybody sees this machine
  // without them.
  cluster.loaded
    .then(() => tasks.restore((owner) => network.mayOwnTasks(owner)))
    .then(async () => {
      await network.presence.setVisible((await settings.get()).visible);
      // Whoever sees this machine wants to know what can compute here, whether or not it shows a window.
      if (network.presence.port !== undefined) await runtime.get();
    })
    .catch((error: unknown) => console.error("This machine could not be shown to others:", error));
  const documents = new DocumentService({
    examples: engine.examples,
    onUsed: (path) => settings.addRecentDocument(path),
  });
  const drafts = new DraftStore({
    folder: join(dataDir, "drafts"),
    versionOf: (sourceId, path) => documents.versionOf(sourceId, path),
  });
  const runs = new RunService({
    cluster,
    emit,
    readFeeds,
    folderOf: (sourceId) => documents.folderOf(sourceId),
  });

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
    "settings.set": async (changes) => {
      const now = await settings.set(changes);
      graphFolders = now.graphFolders;
      if (now.machineName !== machineName) {
        machineName = now.machineName;
        describer.tellChanges();
        network.presence.renamed();
      }
      if (now.allowExposedTasks !== allowExposedTasks) {
        allowExposedTasks = now.allowExposedTasks;
        describer.tellChanges();
        if (!allowExposedTasks) await stopExposedTasks(tasks, ownId);
      }
      if (changes.visible !== undefined) await network.presence.setVisible(changes.visible);
      return now;
    },

    "cluster.get": () => cluster.state(),
    "cluster.addTasks": async (request) => {
      // Which engine is the best one here is known only after the look for a libtensorflow.
      await runtime.runtime();
      return cluster.addTasks(request);
    },
    "cluster.addForeign": (request) => cluster.addForeign(request),
    "cluster.applyTable": ({ rows }) => cluster.applyTable(rows),
    "cluster.setAccess": ({ access }) => cluster.setAccess(access),
    "cluster.clearState": ({ taskId }) => cluster.clearState(taskId),
    "cluster.startTask": ({ taskId }) => cluster.startTask(taskId),
    "cluster.stopTask": ({ taskId }) => cluster.stopTask(taskId),
    "cluster.restartTask": ({ taskId }) => cluster.restartTask(taskId),
    "cluster.removeTask": ({ taskId }) => cluster.removeTask(taskId),
    "cluster.setMembership": ({ membership }) => cluster.setMembership(membership),
    "cluster.taskLog": ({ taskId, afterSequence }) => cluster.taskLog(taskId, afterSequence),

    "machines.identity": () => {
      const { name } = describer.description();
      return { deviceId: ownId, name, ...defined({ agentPort: network.presence.port }) };
    },
    "machines.add": ({ address }) => network.add(address),
    "machines.forget": ({ machineId }) =>
      machineId.startsWith("foreign:") ? cluster.forgetHost(machineId) : network.machines.forget(machineId),
    "machines.setRole": ({ machineId, role }) => network.machines.setRole(machineId, role),
    "machines.search": () => network.machines.search(),
    "machines.newIdentity": () => requestNewIdentity(dataDir),
    "machines.openWindow": ({ machineId }) => network.link(machineId).openWindow(),
    "pairing.get": () => network.pairing.state(),
    "pairing.start": ({ machineId, grantedRole }) => network.pair(machineId, grantedRole),
    "pairing.enterCode": ({ code }) => network.pairing.enterCode(code),
    "pairing.setGrantedRole": ({ role }) => network.pairing.setGrantedRole(role),
    "pairing.close": () => network.pairing.close(),
    "reachability.get": () => reachability.get(),
    "reachability.check": () => reachability.check(),
    "reachability.measureLink": ({ from, to }) => reachability.measureLink(from, to),
    "firewall.get": () => wizard.get(),
    "firewall.open": (request) => wizard.open(request),
    "firewall.configure": (choice) => wizard.configure(choice),
    "firewall.goTo": (request) => wizard.goTo(request),
    "firewall.test": () => wizard.test(),
    "firewall.apply": () => wizard.apply(),
    "firewall.undo": () => wizard.undo(),
    "firewall.close": () => wizard.close(),

    "runtime.get": () => runtime.get(),
    "runtime.refresh": () => runtime.refresh(),
    "runtime.install": () => runtime.install(),
    "runtime.cancelInstall": () => runtime.cancelInstall(),

    "ops.list": () => ops.list(),
    "kernels.list": () => kernels.list(),

    "documents.examples": () => documents.examples(),
    "documents.openExample": ({ id }) => documents.openExample(id),
    "documents.open": ({ path }) => documents.open(path),
    "documents.read": ({ name, bytes }) => documents.read(name, bytes),
    "documents.save": (request) => documents.save(request),
    "documents.keepDraft": (request, caller) => drafts.keep(request, caller),
    "documents.drafts": ({ own }, caller) => drafts.list(own, caller),
    "documents.restoreDraft": async ({ draftId }, caller) =>
      documents.openDraft(await drafts.restore(draftId, caller)),
    "documents.discardDraft": ({ draftId }, caller) => drafts.discard(draftId, caller),
    "documents.discardOwnDrafts": (_params, caller) => drafts.discardOf(caller),

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
      describer.dispose();
      ops.dispose();
      kernels.dispose();
      reachability.dispose();
      known.dispose();
      wizard.close();
      // Tasks end while sessions close: a session whose master is gone has nothing left to close.
      await Promise.allSettled([
        runs.dispose(),
        tasks.dispose(),
        cluster.dispose(),
        runtime.dispose(),
        drafts.dispose(),
      ]);
      // Last: the stops above are still told to the machines that watch this one.
      await Promise.allSettled([network.close(), door.close(), isolation.close()]);
    })();
    return disposal;
  };
  signal?.addEventListener("abort", () => inBackground(dispose()), { once: true });

  return {
    handle: async (method, params, caller = THIS_PROGRAM) => {
      if (disposal) throw problem("UNAVAILABLE", "Tensordeck ends.");
      return await callHandler(handlers, method, params, caller);
    },
    clones: () => Object.fromEntries([...network.clones.all()].map(([id, places]) => [id, [...places]])),
    onEvent: (listener) => {
      const stop = events.listen(listener);
      // What only windows show is measured and put together for them only: a machine without one idles.
      if (windows++ === 0) stopMeasuring = network.measureOwnLoad();
      let isOpen = true;
      return () => {
        stop();
        if (isOpen && --windows === 0) stopMeasuring();
        isOpen = false;
      };
    },
    dispose,
  };
}

function notOnThisHost(what: string, reason: string): Error {
  return problem("UNIMPLEMENTED", `${what} is not to be had here.`, { reason });
}
