// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import type { RunSummary, ScalarCurve } from "../../../main/api/run-history.js";
import { curvesCsv, linesOf } from "../../../renderer/dock/curves/curve-lines.js";
import { smooth } from "../../../renderer/dock/curves/smooth.js";
import ResultsTab from "../../../renderer/dock/results-tab.js";
import { welcome } from "../document/graphs.js";
import { connect, expectAccessible, show } from "../support/components.js";
import { openDocument, runOf, showRun } from "../support/documents.js";

const curve = (values: number[], name = "loss:0"): ScalarCurve => ({
  ...{ name, stepsPerPoint: 1, steps: values.map((_, i) => i + 1), values, low: values, high: values },
});
const summary = (number: number, more: Partial<RunSummary> = {}): RunSummary => ({
  origin: { id: "test", document: "test", digest: "" },
  ...{ runId: `r${number}`, number, startedAt: 0, state: "done", step: 3, steps: 3, elapsedMillis: 5000 },
  settings: { fetches: ["loss:0"], targets: [], feeds: [] },
  tracedSteps: [],
  scalars: [
    {
      ...{ name: "loss:0", last: 0.25, notFinite: 0 },
      ...{ lowest: { value: 0.125, step: 2 }, highest: { value: 1, step: 1 } },
    },
  ],
  ...more,
});
const scalar = {
  name: "loss:0",
  dtype: "float32",
  shape: [],
  values: ["0.25"],
  elementCount: 1,
  byteLength: 4,
};

describe("smooth", () => {
  it("is TensorBoard's moving average, and leaves a gap where there is no number", () => {
    expect(smooth([1, 2, Number.NaN, 3], 0)).toEqual([1, 2, Number.NaN, 3]);
    const smoothed = smooth([1, 2, Number.NaN, 3], 0.5);
    expect(smoothed[0]).toBe(1);
    expect(smoothed[1]).toBeCloseTo((0.5 * 1 + 2) / 1.5);
    expect(smoothed[2]).toBeNaN();
    expect(smoothed[3]).toBeCloseTo((0.25 * 1 + 0.5 * 2 + 3) / 1.75);
  });
});

describe("the lines of a scalar", () => {
  const data = {
    runs: [summary(2), summary(1)],
    curves: new Map([
      ["r2", [curve([4, 2, Number.NaN])]],
      ["r1", [curve([8, 6])]],
    ]),
  };

  it("are the shown run's, and dashed those of the others", () => {
    expect(linesOf("loss:0", "r2", data, 0).series).toEqual([
      { label: "run 2", xs: [1, 2, 3], values: [4, 2, null], look: "main" },
      { label: "run 1", xs: [1, 2], values: [8, 6], look: "compared" },
    ]);
    expect(linesOf("loss:0", "r2", data, 0.5).series.map(({ look }) => look)).toEqual([
      "faint",
      "main",
      "compared",
    ]);
  });

  it("are saved as CSV, point by point", () => {
    expect(curvesCsv(data).split("\r\n").slice(0, 3)).toEqual([
      "run,scalar,step,value,lowest,highest",
      '2,"loss:0",1,4,4,4',
      '2,"loss:0",2,2,2,2',
    ]);
  });
});

describe("the curves of a run", () => {
  beforeEach(() => {
    connect({ "runs.history": [summary(2), summary(1)], "runs.scalars": [curve([1, 0.125, 0.25])] });
    openDocument(welcome());
    showRun(runOf({ runId: "r2", step: 3, steps: 3, fetches: [scalar] }));
  });

  it("are shown for a run of several steps, and read by the keys", async () => {
    const { user } = show(<ResultsTab />);
    const chart = await screen.findByRole("img", { name: /^loss:0 by step/ });
    await user.click(chart);
    await user.keyboard("{Home}");
    expect(screen.getByText("step 1: run 2 1")).toBeDefined();
    await user.keyboard("{ArrowRight}");
    expect(screen.getByText("step 2: run 2 0.125")).toBeDefined();
    await user.keyboard("{End}{ArrowRight}");
    expect(screen.getByText("step 3: run 2 0.25")).toBeDefined();
    const metrics = within(screen.getByRole("region", { name: "Scalars" }));
    expect(metrics.getByText("at 2")).toBeDefined();
    await expectAccessible();
  });

  it("are compared with those of other runs, and shown as a table", async () => {
    const { user } = show(<ResultsTab />);
    const runs = within(await screen.findByRole("region", { name: "Runs" }));
    await user.click(await runs.findByRole("checkbox", { name: "run 1" }));
    await user.click(screen.getByRole("img", { name: /^loss:0 by step/ }));
    await user.keyboard("{Home}");
    await waitFor(() => expect(screen.getByText("step 1: run 2 1, run 1 1")).toBeDefined());
    await user.click(screen.getByRole("button", { name: "Table" }));
    const table = within(screen.getByRole("region", { name: "Scalars by step" }));
    expect(table.getAllByRole("row").map(({ textContent }) => textContent)).toEqual([
      ...["Steploss:0", "11", "20.125", "30.25"],
    ]);
    await expectAccessible();
  });

  it("are not beside those of other documents", async () => {
    const ofAnother = summary(3, { origin: { id: "another", document: "test", digest: "" } });
    connect({ "runs.history": [ofAnother, summary(2), summary(1)], "runs.scalars": [curve([1])] });
    show(<ResultsTab />);
    const runs = within(await screen.findByRole("region", { name: "Runs" }));
    await runs.findByRole("checkbox", { name: "run 1" });
    expect(runs.queryByRole("checkbox", { name: "run 3" })).toBeNull();
  });

  it("give way to the values of the newest step, and hide what is not wanted", async () => {
    const { user } = show(<ResultsTab />);
    const scalars = within(await screen.findByRole("region", { name: "Scalars" }));
    await user.click(await scalars.findByRole("checkbox", { name: "loss:0" }));
    expect(screen.queryByRole("img", { name: /^loss:0 by step/ })).toBeNull();
    await user.click(screen.getByRole("radio", { name: "Values" }));
    expect(screen.getByRole("row", { name: /^loss:0/ })).toBeDefined();
  });
});
