/** The tasks of this machine, no matter which machine owns them, and the libtensorflow that they use. */
import { inBackground } from "../../worker-runtime/faults.js";
import type { Runtime } from "../api/runtime.js";
import type { taskMethods } from "../api/tasks.js";
import { machineEngines } from "../machine/engines.js";
import type { MachineRoom } from "../machine/room.js";
import type { SettingsPort } from "../settings/room.js";
import type { EmitEvent } from "../shared/events.js";
import type { HandlersOf } from "../shared/handlers.js";
import { once, type Room } from "../shared/room.js";
import { stopExposedTasks } from "./exposure.js";
import type { OpenProbe } from "./health.js";
import { Isolation, type IsolationCollaborators } from "./isolation/isolation.js";
import type { LaunchTask } from "./launcher.js";
import { LocalTaskHost } from "./local-task-host.js";
import { Ports } from "./ports.js";
import { RuntimeService } from "./runtime/runtime-service.js";
import type { RuntimeTools } from "./runtime/runtime-tools.js";
import type { LaunchKnowledge } from "./server-launcher.js";
import type { TaskHost } from "./task-host.js";

/** Which machines may have tasks here. */
export interface TaskOwners {
  /** Device ID of this machine. */
  readonly ownId: string;
  /** Whether a machine, this one or another, may have tasks here. */
  mayOwn(deviceId: string): boolean;
}

/** Starts and stops the processes of tasks. */
export interface TaskEngine {
  readonly launcher: (knowledge: LaunchKnowledge) => LaunchTask;
  readonly openProbe: OpenProbe;
  readonly runtime: RuntimeTools;
}

export interface TasksOptions {
  readonly engine: TaskEngine;
  readonly settings: SettingsPort;
  readonly machine: Pick<MachineRoom, "gpus" | "add" | "tellChanges">;
  readonly owners: TaskOwners;
  readonly emit: EmitEvent;
  /** File that keeps the tasks across restarts. */
  readonly wantedFile: string;
  /** See `IsolationCollaborators`. */
  readonly namespaces?: NonNullable<IsolationCollaborators["namespaces"]>;
}

export interface TasksRoom extends Room<HandlersOf<typeof taskMethods>> {
  readonly host: TaskHost;
  readonly isolation: Pick<Isolation, "connectTask" | "setTunnelPorts" | "reach">;
  /** Allocates the ports of tasks; one for all that this process starts. */
  readonly ports: Ports;
  /**
   * Sets what carries the connections of isolated tasks to tasks elsewhere. Tunnels are created after this room
   * because they depend on its tasks; until then no connection is carried to other machines.
   */
  attachTunnels(carry: IsolationCollaborators["carry"]): void;
  /** The libtensorflow of this machine, once detection has run. */
  runtime(): Promise<Runtime | undefined>;
  /** Detects the engines of this machine and what could be installed. */
  lookForRuntime(): Promise<void>;
  /** Restores the tasks of the previous process. */
  restore(): Promise<void>;
}

export function createTasks(options: TasksOptions): TasksRoom {
  const { engine, settings, machine, owners, emit, wantedFile, namespaces } = options;
  const { ownId } = owners;
  let carry: IsolationCollaborators["carry"] = () => false;
  const runtime = new RuntimeService(engine.runtime, (event, data) => {
    emit(event, data);
    // A library that was found or installed is an engine of this machine.
    machine.tellChanges();
  });
  const isolation = new Isolation({
    carry: (port, client) => carry(port, client),
    ...(namespaces ? { namespaces } : {}),
  });
  const ports = new Ports();
  const host = new LocalTaskHost({
    ports,
    launch: isolation.launcher(
      engine.launcher({
        library: () => runtime.known()?.path,
        graphFolders: () => settings.now().graphFolders,
      }),
    ),
    openProbe: engine.openProbe,
    gpus: () => machine.gpus(),
    engines: async () => machineEngines(await runtime.runtime(), machine.gpus().length),
    mayExpose: (owner) => owner === ownId || settings.now().allowExposedTasks,
    wantedFile,
  });
  let canIsolate: boolean | undefined;
  machine.add({
    engines: () => machineEngines(runtime.known(), machine.gpus().length),
    exposure: () =>
      canIsolate === undefined
        ? undefined
        : { allowed: settings.now().allowExposedTasks, avoidable: canIsolate },
    taskOfPid: (pid) => host.tasks().find((task) => task.pid === pid)?.id,
  });
  inBackground(
    isolation.available().then(({ ok }) => {
      canIsolate = ok;
      machine.tellChanges();
    }),
  );
  const stopListening = settings.onChange(async ({ before, now }) => {
    if (now.allowExposedTasks === before.allowExposedTasks) return;
    machine.tellChanges();
    if (!now.allowExposedTasks) await stopExposedTasks(host, ownId);
  });
  const endWork = once(async () => {
    stopListening();
    await Promise.allSettled([host.dispose(), runtime.dispose()]);
  });
  return {
    handlers: {
      "runtime.get": () => runtime.get(),
      "runtime.refresh": () => runtime.refresh(),
      "runtime.install": () => runtime.install(),
      "runtime.cancelInstall": () => runtime.cancelInstall(),
    },
    host,
    isolation,
    ports,
    attachTunnels: (tunnels) => {
      carry = tunnels;
    },
    runtime: () => runtime.runtime(),
    lookForRuntime: async () => {
      await runtime.get();
    },
    restore: () => host.restore((owner) => owners.mayOwn(owner)),
    endWork,
    dispose: once(async () => {
      await endWork();
      await isolation.close();
    }),
  };
}
