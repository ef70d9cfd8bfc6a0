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
  /** A node's name or, for many, that of their scope. */
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly units: readonly number[];
  /** What the step would lose without this move, the others being made. */
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
  return groupsOf(start, target, names).map(({ label, units }) => {
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

/** Each unit by itself if they are few; otherwise by scope, if need be by the outer ones only. */
function groupsOf(start: Assignment, target: Assignment, names: readonly string[]): Group[] {
  const moved = names.flatMap((_, unit) => (start[unit] === target[unit] ? [] : [unit]));
  for (const depth of [Number.POSITIVE_INFINITY, 3, 2, 1, 0]) {
    const groups = new Map<string, Group>();
    for (const unit of moved) {
      const label = depth === 0 ? "" : scopeOf(names[unit] ?? "", depth);
      const key = `${label} ${start[unit]} ${target[unit]}`;
      const known = groups.get(key);
      if (known) known.units.push(unit);
      else groups.set(key, { label, units: [unit] });
    }
    if (groups.size <= MOST_MOVES || depth === 0) return [...groups.values()];
  }
  return [];
}

/** The first parts of a name: at least the last one goes, unless the name is one part or the depth is unlimited. */
function scopeOf(name: string, depth: number): string {
  const parts = name.split("/");
  return parts
    .slice(0, Math.max(1, Math.min(depth, Number.isFinite(depth) ? parts.length - 1 : parts.length)))
    .join("/");
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
