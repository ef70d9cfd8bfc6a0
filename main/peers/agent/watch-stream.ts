/**
 * The server's half of Watch: the complete state once, then changes and samples, no faster than the caller reads them.
 */

import * as wire from "../../../protos/generated/tensordeck/agent.js";
import { delay } from "../../../worker-runtime/cancellation/delay.js";
import { unlessAborted } from "../../../worker-runtime/cancellation/unless-aborted.js";
import type { MachineSample } from "../../api/samples.js";
import { deferred } from "../../shared/deferred.js";
import type { TaskHost, TaskSamples } from "../../tasks/task-host.js";
import type { MachineSource } from "./collaborators.js";
import { type DescribedMachine, machineSampleToMessage, machineToMessage } from "./messages/machine.js";
import { taskSampleToMessage, taskToMessage } from "./messages/tasks.js";
import type { Send } from "./peer-server.js";

/** Changes come in bursts, as when a task passes through its states; a person could not see more of them. */
const GATHER_MILLIS = 50;

export interface Watched {
  readonly tasks: TaskHost;
  readonly machine: MachineSource;
  /** The machine as shown to the caller. */
  describe(): DescribedMachine;
  /** Calls the listener when the caller's role may have changed. */
  onRoleChange(listener: () => void): () => void;
}

/** Sends until the signal is aborted. What changes while the caller is slow is sent once, as it is then. */
export async function sendChanges(
  watched: Watched,
  signal: AbortSignal,
  send: Send<wire.WatchEvent>,
): Promise<void> {
  const told = new Told(watched);
  // Both, so that the first event is complete.
  let news: News = { machine: true, tasks: true };
  let changed = deferred<void>();
  const tell = (more: News) => {
    news = { ...news, ...more };
    changed.resolve();
  };
  const stops = [
    watched.tasks.onChange(() => tell({ tasks: true })),
    watched.machine.onChange(() => tell({ machine: true })),
    watched.onRoleChange(() => tell({ machine: true })),
    watched.machine.onSample((ofMachine) => tell({ ofMachine })),
    watched.tasks.onSamples((ofTasks) => tell({ ofTasks })),
  ];
  try {
    while (!signal.aborted) {
      const current = news;
      news = {};
      changed = deferred<void>();
      const event = told.changes(current);
      if (event) await send(event);
      await unlessAborted(changed.promise, signal).catch(() => undefined);
      await delay(GATHER_MILLIS, signal);
    }
  } finally {
    for (const stop of stops) stop();
  }
}

/** The parts that may have changed. */
interface News {
  readonly machine?: boolean;
  readonly tasks?: boolean;
  /** The newest samples. */
  readonly ofMachine?: MachineSample;
  readonly ofTasks?: TaskSamples;
}

/** The state that the caller knows, as the bytes sent to it. */
class Told {
  readonly #watched: Watched;
  #machine: Uint8Array | undefined;
  #tasks = new Map<string, Uint8Array>();

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  /** The news for the caller; undefined if there is nothing new. */
  changes(news: News): wire.WatchEvent | undefined {
    const event = wire.WatchEvent.create();
    if (news.machine) event.machine = this.#machineIfNew();
    if (news.tasks) this.#addTasks(event);
    if (news.ofMachine) event.metrics = machineSampleToMessage(news.ofMachine);
    event.taskMetrics = [...(news.ofTasks ?? [])].map(([id, sample]) => taskSampleToMessage(id, sample));
    const { machine, metrics, tasks, removedTaskIds, taskMetrics } = event;
    const hasNews =
      machine || metrics || [tasks, removedTaskIds, taskMetrics].some(({ length }) => length > 0);
    return hasNews ? event : undefined;
  }

  #machineIfNew(): wire.MachineDescription | undefined {
    const machine = machineToMessage(this.#watched.describe());
    const bytes = wire.MachineDescription.encode(machine).finish();
    if (same(this.#machine, bytes)) return undefined;
    this.#machine = bytes;
    return machine;
  }

  #addTasks(event: wire.WatchEvent): void {
    const known = new Map<string, Uint8Array>();
    for (const task of this.#watched.tasks.tasks()) {
      const message = taskToMessage(task);
      const bytes = wire.Task.encode(message).finish();
      if (!same(this.#tasks.get(task.id), bytes)) event.tasks.push(message);
      known.set(task.id, bytes);
    }
    event.removedTaskIds = [...this.#tasks.keys()].filter((id) => !known.has(id));
    this.#tasks = known;
  }
}

function same(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && Buffer.compare(a, b) === 0;
}
