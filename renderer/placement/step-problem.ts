/** The input of a placement: one step of a graph on the tasks of a cluster, as numbers that a worker can take. */

/** The task of each unit, by its number. */
export type Assignment = Int32Array;

/**
 * Nodes, tasks, units and tensors are numbered from 0. A unit is a set of nodes that must be on one task. Times are in
 * microseconds. Matrices are stored row by row.
 */
export interface StepProblem {
  readonly taskCount: number;
  /** The processor of each task. Tasks of one processor compute in turn, for example because they share all cores. */
  readonly processorOf: Int32Array;
  /** The machine of each task. */
  readonly machineOf: Int32Array;
  /** Bytes that each machine can hold of what stays in memory between steps. */
  readonly capacity: Float64Array;

  readonly nodeCount: number;
  /** Nodes with every producer before its readers; edges that close a loop do not count. */
  readonly order: Int32Array;
  readonly unitOf: Int32Array;
  /** The time of each node on each task: `[node × taskCount + task]`. */
  readonly micros: Float64Array;

  /** The edges that leave node n are those from `firstEdge[n]` up to `firstEdge[n + 1]`. */
  readonly firstEdge: Int32Array;
  readonly edgeTarget: Int32Array;
  /** The tensor of each edge. It is sent to a task once, however many nodes read it there. */
  readonly edgeTensor: Int32Array;
  readonly tensorBytes: Float64Array;

  readonly unitCount: number;
  /** 1 where a unit may be: `[unit × taskCount + task]`. Every unit may be somewhere. */
  readonly allowed: Uint8Array;
  /** Bytes that each unit keeps in memory between steps: variables and constants. */
  readonly residentBytes: Float64Array;

  /** From one task to another, `[from × taskCount + to]`. */
  readonly latencyMicros: Float64Array;
  readonly microsPerByte: Float64Array;

  /** From the beginning of the step until each task can run its first node: the master starts the others' parts. */
  readonly startMicros: Float64Array;
  /** From the end of a task's last node until the step is over: its answer, and what is fetched, go to the master. */
  readonly endMicros: Float64Array;
}

/** Whether a unit may be on a task. */
export function isAllowed({ allowed, taskCount }: StepProblem, unit: number, task: number): boolean {
  return allowed[unit * taskCount + task] === 1;
}

/** How much each machine keeps in memory between steps. */
export function residentByMachine(problem: StepProblem, assignment: Assignment): Float64Array {
  const bytes = new Float64Array(problem.capacity.length);
  for (let unit = 0; unit < problem.unitCount; unit++) {
    const machine = problem.machineOf[assignment[unit] ?? 0] ?? 0;
    bytes[machine] = (bytes[machine] ?? 0) + (problem.residentBytes[unit] ?? 0);
  }
  return bytes;
}

/** The time for which all tasks together compute in one step. */
export function computeMicros(
  { nodeCount, unitOf, micros, taskCount }: StepProblem,
  assignment: Assignment,
): number {
  let sum = 0;
  for (let node = 0; node < nodeCount; node++) {
    sum += micros[node * taskCount + (assignment[unitOf[node] ?? 0] ?? 0)] ?? 0;
  }
  return sum;
}
