/** Problems for tests of the search, drawn at random from a seed or written out. */
import type { StepProblem } from "../../../renderer/placement/step-problem.js";

export interface SketchedEdge {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

export interface Sketch {
  readonly tasks: number;
  /** Time of each node on any task. */
  readonly micros: readonly number[];
  /** From lower to higher numbers. */
  readonly edges: readonly SketchedEdge[];
  /** The unit of each node; by default each is one by itself. */
  readonly units?: readonly number[];
  /** The only task that a unit may be on. */
  readonly pinned?: ReadonlyMap<number, number>;
  readonly residentBytes?: readonly number[];
  readonly capacity?: number;
  readonly latencyMicros?: number;
  readonly microsPerByte?: number;
  /** Until a task beside the first runs its first node, and until its answer is there. */
  readonly startMicros?: number;
  readonly endMicros?: number;
}

/** A problem whose tasks are each on a machine of their own. */
export function problemOf(sketch: Sketch): StepProblem {
  const { tasks, micros, edges, pinned, latencyMicros = 10, microsPerByte = 0.01 } = sketch;
  const units = sketch.units ?? micros.map((_, node) => node);
  const unitCount = Math.max(...units) + 1;
  const sorted = [...edges].sort((one, other) => one.from - other.from || one.to - other.to);
  const firstEdge = new Int32Array(micros.length + 1);
  for (const { from } of sorted) firstEdge[from + 1] = (firstEdge[from + 1] ?? 0) + 1;
  for (let node = 0; node < micros.length; node++) {
    firstEdge[node + 1] = (firstEdge[node + 1] ?? 0) + (firstEdge[node] ?? 0);
  }
  const between = (value: number) =>
    Float64Array.from({ length: tasks * tasks }, (_, link) =>
      Math.floor(link / tasks) === link % tasks ? 0 : value,
    );
  const besideFirst = (value: number) =>
    Float64Array.from({ length: tasks }, (_, task) => (task === 0 ? 0 : value));
  return {
    taskCount: tasks,
    processorOf: Int32Array.from({ length: tasks }, (_, task) => task),
    machineOf: Int32Array.from({ length: tasks }, (_, task) => task),
    capacity: new Float64Array(tasks).fill(sketch.capacity ?? Number.POSITIVE_INFINITY),
    nodeCount: micros.length,
    order: Int32Array.from(micros.keys()),
    unitOf: Int32Array.from(units),
    micros: Float64Array.from(micros.flatMap((time) => new Array<number>(tasks).fill(time))),
    firstEdge,
    edgeTarget: Int32Array.from(sorted, ({ to }) => to),
    edgeTensor: Int32Array.from(sorted.keys()),
    tensorBytes: Float64Array.from(sorted, ({ bytes }) => bytes),
    unitCount,
    allowed: Uint8Array.from({ length: unitCount * tasks }, (_, index) => {
      const only = pinned?.get(Math.floor(index / tasks));
      return only === undefined || only === index % tasks ? 1 : 0;
    }),
    residentBytes: Float64Array.from({ length: unitCount }, (_, unit) => sketch.residentBytes?.[unit] ?? 0),
    latencyMicros: between(latencyMicros),
    microsPerByte: between(microsPerByte),
    startMicros: besideFirst(sketch.startMicros ?? 0),
    endMicros: besideFirst(sketch.endMicros ?? 0),
  };
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A graph of layers in which some nodes are pinned and some are colocated. */
export function randomSketch(seed: number, nodes: number, tasks: number): Sketch {
  const random = randomNumbers(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const units: number[] = [];
  for (let node = 0, next = 0; node < nodes; node++) {
    units.push(node > 0 && random() < 0.2 ? below(next) : next++);
  }
  const pinned = new Map<number, number>();
  for (const unit of new Set(units)) if (random() < 0.15) pinned.set(unit, below(tasks));
  const edges: SketchedEdge[] = [];
  for (let to = 1; to < nodes; to++) {
    for (let input = 0; input < 1 + below(2); input++) {
      const from = Math.max(0, to - 1 - below(12));
      if (edges.some((edge) => edge.from === from && edge.to === to)) continue;
      edges.push({ from, to, bytes: random() < 0.1 ? 0 : Math.floor(10 ** (1 + 4 * random())) });
    }
  }
  return {
    tasks,
    micros: Array.from({ length: nodes }, () => Math.floor(500 * random() ** 3)),
    edges,
    units,
    pinned,
    residentBytes: Array.from({ length: nodes }, () => below(100)),
  };
}
