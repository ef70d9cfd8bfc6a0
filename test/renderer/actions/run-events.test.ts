import { beforeEach, describe, expect, it, vi } from "vitest";
import type { ApplicationClient } from "../../../main/api/contract.js";
import type { NodeRun, RunUpdate } from "../../../main/api/runs.js";
import { columnsOf } from "../../../main/api/trace-columns.js";
import { EVENTS_PER_PART, type TraceEvents } from "../../../main/api/traces.js";
import { ProblemError } from "../../../main/api/wire.js";
import { receiveRun } from "../../../renderer/actions/run-actions.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { useDocumentRun, useRun } from "../../../renderer/stores/run-store.js";
import { setClient } from "../../../renderer/transport/client.js";
import { nodeRunOf } from "../../../renderer/viewport/node-text.js";
import { welcome } from "../document/graphs.js";
import { openDocument, runOf } from "../support/documents.js";
import { NO_REMEDIES } from "../support/run-remedies.js";

const COUNT = 2 * EVENTS_PER_PART + 5;
const device = "/job:worker/replica:0/task:0/device:CPU:0";
const ran = (step: number) => (_: unknown, index: number) => ({
  ...{ node: `n${index}`, device, startMicros: index, durationMicros: step, outputBytes: 4 },
});
/** The nodes of a step, which take as many microseconds as the number of the step. */
const nodesOf = (step: number): NodeRun[] => Array.from({ length: COUNT }, ran(step));

/** Asked for a part of a step; waits for the test to say when it is there. */
let parts: ((step: number, from: number) => Promise<void>) | undefined;

setClient({
  call: async (method: string, { step, from }: { step: number; from: number }): Promise<unknown> => {
    if (method === "runs.trace") {
      const head = { step, memory: [], stepMillis: 10 * step, registeredGraph: false, computeMillis: step };
      return { ...head, nodeCount: COUNT, transferCount: 0 };
    }
    await parts?.(step, from);
    const events: TraceEvents = columnsOf({ nodes: nodesOf(step), transfers: [] }, from, EVENTS_PER_PART);
    return events;
  },
  on: () => () => undefined,
  onConnection: () => () => undefined,
} as unknown as ApplicationClient);

const receive = (more: Partial<RunUpdate>) => receiveRun(runOf(more), NO_REMEDIES);
const large = (step: number, more: Partial<RunUpdate> = {}) =>
  receive({ tracedStep: step, step, eventCount: COUNT, tracedStepMillis: 10 * step, ...more });
const latest = () => useDocumentRun.getState().latest;

beforeEach(() => {
  parts = undefined;
  useRun.setState(useRun.getInitialState(), true);
  useApp.setState({ notices: [] });
  openDocument(welcome());
});

describe("the events of a run's traced step", () => {
  it("are loaded in parts if they do not come with the update, for the run and for its document", async () => {
    large(1);
    expect(latest()).toMatchObject({ tracedStep: 1, nodes: [] });
    expect(useRun.getState().eventShare).toBeDefined();
    await vi.waitFor(() => expect(latest()?.nodes).toEqual(nodesOf(1)));
    expect(useRun.getState().newest).toBe(latest());
    expect(nodeRunOf(latest()?.nodes, "n7")?.startMicros).toBe(7);
    await vi.waitFor(() => expect(useRun.getState().eventShare).toBeUndefined());
    const { nodes } = latest() ?? {};
    large(1, { step: 5 });
    expect(latest()?.step).toBe(5);
    expect(latest()?.nodes).toBe(nodes);
  });

  it("are those of the step before until the newer ones are here", async () => {
    large(1);
    await vi.waitFor(() => expect(latest()?.nodes).toHaveLength(COUNT));
    let letGo: (() => void) | undefined;
    parts = () =>
      new Promise((resolve) => {
        letGo = resolve;
      });
    large(2);
    await vi.waitFor(() => expect(letGo).toBeDefined());
    large(2, { step: 3 });
    expect(latest()).toMatchObject({ step: 3, tracedStep: 1, tracedStepMillis: 10 });
    expect(latest()?.nodes[0]?.durationMicros).toBe(1);
    parts = undefined;
    letGo?.();
    await vi.waitFor(() => expect(latest()?.tracedStep).toBe(2));
    expect(latest()).toMatchObject({ step: 3, tracedStepMillis: 20, computeMillis: 2 });
    expect(latest()?.nodes[0]?.durationMicros).toBe(2);
  });

  it("are no longer loaded once another run is the newest", async () => {
    const asked: number[] = [];
    let letGo: (() => void) | undefined;
    parts = (step) => {
      asked.push(step);
      return new Promise((resolve) => {
        letGo = resolve;
      });
    };
    large(1);
    await vi.waitFor(() => expect(letGo).toBeDefined());
    receive({ runId: "r2", tracedStep: 1, nodes: nodesOf(3).slice(0, 3) });
    letGo?.();
    await vi.waitFor(() => expect(useRun.getState().eventShare).toBeUndefined());
    expect(asked).toEqual([1]);
    expect(latest()).toMatchObject({ runId: "r2", nodes: nodesOf(3).slice(0, 3) });
    expect(useApp.getState().notices).toEqual([]);
  });

  it("say nothing if they gave way to those of a newer step, which are loaded then", async () => {
    parts = async (step) => {
      if (step === 1) throw new ProblemError({ code: "NOT_FOUND", message: "no longer kept" });
    };
    large(1);
    large(2);
    await vi.waitFor(() => expect(latest()?.nodes[0]?.durationMicros).toBe(2));
    expect(useApp.getState().notices).toEqual([]);
  });

  it("say why they cannot be shown, and are asked for again with the next update", async () => {
    parts = async () => {
      throw new ProblemError({ code: "INTERNAL", message: "broken" });
    };
    large(1);
    await vi.waitFor(() => expect(useApp.getState().notices).toHaveLength(1));
    await vi.waitFor(() => expect(useRun.getState().eventShare).toBeUndefined());
    parts = undefined;
    large(1);
    await vi.waitFor(() => expect(latest()?.nodes).toHaveLength(COUNT));
  });
});
