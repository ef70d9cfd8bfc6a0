/** Measurements on clusters of the portable engine and of Python's servers, and their limits. */
import type { Target } from "./report.js";

/** Measurements of the client: functions of portable_client.py. */
export type PortableMeasure =
  | "mat_mul"
  | "mlp"
  | "mlp_ps"
  | "cnn"
  | "mobile_net"
  | "one_task"
  | "two_tasks"
  | "fan_in"
  | "first_run"
  | "cached_run"
  | "transfer"
  | "answering";

export interface PortableLine {
  readonly measure: PortableMeasure;
  readonly what: string;
  readonly unit: "ms" | "steps/s" | "MB/s";
  readonly target: Target;
  /** Which of the sorted times counts, as a share of their number: 0.5, their median, unless given. */
  readonly quantile?: number;
  /** Workers that the cluster must have. */
  readonly workers: number;
  /** Short turns of each side, one after the other: what else the machine does then falls on both alike. */
  readonly rounds: number;
  /** Turns of each side before these, which do not count: 1 unless given. */
  readonly warmUpRounds?: number;
}

const atMost = (goal: number, limit: number): Target => ({ better: "lower", goal, limit });
const atLeast = (goal: number, limit: number): Target => ({ better: "higher", goal, limit });

/** In how many milliseconds a task answers, whatever it computes. */
const ANSWER_MILLIS = 50;

/** By the names under which they can be measured alone. */
export const portableLines: Readonly<Record<string, PortableLine>> = {
  "mat-mul": {
    measure: "mat_mul",
    what: "matMul of 1024 x 1024",
    unit: "ms",
    target: atMost(1, 1.4),
    workers: 1,
    rounds: 8,
  },
  mlp: {
    measure: "mlp",
    what: "MLP 784-256-10, batch 100, on a worker",
    unit: "steps/s",
    target: atLeast(1, 0.7),
    workers: 1,
    rounds: 8,
  },
  "mlp-ps": {
    measure: "mlp_ps",
    what: "the same, weights on a parameter server",
    unit: "steps/s",
    target: atLeast(1, 0.7),
    workers: 1,
    rounds: 8,
  },
  cnn: {
    measure: "cnn",
    what: "small CNN, training, batch 32",
    unit: "steps/s",
    target: atLeast(1, 0.6),
    workers: 1,
    rounds: 8,
  },
  "mobile-net": {
    measure: "mobile_net",
    what: "MobileNetV2, inference, batch 8",
    unit: "steps/s",
    target: atLeast(2, 1),
    workers: 1,
    rounds: 6,
  },
  "one-task": {
    measure: "one_task",
    what: "step on one task",
    unit: "ms",
    target: atMost(0.9, 1.3),
    workers: 1,
    rounds: 12,
  },
  "two-tasks": {
    measure: "two_tasks",
    what: "step on two tasks",
    unit: "ms",
    target: atMost(0.8, 1.3),
    workers: 2,
    rounds: 12,
  },
  "fan-in": {
    measure: "fan_in",
    what: "step on eight tasks",
    unit: "ms",
    target: atMost(0.8, 1.3),
    workers: 8,
    rounds: 6,
  },
  "first-run": {
    measure: "first_run",
    what: "first run of 10,000 nodes",
    unit: "ms",
    target: atMost(0.3, 0.3),
    workers: 1,
    rounds: 8,
    // The first two or three graphs of a server take several times as long, until JavaScript is compiled.
    warmUpRounds: 4,
  },
  "cached-run": {
    measure: "cached_run",
    what: "next run of 10,000 nodes",
    unit: "ms",
    target: atMost(1, 1.6),
    workers: 1,
    rounds: 8,
  },
  transfer: {
    measure: "transfer",
    what: "64 MB from task to task",
    unit: "MB/s",
    target: atLeast(1.2, 1.2),
    workers: 2,
    rounds: 12,
  },
  answering: {
    measure: "answering",
    what: "GetStatus while MobileNetV2 runs, longest of 400",
    unit: "ms",
    target: { better: "lower", goal: ANSWER_MILLIS, limit: ANSWER_MILLIS, of: "ours" },
    quantile: 1,
    workers: 1,
    rounds: 4,
  },
};

/** Measurements on GPUs: lines of those above, by the same names. */
export const gpuLines: Readonly<Record<string, PortableLine>> = Object.fromEntries(
  Object.entries(portableLines).filter(([name]) => ["mat-mul", "mlp", "cnn", "mobile-net"].includes(name)),
);
