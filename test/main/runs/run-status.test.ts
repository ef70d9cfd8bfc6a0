import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EVENTS_PER_PART } from "../../../main/api/traces.js";
import { RunStatus } from "../../../main/runs/run-status.js";
import type { TracedStep } from "../../../main/runs/trace-summary.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { StepStats } from "../../../protos/generated/tensorflow/step_stats.js";

const traced = (step: number): TracedStep => ({
  step,
  nodes: [],
  transfers: [],
  computeMillis: 1,
  memory: [],
  stepStats: StepStats.fromPartial({}),
  graph: GraphDef.fromPartial({}),
});

describe("what is told of a run", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("has the duration of the traced step apart from that of the newest", () => {
    const status = new RunStatus({ steps: 3, trace: false }, () => undefined);
    status.begin("worker/0", undefined);
    status.stepDone([], { millis: 50, registeredGraph: true }, traced(1));
    status.stepDone([], { millis: 2, registeredGraph: false }, undefined);
    expect(status.update()).toMatchObject({
      ...{ step: 2, stepMillis: 2, stepRegisteredGraph: false },
      ...{ tracedStep: 1, tracedStepMillis: 50, tracedStepRegisteredGraph: true },
    });
  });

  it("never has the trace of one step beside the values of the one before", () => {
    const told: [step: number, traced: number | undefined][] = [];
    const status = new RunStatus({ steps: 2, trace: true }, ({ step, tracedStep }) =>
      told.push([step, tracedStep]),
    );
    status.begin("worker/0", undefined);
    for (const step of [1, 2]) {
      vi.advanceTimersByTime(300);
      status.stepDone([], { millis: 1, registeredGraph: false }, traced(step));
    }
    status.end("done");
    expect(told.filter(([step, traced]) => traced !== undefined && traced !== step)).toEqual([]);
    expect(told.at(-1)).toEqual([2, 2]);
  });

  it("has how many events the traced step had, if these are too many to be told each time", () => {
    const status = new RunStatus({ steps: 1, trace: true }, () => undefined);
    const node = { node: "x", device: "/device:CPU:0", startMicros: 0, durationMicros: 1, outputBytes: 4 };
    const withNodes = (step: number, count: number) => ({ ...traced(step), nodes: Array(count).fill(node) });
    status.stepDone([], { millis: 1, registeredGraph: true }, withNodes(1, EVENTS_PER_PART));
    expect(status.update().nodes).toHaveLength(EVENTS_PER_PART);
    expect(status.update().eventCount).toBeUndefined();
    status.stepDone([], { millis: 1, registeredGraph: true }, withNodes(2, EVENTS_PER_PART + 1));
    const { tracedStep, nodes, transfers, eventCount } = status.update();
    expect({ tracedStep, nodes, transfers, eventCount }).toEqual({
      ...{ tracedStep: 2, nodes: [], transfers: [], eventCount: EVENTS_PER_PART + 1 },
    });
    expect(status.traces.find(2)?.nodes).toHaveLength(EVENTS_PER_PART + 1);
  });

  it("has how long the step in progress has taken, for windows that open meanwhile", () => {
    const status = new RunStatus({ steps: 2, trace: false }, () => undefined);
    vi.advanceTimersByTime(500);
    status.begin("worker/0", undefined);
    vi.advanceTimersByTime(12_000);
    expect(status.update()).toMatchObject({ step: 0, currentMillis: 12_000 });
    status.stepDone([], { millis: 12_000, registeredGraph: true }, undefined);
    vi.advanceTimersByTime(40);
    expect(status.update()).toMatchObject({ step: 1, elapsedMillis: 12_000, currentMillis: 40 });
    status.end("done");
    expect(status.update().currentMillis).toBe(0);
  });
});

describe("a run that is paused", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("says so, and does not count the time in which it was held", () => {
    const status = new RunStatus({ steps: 3, trace: false }, () => undefined);
    status.begin("worker/0", undefined);
    vi.advanceTimersByTime(100);
    status.stepDone([], { millis: 100, registeredGraph: false }, undefined);
    status.paused();
    expect(status.state).toBe("paused");
    vi.advanceTimersByTime(60_000);
    status.resumed();
    expect(status.state).toBe("running");
    vi.advanceTimersByTime(100);
    status.stepDone([], { millis: 100, registeredGraph: false }, undefined);
    expect(status.update().elapsedMillis).toBe(200);
  });

  it("stays stopping when it was stopped meanwhile", () => {
    const status = new RunStatus({ steps: 3, trace: false }, () => undefined);
    status.begin("worker/0", undefined);
    status.paused();
    status.stopping();
    status.resumed();
    expect(status.state).toBe("stopping");
  });
});
