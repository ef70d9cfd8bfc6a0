/** A found placement as moves that a user can judge: what goes where, why, and what each saves. */
import { StepSimulator } from "./simulate.js";
import type { Assignment, StepProblem } from "./step-problem.js";

/** A tensor that one task sends to another. */
export interface Sending {
  /** Number of the node that makes it. */
  readonly node: number;
  readonly bytes: number;
  readonly from: number;
  readonly to: number;
}

/** Units that go from one task to another together. */
export interface PlacementMove {
  /** The name of a single unit, the scope that several have in common, or "" if they have none. */
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly units: readonly number[];
  /** The time that the step would lose without this move, the others being made. */
  readonly savedMicros: number;
  readonly savedBytes: number;
  /** The largest tensor that is no longer sent. */
  readonly stops: Sending | undefined;
}

/** More moves than this cannot be judged one by one. */
const MOST_MOVES = 40;

/** @param names of the units: that of their first node */
export function movesOf(
  problem: StepProblem,
  start: Assignment,
  target: Assignment,
  names: readonly string[],
): PlacementMove[] {
  const simulator = new StepSimulator(problem);
  const whole = simulator.run(target);
  return groupsOf(problem, start, target, names).map(({ label, units }) => {
    const [first = 0] = units;
    const without = target.slice();
    for (const unit of units) without[unit] = start[unit] ?? 0;
    const step = simulator.run(without);
    return {
      label,
      from: start[first] ?? 0,
      to: target[first] ?? 0,
      units,
      savedMicros: step.micros - whole.micros,
      savedBytes: step.bytes - whole.bytes,
      stops: largestStopped(problem, start, target, new Set(units)),
    };
  });
}

interface Group {
  readonly label: string;
  readonly units: number[];
}

/** Nodes that exchange something and go the same way are one move; if that makes too many, so are those of a scope. */
function groupsOf(
  problem: StepProblem,
  start: Assignment,
  target: Assignment,
  names: readonly string[],
): Group[] {
  const moved = names.flatMap((_, unit) => (start[unit] === target[unit] ? [] : [unit]));
  const sets = connectedSets(problem, start, target);
  for (const depth of [undefined, 3, 2, 1, 0]) {
    const groups = new Map<string, number[]>();
    for (const unit of moved) {
      const name = depth === undefined ? sets[unit] : scopeOf(names[unit] ?? "", depth);
      const key = `${name} ${start[unit]} ${target[unit]}`;
      const known = groups.get(key);
      if (known) known.push(unit);
      else groups.set(key, [unit]);
    }
    if (groups.size <= MOST_MOVES || depth === 0) {
      return [...groups.values()].map((units) => ({
        label: commonScope(units.map((unit) => names[unit] ?? "")),
        units: longestFirst(problem, target, units),
      }));
    }
  }
  return [];
}

/** The unit that computes longest comes first; it stands for a move without a scope of its own. */
function longestFirst(problem: StepProblem, target: Assignment, units: readonly number[]): number[] {
  const { nodeCount, unitOf, micros, taskCount } = problem;
  const times = new Map(units.map((unit) => [unit, 0]));
  for (let node = 0; node < nodeCount; node++) {
    const unit = unitOf[node] ?? 0;
    const time = times.get(unit);
    if (time !== undefined) times.set(unit, time + (micros[node * taskCount + (target[unit] ?? 0)] ?? 0));
  }
  return units.toSorted((one, other) => (times.get(other) ?? 0) - (times.get(one) ?? 0) || one - other);
}

/** For each unit the first of those that it is connected with by edges among units that go the same way. */
function connectedSets(problem: StepProblem, start: Assignment, target: Assignment): Int32Array {
  const { nodeCount, firstEdge, edgeTarget, unitOf, unitCount } = problem;
  const parent = Int32Array.from({ length: unitCount }, (_, unit) => unit);
  const rootOf = (unit: number): number => {
    let root = unit;
    while (parent[root] !== root) {
      parent[root] = parent[parent[root] ?? 0] ?? 0;
      root = parent[root] ?? 0;
    }
    return root;
  };
  for (let node = 0; node < nodeCount; node++) {
    const from = unitOf[node] ?? 0;
    for (let edge = firstEdge[node] ?? 0; edge < (firstEdge[node + 1] ?? 0); edge++) {
      const to = unitOf[edgeTarget[edge] ?? 0] ?? 0;
      if (start[from] !== start[to] || target[from] !== target[to]) continue;
      const [one, other] = [rootOf(from), rootOf(to)];
      parent[Math.max(one, other)] = Math.min(one, other);
    }
  }
  return parent.map((_, unit) => rootOf(unit));
}

/** The first parts of a name; the last part goes unless it is the only one. */
function scopeOf(name: string, depth: number): string {
  const parts = name.split("/");
  return parts.slice(0, Math.min(depth, Math.max(1, parts.length - 1))).join("/");
}

/** The scope that names have in common, "" for none; a single name itself. */
function commonScope([first = "", ...others]: readonly string[]): string {
  if (others.length === 0) return first;
  const parts = first.split("/").slice(0, -1);
  while (parts.length > 0 && !others.every((name) => name.startsWith(`${parts.join("/")}/`))) parts.pop();
  return parts.join("/");
}

function largestStopped(
  problem: StepProblem,
  start: Assignment,
  target: Assignment,
  units: ReadonlySet<number>,
): Sending | undefined {
  const { nodeCount, firstEdge, edgeTarget, edgeTensor, tensorBytes, unitOf } = problem;
  let largest: Sending | undefined;
  for (let node = 0; node < nodeCount; node++) {
    const from = unitOf[node] ?? 0;
    for (let edge = firstEdge[node] ?? 0; edge < (firstEdge[node + 1] ?? 0); edge++) {
      const to = unitOf[edgeTarget[edge] ?? 0] ?? 0;
      if (!units.has(from) && !units.has(to)) continue;
      if (start[from] === start[to] || target[from] !== target[to]) continue;
      const bytes = tensorBytes[edgeTensor[edge] ?? 0] ?? 0;
      if (largest && bytes <= largest.bytes) continue;
      largest = { node, bytes, from: start[from] ?? 0, to: start[to] ?? 0 };
    }
  }
  return largest;
}
