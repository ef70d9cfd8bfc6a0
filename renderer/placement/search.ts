/** Looks for a placement with a shorter step: several first ones, of which the best are improved block by block. */
import { type Blocks, blockLevels } from "./blocks.js";
import { listSchedule } from "./list-scheduling.js";
import { type SimulatedStep, StepSimulator } from "./simulate.js";
import { type Assignment, isAllowed, residentByMachine, type StepProblem } from "./step-problem.js";

export interface SearchProgress {
  /** Simulated steps so far, and the most that there will be. */
  readonly tried: number;
  readonly most: number;
  /** Expected time of the best step so far. */
  readonly micros: number;
}

export interface FoundPlacement {
  readonly assignment: Assignment;
  readonly before: SimulatedStep;
  readonly after: SimulatedStep;
}

/** Nodes and edges that a search simulates in all, which takes some seconds. */
const MOST_WORK = 3e7;
const MOST_TRIES = 20_000;
/** How many of the first placements are improved. */
const IMPROVED = 2;
/** The rest is for taking back moves that save nothing. */
const SHARE_OF_IMPROVING = 0.9;
const MOST_PASSES = 4;
/** The number of blocks beyond which only those that exchange something with another task are tried elsewhere. */
const MANY_BLOCKS = 200;
/** A placement must save this share of the step to be worth a change. */
const LEAST_GAIN = 0.01;
/** A move that saves a smaller share of the step than this saves nothing. */
const TOLERANCE = 0.001;
const TRIES_PER_PAUSE = 8;

/**
 * The best placement found; `start` itself if none is better. The same for the same problem: nothing depends on time.
 * Yields now and then, so that the caller can report progress or stop.
 *
 * @param start must respect what is allowed, except where a node cannot run at all
 * @param work nodes and edges that are simulated in all, at most; a graph is simulated at least a hundred times
 */
export function* searchPlacement(
  problem: StepProblem,
  start: Assignment,
  work = MOST_WORK,
): Generator<SearchProgress, FoundPlacement> {
  const size = problem.nodeCount + problem.edgeTarget.length + 1;
  const most = Math.max(100, Math.min(MOST_TRIES, Math.floor(work / size)));
  const trial = new Trial(problem, most);
  const before = trial.simulate(start);
  const first = firstPlacements(problem, start).map((assignment) => ({
    assignment,
    step: trial.simulate(assignment),
  }));
  first.sort((one, other) => compare(one.step, other.step));
  const levels = blockLevels(problem);
  const allowed = repaired(problem, start);
  const needsRepair = !isSame(allowed, start);
  let best: Candidate = { assignment: allowed, step: needsRepair ? trial.simulate(allowed) : before };
  for (const [index, candidate] of first.slice(0, IMPROVED).entries()) {
    const limit = Math.floor((most * SHARE_OF_IMPROVING * (index + 1)) / IMPROVED);
    const improved = yield* improve(trial, candidate, levels, limit);
    if (compare(improved.step, best.step) < 0) best = improved;
  }
  best = yield* settled(trial, best, allowed);
  const isWorthIt = needsRepair || best.step.micros < before.micros * (1 - LEAST_GAIN);
  return isWorthIt
    ? { assignment: best.assignment, before, after: best.step }
    : { assignment: start, before, after: before };
}

interface Candidate {
  readonly assignment: Assignment;
  readonly step: SimulatedStep;
}

/** Simulates, and counts. */
class Trial {
  readonly problem: StepProblem;
  readonly most: number;
  readonly #simulator: StepSimulator;
  tried = 0;

  constructor(problem: StepProblem, most: number) {
    this.problem = problem;
    this.most = most;
    this.#simulator = new StepSimulator(problem);
  }

  simulate(assignment: Assignment, limit?: number): SimulatedStep {
    this.tried++;
    return this.#simulator.run(assignment, limit);
  }
}

/** Shorter steps first; of equal ones those that send less. */
function compare(one: SimulatedStep, other: SimulatedStep): number {
  return one.micros - other.micros || one.bytes - other.bytes || one.transfers - other.transfers;
}

/** As now, everything on one task as far as it may be there, and by list scheduling. */
function firstPlacements(problem: StepProblem, start: Assignment): Assignment[] {
  const now = repaired(problem, start);
  const placements = [now, listSchedule(problem, now)];
  for (let task = 0; task < problem.taskCount; task++) {
    placements.push(now.map((current, unit) => (isAllowed(problem, unit, task) ? task : current)));
  }
  return placements.filter(
    (assignment, index) => index === 0 || fits(problem, assignment, residentByMachine(problem, now)),
  );
}

/** Moves units from where they may not be to the first task where they may. */
function repaired(problem: StepProblem, start: Assignment): Assignment {
  return start.map((task, unit) => {
    if (isAllowed(problem, unit, task)) return task;
    for (let other = 0; other < problem.taskCount; other++) if (isAllowed(problem, unit, other)) return other;
    return task;
  });
}

