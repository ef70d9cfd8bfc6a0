// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { columnsOf } from "../../../main/api/trace-columns.js";
import { EVENTS_PER_PART, type StepTrace } from "../../../main/api/traces.js";
import TimelineTab from "../../../renderer/dock/timeline-tab.js";
import { slicedDifferences, totalsOf } from "../../../renderer/dock/trace/trace-differences.js";
import { useDocument } from "../../../renderer/stores/document-store.js";
import { atOnce } from "../../../worker-runtime/graph/slices.js";
import { welcome } from "../document/graphs.js";
import { connect, expectAccessible, show } from "../support/components.js";
import { openDocument, runOf, showRun } from "../support/documents.js";

const device = (task: number) => `/job:worker/replica:0/task:${task}/device:CPU:0`;
const ran = (node: string, task: number, durationMicros: number) => ({
  ...{ node, device: device(task), startMicros: 0, durationMicros, outputBytes: 4000, peakBytes: 8000 },
});
const sent = (bytes?: number) => ({
  ...{ tensor: "x:0", fromDevice: device(0), toDevice: device(1), startMicros: 1, durationMicros: 2 },
  ...{ timed: true, ...(bytes === undefined ? {} : { bytes }) },
});
const before: StepTrace = {
  step: 1,
  nodes: [ran("x", 0, 100), ran("x", 0, 50), ran("y", 0, 10), ran("gone", 0, 5)],
  transfers: [sent(100)],
  memory: [
    {
      ...{ device: device(0), allocator: "cpu", peakBytes: 12_000, peakMicros: 40 },
      points: [
        { micros: 10, bytes: 12_000 },
        { micros: 90, bytes: 0 },
      ],
    },
  ],
  stepMillis: 3,
  registeredGraph: true,
  computeMillis: 1,
};
const after: StepTrace = {
  ...before,
  step: 2,
  nodes: [ran("x", 1, 60), ran("y", 0, 400)],
  transfers: [],
  memory: [],
  stepMillis: 2.5,
};

/** The application's answers about these steps. */
const answersOf = (traces: Readonly<Record<number, StepTrace>>) => {
  const traceOf = (step: number) => traces[step] ?? before;
  return {
    "runs.trace": ({ step }: { step: number }) => {
      const { nodes, transfers, ...head } = traceOf(step);
      return { ...head, nodeCount: nodes.length, transferCount: transfers.length };
    },
    "runs.traceEvents": ({ step, from }: { step: number; from: number }) =>
      columnsOf(traceOf(step), from, EVENTS_PER_PART),
  };
};

describe("two traces against each other", () => {
  it("list the nodes that differ most first, also those that ran in one only", () => {
    expect(atOnce(slicedDifferences(before, after)).map(({ node, micros }) => [node, micros])).toEqual([
      ["y", 390],
      ["x", -90],
      ["gone", -5],
    ]);
    expect(atOnce(slicedDifferences(before, after))[1]).toMatchObject({
      before: { micros: 150, device: device(0) },
      after: { micros: 60, device: device(1) },
    });
  });

  it("sum up what is known", () => {
    const totals = totalsOf(before, { ...after, transfers: [sent(), sent(3)] });
    expect(totals.map(({ name, before: one, after: other }) => [name, one, other])).toEqual([
      ["Step", 3, 2.5],
      ["First node to last", 1, 1],
      ["Nodes", 4, 2],
      ["Sent between tasks", 1, 2],
      ["Bytes sent", 100, undefined],
      ["Peak of memory", 12_000, undefined],
    ]);
  });
});

describe("the timeline tab", () => {
  const summary = () => ({
    ...{ runId: "r1", number: 1, origin: runOf().origin, startedAt: 1, state: "done", step: 2, steps: 2 },
    ...{ elapsedMillis: 3, settings: { fetches: [], targets: [], feeds: [] }, scalars: [] },
    tracedSteps: [1, 2],
  });
  beforeEach(() => {
    openDocument(welcome());
    connect({
      "runs.history": [summary()],
      ...answersOf({ 1: before, 2: after }),
    });
    showRun(runOf({ tracedStep: 1, nodes: before.nodes, transfers: before.transfers }));
  });

  it("compares two steps: lanes, totals and a table of nodes that selects them", async () => {
    const { user } = show(<TimelineTab />);
    await user.click(screen.getByRole("radio", { name: "Compare" }));
    const nodes = within(await screen.findByRole("table", { name: "Nodes of both steps" }));
    expect(screen.getByText("Step 3.00 ms in A, 2.50 ms in B: −0.50 ms")).toBeDefined();
    const rows = () =>
      nodes
        .getAllByRole("row")
        .slice(1)
        .map(({ textContent }) => textContent);
    expect(rows()).toEqual([
      expect.stringMatching(/^yMul.*10 µs0\.40 ms\+0\.39 ms$/),
      expect.stringMatching(/^xAddV2worker\/0.* → worker\/1.*0\.15 ms60 µs−90 µs$/),
      expect.stringMatching(/^gone.*5 µsdid not run−5 µs$/),
    ]);
    expect(screen.getByRole("row", { name: "Bytes sent 100 B 0 B −100 B" })).toBeDefined();
    expect(screen.getAllByRole("img", { name: /Timeline/ })).toHaveLength(2);
    await user.click(nodes.getByRole("button", { name: "y" }));
    expect([...useDocument.getState().selection]).toEqual(["y"]);
    await user.type(screen.getByRole("textbox", { name: "Find a node or an op" }), "gone");
    await waitFor(() => expect(rows()).toHaveLength(1));
    await user.selectOptions(screen.getByRole("combobox", { name: "A" }), "run 1, step 2");
    await screen.findByText("Step 2.50 ms in A, 2.50 ms in B: 0 µs");
    await expectAccessible();
  });

  it("says that a second trace is needed", async () => {
    connect({ "runs.history": [{ ...summary(), tracedSteps: [1] }], ...answersOf({ 1: before }) });
    const { user } = show(<TimelineTab />);
    await user.click(screen.getByRole("radio", { name: "Compare" }));
    expect(screen.getByText(/Two traced steps are needed/)).toBeDefined();
    await expectAccessible();
  });

  it("shows the memory of each device, and the largest nodes", async () => {
    const { user } = show(<TimelineTab />);
    await user.click(screen.getByRole("radio", { name: "Memory" }));
    const lane = within(await screen.findByRole("region", { name: "worker/0 CPU:0" }));
    expect(lane.getByText("peak 12 kB at 40 µs")).toBeDefined();
    await user.click(screen.getByRole("button", { name: "y" }));
    expect([...useDocument.getState().selection]).toEqual(["y"]);
    await expectAccessible();
  });
});
