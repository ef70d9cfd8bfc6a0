/** Units that exchange much, joined to blocks that a search moves as a whole. */
import { isAllowed, type StepProblem } from "./step-problem.js";

/** The units of each block. */
export type Blocks = readonly (readonly number[])[];

/** A level has at most this share of the blocks of the finer one; otherwise the levels end. */
const LEAST_REDUCTION = 0.95;
/** The coarsest level has this many blocks per task. */
const BLOCKS_PER_TASK = 4;
/** No block takes more than this share of a task's part of the computation. */
const MOST_OF_PART = 0.5;

/**
 * Blocks from coarse to fine; the last level has one unit per block. Each coarser level joins pairs of blocks between
 * which sending takes longest (heavy-edge matching of Karypis and Kumar, "A Fast and High Quality Multilevel Scheme for
 * Partitioning Irregular Graphs", 1998).
 */
export function blockLevels(problem: StepProblem): Blocks[] {
  const levels: Blocks[] = [Array.from({ length: problem.unitCount }, (_, unit) => [unit])];
  const edges = unitEdges(problem);
  const costs = unitCosts(problem);
  const most = (MOST_OF_PART * costs.reduce((sum, cost) => sum + cost, 0)) / problem.taskCount;
  for (let blocks = levels[0] ?? []; blocks.length > BLOCKS_PER_TASK * problem.taskCount; ) {
    const coarser = matched(problem, blocks, edges, costs, most);
    if (coarser.length > LEAST_REDUCTION * blocks.length) break;
    levels.unshift(coarser);
    blocks = coarser;
  }
  return levels;
}

interface UnitEdge {
  readonly from: number;
  readonly to: number;
  /** Time to send what it carries over an average connection. */
  readonly weight: number;
}

function unitEdges(problem: StepProblem): UnitEdge[] {
  const { unitOf, firstEdge, edgeTarget, edgeTensor, tensorBytes, taskCount, nodeCount } = problem;
  const links = taskCount * Math.max(1, taskCount - 1);
  const latency = problem.latencyMicros.reduce((sum, one) => sum + one, 0) / links;
  const perByte = problem.microsPerByte.reduce((sum, one) => sum + one, 0) / links;
  const edges: UnitEdge[] = [];
  for (let node = 0; node < nodeCount; node++) {
    const from = unitOf[node] ?? 0;
    for (let edge = firstEdge[node] ?? 0; edge < (firstEdge[node + 1] ?? 0); edge++) {
      const to = unitOf[edgeTarget[edge] ?? 0] ?? 0;
      const weight = latency + perByte * (tensorBytes[edgeTensor[edge] ?? 0] ?? 0);
      if (from !== to) edges.push({ from, to, weight });
    }
  }
  return edges.sort((one, other) => other.weight - one.weight || one.from - other.from || one.to - other.to);
}

/** The average time that each unit computes. */
function unitCosts({ unitCount, unitOf, nodeCount, micros, taskCount }: StepProblem): Float64Array {
  const costs = new Float64Array(unitCount);
  for (let node = 0; node < nodeCount; node++) {
    const unit = unitOf[node] ?? 0;
    for (let task = 0; task < taskCount; task++) {
      costs[unit] = (costs[unit] ?? 0) + (micros[node * taskCount + task] ?? 0) / taskCount;
    }
  }
  return costs;
}

/** @param edges heaviest first */
function matched(
  problem: StepProblem,
  blocks: Blocks,
  edges: readonly UnitEdge[],
  costs: Float64Array,
  most: number,
): Blocks {
  const blockOf = new Int32Array(problem.unitCount);
  blocks.forEach((units, block) => {
    for (const unit of units) blockOf[unit] = block;
  });
  const cost = blocks.map((units) => units.reduce((sum, unit) => sum + (costs[unit] ?? 0), 0));
  const partner = new Int32Array(blocks.length).fill(-1);
  for (const { from, to } of edges) {
    const [one, other] = [blockOf[from] ?? 0, blockOf[to] ?? 0];
    if (one === other || partner[one] !== -1 || partner[other] !== -1) continue;
    if ((cost[one] ?? 0) + (cost[other] ?? 0) > most || !mayBeTogether(problem, from, to)) continue;
    partner[one] = other;
    partner[other] = one;
  }
  return blocks.flatMap((units, block): (readonly number[])[] => {
    const other = partner[block] ?? -1;
    if (other < 0) return [units];
    return other > block ? [[...units, ...(blocks[other] ?? [])]] : [];
  });
}

function mayBeTogether(problem: StepProblem, one: number, other: number): boolean {
  for (let task = 0; task < problem.taskCount; task++) {
    if (isAllowed(problem, one, task) && isAllowed(problem, other, task)) return true;
  }
  return false;
}
