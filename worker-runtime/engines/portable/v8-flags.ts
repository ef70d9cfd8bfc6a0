/** Flags of V8 for a task's process. Imports nothing of the engine: some are set before that is loaded. */
import { setFlagsFromString } from "node:v8";

/**
 * How much the heap may grow, in percent of what is in use, before a full garbage collection. V8 counts tensors that
 * came and went as growth, and by itself allows less: a parameter server then spends a third of its time on collections
 * of everything, 15 a second for 100 steps of an MLP. With this they are three.
 */
const HEAP_GROWING_PERCENT = 300;

/**
 * V8 makes objects of the old generation from the start where those made at the same place lived long before. Here the
 * same places make the tensors of long and of short steps: after one long step, what every step makes would fill the old
 * generation, and what it refers to would be copied there by each small collection (measured with a graph of 10,000
 * nodes: 9 of 14 MB kept that are garbage, and steps a third longer).
 */
const NO_PRETENURING = "--no-allocation-site-pretenuring";

/** The young generation grows by this factor: within two collections from a starting task's to the largest one. */
const GROWTH_FACTOR = 4;

/**
 * How much of a function must have run, in bytes of bytecode, before V8 considers compiling it better. A step runs most
 * functions once; with V8's own 67,584 a thousand steps pass before those on its path are compiled. With an eighth,
 * steps of an MLP between the 1,000th and the 1,500th take 4/5 of the time. From 11.8 on (Node 22), V8 counts calls instead;
 * it does not know the flag, and would say so in the log of every task.
 */
const INTERRUPT_BUDGET = 8192;
const COUNTS_CALLS_SINCE = [11, 8] as const;

/**
 * The most that each half of the young generation grows to, in MiB: V8's own limit up to Node 22. Node 24 and 26 allow 64
 * and 32, which a task fills with garbage: after 24,000 small steps it has 272 and 222 MB instead of 189 and 186, and
 * takes no less time for them. V8 reads this flag only when it starts.
 */
const YOUNG_HALF_MIB = 16;

/** Flags for the command line of a task's Node. */
export const START_FLAGS: readonly string[] = [`--max-semi-space-size=${YOUNG_HALF_MIB}`];

/**
 * Call before the engine is loaded: its code, which all stays, would make the young generation as large as it can be,
 * and a task without work would take 16 MB more, for garbage.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/** Call when the task is about to serve: the heap may grow, and what steps run is compiled soon. */
export function prepareForSteps(): void {
  for (const flag of flagsForSteps(process.versions.v8)) setFlagsFromString(flag);
}

/** @param v8 a version, "11.3.244.8-node.33" */
export function flagsForSteps(v8: string): string[] {
  const [major = 0, minor = 0] = v8.split(".").map(Number);
  const [newMajor, newMinor] = COUNTS_CALLS_SINCE;
  const countsBytes = major < newMajor || (major === newMajor && minor < newMinor);
  return [
    `--semi-space-growth-factor=${GROWTH_FACTOR}`,
    `--heap-growing-percent=${HEAP_GROWING_PERCENT}`,
    NO_PRETENURING,
    ...(countsBytes ? [`--interrupt-budget=${INTERRUPT_BUDGET}`] : []),
  ];
}
