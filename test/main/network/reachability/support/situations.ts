/** Machines, tasks and routes for tests, with sensible values for all that a test is not about. */
import type { LogLine, Machine, Task } from "../../../../../main/api/cluster.js";
import type { Route } from "../../../../../main/api/reachability.js";
import type { Situation } from "../../../../../main/network/reachability/diagnoses/situation.js";

export const NOW = Date.UTC(2026, 10, 21, 13, 0, 0);

/** @param name "worker/0", which is its id as well. */
export function task(name: string, more: Partial<Task> = {}): Task {
  const [job = "", index = "0"] = name.split("/");
  return {
    id: name,
    job,
    index: Number(index),
    address: `gpu-pc:${2222 + Number(index)}`,
    engine: "tensorflow",
    gpu: "auto",
    foreign: false,
    state: "running",
    colour: 0,
    devices: [],
    ...more,
  };
}

/** @param name Which is its id as well. */
export function machine(name: string, tasks: readonly Task[] = [], more: Partial<Machine> = {}): Machine {
  return {
    id: name,
    name,
    kind: "paired",
    presence: "online",
    platform: "linux",
    osName: "Debian GNU/Linux 12",
    arch: "x64",
    cores: 8,
    memoryBytes: 16e9,
    gpus: [],
    addresses: ["192.168.1.20"],
    agentPort: 2220,
    version: "0.1.0",
    engines: [{ engine: "tensorflow", version: "2.21.0", gpu: false }],
    tasks: [...tasks],
    ...more,
  };
}

export function route(from: string, to: string, more: Partial<Route> = {}): Route {
  return { from, to, address: `${to}:2220`, via: "direct", outcome: "ok", layers: [], ...more };
}

export function situation(machines: readonly Machine[], more: Partial<Situation> = {}): Situation {
  return { now: NOW, membership: "dynamic", access: "open", machines, routes: [], ...more };
}

/** The last lines of one task's log, written just now unless another age is given. */
export function logOf(taskId: string, lines: readonly string[], ageMillis = 1000): Map<string, LogLine[]> {
  return new Map([
    [
      taskId,
      lines.map((text, sequence) => ({ sequence, at: NOW - ageMillis, level: "warning" as const, text })),
    ],
  ]);
}
