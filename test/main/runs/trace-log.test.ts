import { expect, it } from "vitest";
import { TraceLog } from "../../../main/runs/trace-log.js";
import type { TracedStep } from "../../../main/runs/trace-summary.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { StepStats } from "../../../protos/generated/tensorflow/step_stats.js";

const traced = (step: number, nodes = 1): TracedStep => ({
  step,
  nodes: Array.from({ length: nodes }, (_, i) => ({
    ...{ node: `n${i}`, device: "d", startMicros: 0, durationMicros: 1, outputBytes: 0 },
  })),
  ...{ transfers: [], memory: [], computeMillis: 1 },
  ...{ stepStats: StepStats.fromPartial({}), graph: GraphDef.fromPartial({}) },
});
const timing = { millis: 2, registeredGraph: false };

it("keeps the first traced step and the newest ones", () => {
  const log = new TraceLog();
  for (let step = 1; step <= 20; step++) log.add(traced(step), timing);
  expect(log.all.map(({ step }) => step)).toEqual([1, 14, 15, 16, 17, 18, 19, 20]);
  expect(log.find(14)).toMatchObject({ step: 14, stepMillis: 2, nodes: [{ node: "n0" }] });
  expect(log.find(2)).toBeUndefined();
});

it("keeps fewer of large graphs, but always the newest", () => {
  const log = new TraceLog();
  for (let step = 1; step <= 5; step++) log.add(traced(step, 40_000), timing);
  expect(log.all.map(({ step }) => step)).toEqual([1, 4, 5]);
  log.add(traced(6, 200_000), timing);
  log.add(traced(7, 200_000), timing);
  expect(log.newest?.step).toBe(7);
  expect(log.byteLength).toBeLessThan(80 << 20);
});
