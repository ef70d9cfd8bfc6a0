/** On which machine each task of a script runs, and which port it has. */
import type { PortPlan } from "../scripts/job-ports.js";
import { isInCluster } from "../scripts/script-tasks.js";
import type { PortedTask } from "../scripts/task-environment.js";
import { problem } from "../shared/problems.js";
import { FIRST_TASK_PORT, nextTaskPort, TASK_PORTS_TEXT } from "../tasks/task-ports.js";
import type { JobMachine } from "./job-machine.js";

export interface PlacedTask extends PortedTask {
  readonly machine: JobMachine;
}

/** A task that has a machine, and no port yet. */
export type UnportedTask = Omit<PlacedTask, "port">;

/** Ports as one machine sees them. */
export function portPlan(tasks: readonly PlacedTask[], machine: JobMachine, isolate: boolean): PortPlan {
  const served = tasks.filter(({ port }) => port !== 0);
  const portsOf = (own: boolean) =>
    served.flatMap((task) => ((task.machine === machine) === own ? [task.port] : []));
  return { own: portsOf(true), elsewhere: portsOf(false), isolate };
}

/**
 * Finds a port for each task that has a server, which no other has and every machine of the job can use. The only task
 * of a job has none.
 *
 * @throws ProblemError RESOURCE_EXHAUSTED if there are none.
 */
export async function reservePorts(tasks: readonly UnportedTask[], isolate: boolean): Promise<PlacedTask[]> {
  if (tasks.length === 1) return tasks.map((task) => ({ ...task, port: 0 }));
  const machines = [...new Set(tasks.map(({ machine }) => machine))];
  const tried = new Set<number>();
  let placed: PlacedTask[] = tasks.map((task) => ({ ...task, port: 0 }));
  for (;;) {
    placed = placed.map((task) =>
      task.port === 0 && isInCluster(task) ? { ...task, port: freshPort(tried) } : task,
    );
    const current = placed;
    const refused = await Promise.all(
      machines.map(async (machine) => await machine.reserve(portPlan(current, machine, isolate))),
    );
    const taken = new Set(refused.flat());
    if (taken.size === 0) return placed;
    placed = placed.map((task) => (taken.has(task.port) ? { ...task, port: 0 } : task));
  }
}

function freshPort(tried: Set<number>): number {
  const port = nextTaskPort(FIRST_TASK_PORT, tried);
  if (port === undefined) {
    throw problem("RESOURCE_EXHAUSTED", `None of the ports ${TASK_PORTS_TEXT} is free on all machines.`, {
      remedy: "Stop tasks or other programs that listen there.",
    });
  }
  tried.add(port);
  return port;
}
