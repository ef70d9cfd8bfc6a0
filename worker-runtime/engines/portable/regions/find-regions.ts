import { DisjointSets } from "../../../graph/disjoint-sets.js";
import { LivenessTable, type LivingNode } from "./liveness.js";
import { SetTable } from "./set-table.js";

/** A node of a graph to be grouped into regions; nodes are identified by number. */
export interface GroupedNode extends LivingNode {
  /** The frame and device that the nodes of a region share; undefined for a node that cannot be in a region. */
  readonly key: string | undefined;
  /** It changes variables: nodes that wait for it must see the change, and are therefore in other regions. */
  readonly isUpdate?: boolean;
  /**
   * The other nodes that the node itself may wait for besides its inputs. A number is how many times the awaited value has been
   * transferred between tasks, if nothing on its way waits for anything except inputs; "unknown" may be anything.
   */
  readonly waits: "never" | "unknown" | number;
  /** The loop frame that it takes its inputs in, and whether a node of it, or of one within it, waits; defaults to none. */
  readonly frame?: GroupedFrame | undefined;
}

/** A loop frame, or the graph outside of all loops. */
export interface GroupedFrame {
  readonly number: number;
  /** The number of frames around it. */
  readonly depth: number;
  readonly waits: boolean;
}

/**
 * Finds the regions of a graph: disjoint lists of nodes, each of which can run as one node that waits for all inputs of
 * its members and then returns all of their outputs. The graph of regions and other nodes has no cycle, and
 * - the nodes of a region are dead or alive together, as far as the graph's structure determines it;
 * - a region waits for nothing that may in turn wait for one of its own outputs: if TensorFlow's executor would run one
 *   member before the inputs of another are available, and those depend on it, the step would never end.
 *
 * Connected nodes with the same key, deadness class and waiting class form a region if no path between them passes
 * through other nodes. This holds for nodes of one level; the level increases with every edge that leaves a group of
 * equal nodes, or that comes from an update.
 *
 * @param order the nodes' numbers, each after its sources.
 * @returns the members of each region in the order of `order`, including regions of one node.
 */
export function findRegions(nodes: readonly GroupedNode[], order: readonly number[]): readonly number[][] {
  const keys = keysOf(nodes, order);
  const levels = new Int32Array(nodes.length);
  const groups = new DisjointSets(nodes.length);
  for (const index of order) {
    const key = keys[index];
    let level = 0;
    for (const { node } of nodes[index]?.sources ?? []) {
      const leaves = keys[node] !== undefined && (keys[node] !== key || nodes[node]?.isUpdate === true);
      level = Math.max(level, (levels[node] ?? 0) + Number(leaves));
    }
    levels[index] = level;
    for (const { node } of key === undefined ? [] : (nodes[index]?.sources ?? [])) {
      if (keys[node] === key && levels[node] === level) {
        groups.join(node, index);
      }
    }
  }
  const regions = new Map<number, number[]>();
  for (const index of order) {
    if (keys[index] !== undefined) {
      const root = groups.find(index);
      const members = regions.get(root);
      if (members === undefined) {
        regions.set(root, [index]);
      } else {
        members.push(index);
      }
    }
  }
  return [...regions.values()];
}

/** The key of each node, with its classes of deadness and of waiting; undefined if it has none. */
function keysOf(nodes: readonly GroupedNode[], order: readonly number[]): readonly (string | undefined)[] {
  const sets = new SetTable();
  const liveness = new LivenessTable(nodes, order);
  /** The set of unknown things that a node waits for. */
  const unknown = new Int32Array(nodes.length);
  const depths = new Int32Array(nodes.length);
  const keys: (string | undefined)[] = new Array(nodes.length);
  for (const index of order) {
    const node = nodes[index];
    if (node === undefined) {
      continue;
    }
    let [wait, depth] = [SetTable.EMPTY, 0];
    for (const { node: source } of node.sources) {
      wait = sets.union(wait, unknown[source] ?? SetTable.EMPTY);
      depth = Math.max(depth, depths[source] ?? 0);
    }
    if (node.waits === "unknown") {
      wait = sets.union(wait, sets.single(`${index}`));
    } else if (node.waits !== "never") {
      depth = Math.max(depth, node.waits);
    }
    // An iteration may wait for something that only back edges lead from.
    if (node.liveness?.kind === "exit" && node.frame?.waits === true) {
      wait = sets.union(wait, sets.single(`frame ${node.frame.number}`));
    }
    unknown[index] = sets.limited(wait, `${index}`);
    depths[index] = depth;
    if (node.key !== undefined) {
      keys[index] = `${liveness.classOf(index)} ${unknown[index]} ${depth} ${node.key}`;
    }
  }
  return keys;
}
