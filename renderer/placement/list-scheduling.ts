import { type Assignment, isAllowed, type StepProblem } from "./step-problem.js";

/**
 * A first placement by list scheduling: HEFT of Topcuoglu, Hariri and Wu, "Performance-Effective and Low-Complexity Task
 * Scheduling for Heterogeneous Computing" (2002), without insertion into gaps. Nodes are taken in the order of the time
 * that remains after them; each goes where it ends first. The first node of a unit decides for the whole unit.
 *
 * @param start where a unit goes if several tasks are equally good
 */
export function listSchedule(problem: StepProblem, start: Assignment): Assignment {
  const { taskCount, unitOf, unitCount, micros, processorOf, machineOf, capacity, residentBytes } = problem;
  const assignment = new Int32Array(unitCount).fill(-1);
  const inputsOf = incoming(problem);
  const finish = new Float64Array(problem.nodeCount);
  const processorFree = new Float64Array(taskCount);
  const resident = new Float64Array(capacity.length);
  for (const node of byRank(problem)) {
    const unit = unitOf[node] ?? 0;
    const known = assignment[unit] ?? -1;
    let [best, bestEnd] = [-1, Number.POSITIVE_INFINITY];
    for (let task = 0; task < taskCount; task++) {
      if (known >= 0 ? task !== known : !isAllowed(problem, unit, task)) continue;
      const machine = machineOf[task] ?? 0;
      const isFull = (resident[machine] ?? 0) + (residentBytes[unit] ?? 0) > (capacity[machine] ?? 0);
      if (known < 0 && isFull && start[unit] !== task) continue;
      let ready = processorFree[processorOf[task] ?? 0] ?? 0;
      for (const { from, bytes } of inputsOf[node] ?? []) {
        const source = assignment[unitOf[from] ?? 0] ?? task;
        ready = Math.max(ready, (finish[from] ?? 0) + sendMicros(problem, source, task, bytes));
      }
      const end = ready + (micros[node * taskCount + task] ?? 0);
      if (end < bestEnd || (end === bestEnd && task === start[unit])) [best, bestEnd] = [task, end];
    }
    if (best < 0) {
      // Every machine that it may be on is full; memory is then a problem of any placement.
      best = firstAllowed(problem, unit);
      bestEnd = (processorFree[processorOf[best] ?? 0] ?? 0) + (micros[node * taskCount + best] ?? 0);
    }
    if (known < 0) {
      assignment[unit] = best;
      const machine = machineOf[best] ?? 0;
      resident[machine] = (resident[machine] ?? 0) + (residentBytes[unit] ?? 0);
    }
    finish[node] = bestEnd;
    processorFree[processorOf[best] ?? 0] = bestEnd;
  }
  return assignment.map((task, unit) => (task < 0 ? (start[unit] ?? 0) : task));
}

function firstAllowed(problem: StepProblem, unit: number): number {
  for (let task = 0; task < problem.taskCount; task++) if (isAllowed(problem, unit, task)) return task;
  return 0;
}

/** The time that a tensor takes from one task to another that nothing else is sent to. */
function sendMicros(problem: StepProblem, from: number, to: number, bytes: number): number {
  if (from === to || from < 0) return 0;
  const link = from * problem.taskCount + to;
  return (problem.latencyMicros[link] ?? 0) + bytes * (problem.microsPerByte[link] ?? 0);
}

interface Input {
  readonly from: number;
  readonly bytes: number;
}

/** The inputs of each node, by node. */
function incoming({
  nodeCount,
  firstEdge,
  edgeTarget,
  edgeTensor,
  tensorBytes,
}: StepProblem): readonly Input[][] {
  const inputs: Input[][] = Array.from({ length: nodeCount }, () => []);
  for (let from = 0; from < nodeCount; from++) {
    for (let edge = firstEdge[from] ?? 0; edge < (firstEdge[from + 1] ?? 0); edge++) {
      inputs[edgeTarget[edge] ?? 0]?.push({ from, bytes: tensorBytes[edgeTensor[edge] ?? 0] ?? 0 });
    }
  }
  return inputs;
}

/** Nodes by their upward rank: the average time from their start to the end of the step. Producers come first. */
function byRank(problem: StepProblem): number[] {
  const { taskCount, order, micros, firstEdge, edgeTarget, edgeTensor, tensorBytes } = problem;
  const { latency, perByte } = averageLink(problem);
  const rank = new Float64Array(problem.nodeCount);
  const position = new Int32Array(problem.nodeCount);
  for (let index = order.length - 1; index >= 0; index--) {
    const node = order[index] ?? 0;
    position[node] = index;
    let after = 0;
    for (let edge = firstEdge[node] ?? 0; edge < (firstEdge[node + 1] ?? 0); edge++) {
      // A reader that comes before its producer closes a loop; its rank is not known yet.
      const send = latency + perByte * (tensorBytes[edgeTensor[edge] ?? 0] ?? 0);
      const target = edgeTarget[edge] ?? 0;
      if ((position[target] ?? 0) > index) after = Math.max(after, send + (rank[target] ?? 0));
    }
    let own = 0;
    for (let task = 0; task < taskCount; task++) own += micros[node * taskCount + task] ?? 0;
    rank[node] = own / taskCount + after;
  }
  return [...order].sort(
    (one, other) => (rank[other] ?? 0) - (rank[one] ?? 0) || (position[one] ?? 0) - (position[other] ?? 0),
  );
}

function averageLink({ taskCount, latencyMicros, microsPerByte }: StepProblem): {
  latency: number;
  perByte: number;
} {
  const links = Math.max(1, taskCount * taskCount);
  const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);
  return { latency: sum(latencyMicros) / links, perByte: sum(microsPerByte) / links };
}