/** Whether no machine holds more than it can, or than it holds now. */
function fits(problem: StepProblem, assignment: Assignment, now: Float64Array): boolean {
  return residentByMachine(problem, assignment).every(
    (bytes, machine) => bytes <= Math.max(problem.capacity[machine] ?? 0, now[machine] ?? 0),
  );
}

/** Moves blocks, large ones first, to other tasks as long as the step becomes shorter. */
function* improve(
  trial: Trial,
  { assignment: from, step: firstStep }: Candidate,
  levels: readonly Blocks[],
  limit: number,
): Generator<SearchProgress, Candidate> {
  const { problem } = trial;
  const assignment = from.slice();
  const resident = residentByMachine(problem, assignment);
  let step = firstStep;
  for (const blocks of levels) {
    for (let pass = 0, improved = true; improved && pass < MOST_PASSES; pass++) {
      improved = false;
      const boundary = blocks.length > MANY_BLOCKS ? unitsAtCrossings(problem, assignment) : undefined;
      for (const units of blocks) {
        if (boundary !== undefined && !units.some((unit) => boundary[unit] === 1)) continue;
        for (let task = 0; task < problem.taskCount; task++) {
          if (trial.tried >= limit) return { assignment, step };
          const moved = units.filter((unit) => assignment[unit] !== task && isAllowed(problem, unit, task));
          if (moved.length === 0 || !hasRoom(problem, assignment, resident, moved, task)) continue;
          const was = moved.map((unit) => assignment[unit] ?? 0);
          place(problem, assignment, resident, moved, () => task);
          const tried = trial.simulate(assignment, step.micros);
          if (compare(tried, step) < 0) {
            step = tried;
            improved = true;
          } else {
            place(problem, assignment, resident, moved, (index) => was[index] ?? 0);
          }
          if (trial.tried % TRIES_PER_PAUSE === 0) {
            yield { tried: trial.tried, most: trial.most, micros: step.micros };
          }
        }
      }
    }
  }
  return { assignment, step };
}

/** Takes back moves that save nothing. */
function* settled(
  trial: Trial,
  { assignment: from, step: firstStep }: Candidate,
  start: Assignment,
): Generator<SearchProgress, Candidate> {
  const { problem } = trial;
  const assignment = from.slice();
  const resident = residentByMachine(problem, assignment);
  let step = firstStep;
  const longest = firstStep.micros * (1 + TOLERANCE);
  for (let unit = 0; unit < problem.unitCount && trial.tried < trial.most; unit++) {
    const [moved, back] = [assignment[unit] ?? 0, start[unit] ?? 0];
    if (moved === back || !hasRoom(problem, assignment, resident, [unit], back)) continue;
    place(problem, assignment, resident, [unit], () => back);
    const tried = trial.simulate(assignment, longest);
    if (tried.micros <= longest && tried.bytes <= step.bytes) step = tried;
    else place(problem, assignment, resident, [unit], () => moved);
    if (trial.tried % TRIES_PER_PAUSE === 0) {
      yield { tried: trial.tried, most: trial.most, micros: step.micros };
    }
  }
  return { assignment, step };
}

function place(
  problem: StepProblem,
  assignment: Assignment,
  resident: Float64Array,
  units: readonly number[],
  taskOf: (index: number) => number,
): void {
  units.forEach((unit, index) => {
    const bytes = problem.residentBytes[unit] ?? 0;
    const before = problem.machineOf[assignment[unit] ?? 0] ?? 0;
    const after = problem.machineOf[taskOf(index)] ?? 0;
    resident[before] = (resident[before] ?? 0) - bytes;
    resident[after] = (resident[after] ?? 0) + bytes;
    assignment[unit] = taskOf(index);
  });
}

function hasRoom(
  { machineOf, capacity, residentBytes }: StepProblem,
  assignment: Assignment,
  resident: Float64Array,
  units: readonly number[],
  task: number,
): boolean {
  const machine = machineOf[task] ?? 0;
  let added = 0;
  for (const unit of units) {
    if (machineOf[assignment[unit] ?? 0] !== machine) added += residentBytes[unit] ?? 0;
  }
  return added === 0 || (resident[machine] ?? 0) + added <= (capacity[machine] ?? 0);
}

/** 1 for units that exchange something with another task. */
function unitsAtCrossings(problem: StepProblem, assignment: Assignment): Uint8Array {
  const { nodeCount, firstEdge, edgeTarget, unitOf, unitCount } = problem;
  const isCrossing = new Uint8Array(unitCount);
  for (let node = 0; node < nodeCount; node++) {
    const from = unitOf[node] ?? 0;
    for (let edge = firstEdge[node] ?? 0; edge < (firstEdge[node + 1] ?? 0); edge++) {
      const to = unitOf[edgeTarget[edge] ?? 0] ?? 0;
      if (assignment[from] === assignment[to]) continue;
      isCrossing[from] = 1;
      isCrossing[to] = 1;
    }
  }
  return isCrossing;
}

function isSame(one: Assignment, other: Assignment): boolean {
  return one.every((task, unit) => task === other[unit]);
}
