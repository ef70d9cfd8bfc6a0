/** TensorFlow servers that were started outside Tensordeck: probed for health, never started or stopped. */
import { withDeadline } from "../../worker-runtime/cancellation/deadline.js";
import { delay } from "../../worker-runtime/cancellation/delay.js";
import { taskOfDevice } from "../../worker-runtime/cluster/device-name.js";
import { inBackground } from "../../worker-runtime/faults.js";
import type { Device, TaskState } from "../api/cluster.js";
import type { Problem } from "../api/problem.js";
import { messageOf, problem } from "../shared/problems.js";
import {
  HEALTH_INTERVAL_MILLIS,
  type Health,
  type HealthProbe,
  MISSES_UNTIL_UNRESPONSIVE,
  type OpenProbe,
} from "../tasks/health.js";
import { taskName } from "./cluster-task.js";

/** The facts that are saved about a foreign server. */
export interface ForeignAddress {
  readonly id: string;
  readonly address: string;
  readonly job: string;
  readonly index: number;
}

export interface ForeignServer extends ForeignAddress {
  readonly state: TaskState;
  /** Under the names that the server itself uses. */
  readonly devices: readonly Device[];
  readonly incarnation: string | undefined;
  readonly problem: Problem | undefined;
}

interface Entry {
  server: ForeignServer;
  readonly over: AbortController;
}

export class ForeignServers {
  readonly #openProbe: OpenProbe;
  readonly #onChange: () => void;
  readonly #entries = new Map<string, Entry>();

  constructor(openProbe: OpenProbe, onChange: () => void) {
    this.#openProbe = openProbe;
    this.#onChange = onChange;
  }

  /** In the order in which they were added. */
  list(): ForeignServer[] {
    return [...this.#entries.values()].map(({ server }) => server);
  }

  /** The job and index that a server was started with, while it answers. */
  ownName(taskId: string): { readonly job: string; readonly index: number } | undefined {
    return ownNameOf(this.#entries.get(taskId)?.server.devices ?? []);
  }

  /**
   * Adds a server once it has answered, in place of an existing one with the same id.
   *
   * @throws ProblemError UNAVAILABLE when no TensorFlow server answers at the address.
   */
  async add(server: ForeignAddress): Promise<void> {
    const probe = this.#openProbe(server.address);
    try {
      const health = await withDeadline(HEALTH_INTERVAL_MILLIS, undefined, (signal) => probe.check(signal));
      this.#watch(answered(server, health), probe);
    } catch (error) {
      probe.close();
      throw problem("UNAVAILABLE", `No TensorFlow server answers at ${server.address}.`, {
        reason: "It is not running, has another port, or a firewall blocks it.",
        remedy: "Check the address, and that its machine can be reached from this one.",
        details: messageOf(error),
      });
    }
  }

  /** Restores a server of a previous run of the application, whether it answers or not. */
  addAgain(server: ForeignAddress): void {
    this.#watch(
      { ...server, state: "starting", devices: [], incarnation: undefined, problem: undefined },
      this.#openProbe(server.address),
    );
  }

  /** Gives a server another name in the cluster. */
  rename(taskId: string, job: string, index: number): void {
    const entry = this.#entries.get(taskId);
    if (entry) this.#set(entry, { ...entry.server, job, index });
  }

  /** Removes a server, which keeps running. Returns false if there is none with this id. */
  remove(taskId: string): boolean {
    this.#entries.get(taskId)?.over.abort();
    const removed = this.#entries.delete(taskId);
    if (removed) this.#onChange();
    return removed;
  }

  dispose(): void {
    for (const { over } of this.#entries.values()) over.abort();
    this.#entries.clear();
  }

  #watch(server: ForeignServer, probe: HealthProbe): void {
    this.#entries.get(server.id)?.over.abort();
    const entry: Entry = { server, over: new AbortController() };
    this.#entries.set(server.id, entry);
    this.#onChange();
    inBackground(this.#poll(entry, probe));
  }

  async #poll(entry: Entry, probe: HealthProbe): Promise<void> {
    const { signal } = entry.over;
    let misses = 0;
    while (!signal.aborted) {
      try {
        const health = await probe.check(signal);
        misses = 0;
        if (!signal.aborted) this.#answered(entry, health);
      } catch (error) {
        misses++;
        if (misses >= MISSES_UNTIL_UNRESPONSIVE && !signal.aborted) this.#silent(entry, error);
      }
      await delay(HEALTH_INTERVAL_MILLIS, signal);
    }
    probe.close();
  }

  #answered(entry: Entry, health: Health): void {
    const { state, incarnation } = entry.server;
    if (state === "running" && incarnation === health.incarnation) return;
    this.#set(entry, answered(entry.server, health));
  }

  #silent(entry: Entry, error: unknown): void {
    const { server } = entry;
    if (server.state === "unresponsive") return;
    const task = taskName(server);
    const silence = problem("UNAVAILABLE", `${task} at ${server.address} does not answer.`, {
      reason: "The server has ended, hangs, or cannot be reached from this machine.",
      remedy: "Start it again where it ran, or remove it here.",
      details: messageOf(error),
      task,
    });
    this.#set(entry, { ...server, state: "unresponsive", devices: [], problem: silence.problem });
  }

  #set(entry: Entry, server: ForeignServer): void {
    entry.server = server;
    this.#onChange();
  }
}

function answered(server: ForeignAddress, { devices, incarnation }: Health): ForeignServer {
  const { id, address, job, index } = server;
  return { id, address, job, index, state: "running", devices, incarnation, problem: undefined };
}

/** The job and index that a server was started with, by the names of its devices. */
export function ownNameOf(
  devices: readonly Device[],
): { readonly job: string; readonly index: number } | undefined {
  return devices.flatMap((device) => taskOfDevice(device.name) ?? [])[0];
}
