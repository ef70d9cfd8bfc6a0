/** The server's half of Watch: everything once, then what changed, no faster than the caller takes it. */
import * as wire from "../../protos/generated/tensordeck/agent.js";
import type { MachineMetrics } from "../api/machines.js";
import { deferred, delay, unlessAborted } from "../deferred.js";
import type { TaskHost } from "../tasks/task-host.js";
import type { MachineSource } from "./collaborators.js";
import { type DescribedMachine, machineToMessage, metricsToMessage } from "./messages/machine.js";
import { taskToMessage } from "./messages/tasks.js";
import type { Send } from "./peer-server.js";

/** Changes come in bursts, as when a task goes through its states; a person sees no more of them. */
const GATHER_MILLIS = 50;

export interface Watched {
  readonly tasks: TaskHost;
  readonly machine: MachineSource;
  /** The machine as the caller is to see it. */
  describe(): DescribedMachine;
  /** Calls the listener when the caller's role may be another one. */
  onRoleChange(listener: () => void): () => void;
}

/** Sends until the signal is aborted. What changes while the caller is slow is sent once, as it is then. */
export async function sendChanges(
  watched: Watched,
  signal: AbortSignal,
  send: Send<wire.WatchEvent>,
): Promise<void> {
  const told = new Told();
  let metrics: MachineMetrics | undefined;
  let changed = deferred<void>();
  const wake = () => changed.resolve();
  const stops = [
    watched.tasks.onChange(wake),
    watched.machine.onChange(wake),
    watched.onRoleChange(wake),
    watched.machine.onMetrics((sample) => {
      metrics = sample;
      wake();
    }),
  ];
  try {
    await send(told.changes(watched, undefined) ?? wire.WatchEvent.create());
    while (!signal.aborted) {
      await unlessAborted(changed.promise, signal).catch(() => undefined);
      await delay(GATHER_MILLIS, signal);
      if (signal.aborted) return;
      changed = deferred<void>();
      const sample = metrics;
      metrics = undefined;
      const event = told.changes(watched, sample);
      if (event) await send(event);
    }
  } finally {
    for (const stop of stops) stop();
  }
}

/** What the caller knows, as the bytes that it was sent. */
class Told {
  #machine: Uint8Array | undefined;
  #tasks = new Map<string, Uint8Array>();

  /** What the caller does not know yet; undefined when that is nothing. */
  changes(watched: Watched, metrics: MachineMetrics | undefined): wire.WatchEvent | undefined {
    const event = wire.WatchEvent.create();
    const machine = machineToMessage(watched.describe());
    const machineBytes = wire.MachineDescription.encode(machine).finish();
    if (!same(this.#machine, machineBytes)) event.machine = machine;
    this.#machine = machineBytes;
    if (metrics) event.metrics = metricsToMessage(metrics);
    const tasks = new Map<string, Uint8Array>();
    for (const task of watched.tasks.tasks()) {
      const message = taskToMessage(task);
      const bytes = wire.Task.encode(message).finish();
      if (!same(this.#tasks.get(task.id), bytes)) event.tasks.push(message);
      tasks.set(task.id, bytes);
    }
    event.removedTaskIds = [...this.#tasks.keys()].filter((id) => !tasks.has(id));
    this.#tasks = tasks;
    const { machine: newMachine, metrics: newMetrics, tasks: newTasks, removedTaskIds } = event;
    return newMachine || newMetrics || newTasks.length > 0 || removedTaskIds.length > 0 ? event : undefined;
  }
}

function same(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && Buffer.compare(a, b) === 0;
}
