// @vitest-environment happy-dom
import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { RunSummary } from "../../../main/api/run-history.js";
import type { RunUpdate } from "../../../main/api/runs.js";
import { columnsOf } from "../../../main/api/trace-columns.js";
import { runHistoryCommands } from "../../../renderer/commands/run-history-commands.js";
import {
  outcomeRows,
  type ShownRun,
  settingRows,
  slicedTraceRows,
  valueRows,
} from "../../../renderer/dock/history/comparison.js";
import HistoryTab from "../../../renderer/dock/history/history-tab.js";
import { documentActions } from "../../../renderer/stores/document-store.js";
import { useRun } from "../../../renderer/stores/run-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { atOnce } from "../../../worker-runtime/graph/slices.js";
import { welcome } from "../document/graphs.js";
import { calls, connect, expectAccessible, show } from "../support/components.js";
import { openDocument, runOf } from "../support/documents.js";

const origin = (document: string, digest: string) => ({ id: document, document, digest });
const scalar = (value: string) => ({
  ...{ name: "loss:0", dtype: "float32", shape: [], values: [value], elementCount: 1, byteLength: 4 },
});
const summary = (number: number, more: Partial<RunSummary> = {}): RunSummary => ({
  ...{ runId: `r${number}`, number, startedAt: 0, state: "done", step: 3, steps: 3, elapsedMillis: 5000 },
  origin: origin("test", "one"),
  settings: {
    configuration: "train",
    fetches: ["loss:0"],
    targets: [],
    feeds: [{ name: "rate:0", text: `0.${number}` }],
    batches: { size: 32, seed: 7, epochs: 2, dropLast: true },
  },
  tracedSteps: [],
  scalars: [{ name: "loss:0", last: number, notFinite: 0 }],
  ...more,
});
const ran = (node: string, durationMicros: number, task = 0) => ({
  ...{ node, durationMicros, startMicros: 0, outputBytes: 4 },
  device: `/job:worker/replica:0/task:${task}/device:CPU:0`,
});
const update = (number: number, more: Partial<RunUpdate> = {}): RunUpdate =>
  runOf({ runId: `r${number}`, state: "done", step: 3, steps: 3, ...more });

describe("two runs", () => {
  const runs: ShownRun[] = [
    {
      summary: summary(1),
      update: update(1, {
        ...{ fetches: [scalar("0.5")], nodes: [ran("a", 10), ran("b", 3000)], stepMillis: 4 },
        ...{ tracedStep: 1, tracedStepRegisteredGraph: true, computeMillis: 633 },
      }),
    },
    {
      summary: summary(2, { origin: origin("test", "two") }),
      update: update(2, {
        fetches: [scalar("0.25")],
        nodes: [ran("a", 20), ran("b", 1000, 1)],
        ...{ stepMillis: 5, tracedStep: 3, tracedStepRegisteredGraph: false, computeMillis: 24 },
        endedEarly: "loss:0 fell below 0.3",
      }),
    },
  ];
  const textsOf = (rows: ReturnType<typeof settingRows>, name: string) =>
    rows.find((row) => row.name === name);

  it("are compared by what they were asked to do", () => {
    const rows = settingRows(runs);
    expect(textsOf(rows, "Configuration")).toMatchObject({ texts: ["train", "train"], differs: false });
    expect(textsOf(rows, "Graph and feeds")).toMatchObject({ differs: true });
    expect(textsOf(rows, "Fed rate:0")).toMatchObject({ texts: ["0.1", "0.2"], differs: true });
    expect(textsOf(rows, "Batches")?.texts[0]).toBe("32 rows, shuffled by 7, 2 epochs, the last left out");
    expect(textsOf(rows, "Run")).toBeUndefined();
  });

  it("are compared by how they ended, their values, and where the slowest nodes ran", () => {
    expect(textsOf(outcomeRows(runs), "State")?.texts).toEqual([
      "done",
      "done, because loss:0 fell below 0.3",
    ]);
    expect(textsOf(outcomeRows(runs), "Last step")?.texts).toEqual(["4.00 ms, step 3", "5.00 ms, step 3"]);
    expect(textsOf(outcomeRows(runs), "First node to last")?.texts).toEqual([
      "633 ms, step 1, with set-up",
      "24.0 ms, step 3",
    ]);
    expect(valueRows(runs)).toEqual([
      { name: "loss:0", texts: ["0.5", "0.25"], differs: true, tensor: "loss:0" },
    ]);
    expect(atOnce(slicedTraceRows(runs))).toEqual([
      { name: "Traced step", texts: ["step 1, with set-up", "step 3"], differs: true },
      { name: "b", texts: ["3.00 ms on worker/0", "1.00 ms on worker/1"], differs: true },
      {
        name: "a",
        texts: [expect.stringContaining("worker/0"), expect.stringContaining("worker/0")],
        differs: false,
      },
    ]);
  });
});

describe("the kept runs of a document", () => {
  it("are empty at first", async () => {
    connect({ "runs.history": [summary(1, { origin: origin("other", "") })] });
    openDocument(welcome());
    show(<HistoryTab />);
    await screen.findByText(/are kept here/);
    await expectAccessible();
  });

  it("stay when it is saved under a name, and are not those of a new document of its former name", async () => {
    connect({ "runs.history": [summary(2), summary(1, { origin: origin("other", "") })] });
    openDocument(welcome());
    show(<HistoryTab />);
    await screen.findByRole("checkbox", { name: "run 2" });
    act(() =>
      documentActions.markSaved({
        name: "lost.pbtxt",
        path: "/lost.pbtxt",
        kind: "meta_graph",
        format: "text",
      }),
    );
    expect(screen.getByRole("checkbox", { name: "run 2" })).toBeDefined();
    act(() => openDocument({ ...welcome(), id: "another" }));
    await screen.findByText(/are kept here/);
  });

  it("say how many of before are lost", async () => {
    connect({ "runs.history": [], "runs.dropped": 2 });
    openDocument(welcome());
    show(<HistoryTab />);
    await screen.findByText("2 earlier runs could not be read from disk and are lost.");
    await expectAccessible();
  });

  it("can go on from a checkpoint if they lost a task, as long as nothing runs, or be dismissed", async () => {
    const recovery = { task: "ps/0", afterStep: 640, checkpointStep: 600 };
    const lost = summary(1, { state: "failed", recovery });
    connect({ "runs.history": () => [summary(2), ...(dismissed() ? [] : [lost])], "runs.kept": update(2) });
    const dismissed = () => calls.some(({ method }) => method === "runs.dismissRecovery");
    useRun.setState({ newest: update(2, { state: "running" }) });
    openDocument(welcome());
    const { user } = show(<HistoryTab />);
    await screen.findByText("ps/0 was lost after step 640.");
    await expectAccessible();
    const goOn = screen.getByRole("button", { name: "Restore from step 600 and go on" });
    await user.click(goOn);
    expect(calls.map(({ method }) => method)).not.toContain("runs.goOn");
    act(() => useRun.setState({ newest: update(2) }));
    await user.click(goOn);
    expect(calls).toContainEqual({ method: "runs.goOn", params: { runId: "r1" } });
    await user.click(screen.getByRole("button", { name: "Dismiss" }));
    await waitFor(() => expect(screen.queryByText(/was lost after step/)).toBeNull());
    expect(calls).toContainEqual({ method: "runs.dismissRecovery", params: { runId: "r1" } });
  });

  it("are listed, the newest first and in detail; two are compared; they can be forgotten", async () => {
    const curve = (values: number[]) => [
      {
        name: "loss:0",
        stepsPerPoint: 1,
        steps: values.map((_, i) => i + 1),
        values,
        low: values,
        high: values,
      },
    ];
    connect({
      "runs.history": [summary(2), summary(1), summary(3, { origin: origin("other", "") })],
      "runs.kept": update(2, { fetches: [scalar("0.25")], nodes: [ran("b", 1000)] }),
      "runs.scalars": curve([1, 0.5, 0.25]),
      "tensors.describe": { ...scalar("0.25"), step: 3 },
    });
    openDocument(welcome());
    const { user } = show(<HistoryTab />);
    const boxes = await screen.findAllByRole<HTMLInputElement>("checkbox");
    expect(boxes.map((box) => [box.labels?.[0]?.textContent, box.checked])).toEqual([
      ["run 2", true],
      ["run 1", false],
    ]);
    const details = within(screen.getByRole("region", { name: "Chosen runs" }));
    await details.findByRole("row", { name: "loss:0 0.25" });
    await user.click(screen.getByRole("checkbox", { name: "run 1" }));
    await details.findByRole("columnheader", { name: "run 1" });
    expect(details.getByRole("row", { name: /^Fed rate:0 differs 0.2 0.1/ })).toBeDefined();
    await details.findByRole("region", { name: "Curve of loss:0" });
    await expectAccessible();
    const [value] = details.getAllByRole("button", { name: "0.25" });
    if (value) await user.click(value);
    await waitFor(() => expect(useUi.getState().dockTab).toBe("tensor:loss:0 of run 2"));
    expect(calls).toContainEqual({ method: "tensors.describe", params: { runId: "r2", name: "loss:0" } });
    await act(async () => void runHistoryCommands.clear.now().run());
    const { dialog } = useUi.getState();
    if (dialog?.kind !== "confirm") throw new Error("Nothing was asked.");
    await act(async () => dialog.resolve("clear"));
    await waitFor(() =>
      expect(calls).toContainEqual({ method: "runs.clear", params: { id: "test", document: "test" } }),
    );
  });

  it("are compared by first steps where one has no later one", async () => {
    const first = { ...{ step: 1, memory: [], stepMillis: 700, registeredGraph: true, computeMillis: 650 } };
    const traced = (step: number, hasSetUp: boolean, computeMillis: number) => ({
      ...{ tracedStep: step, tracedStepRegisteredGraph: hasSetUp, computeMillis },
    });
    connect({
      "runs.history": [
        summary(2, { tracedSteps: [1, 3], scalars: [] }),
        summary(1, { tracedSteps: [1], scalars: [] }),
      ],
      "runs.kept": ({ runId }: { runId: string }) =>
        runId === "r2" ? update(2, traced(3, false, 24)) : update(1, traced(1, true, 633)),
      "runs.trace": { ...first, nodeCount: 1, transferCount: 0 },
      "runs.traceEvents": columnsOf({ nodes: [ran("b", 9000)], transfers: [] }, 0, 10),
    });
    openDocument(welcome());
    const { user } = show(<HistoryTab />);
    const details = within(await screen.findByRole("region", { name: "Chosen runs" }));
    await details.findByRole("row", { name: "First node to last 24.0 ms, step 3" });
    await user.click(screen.getByRole("checkbox", { name: "run 1" }));
    await details.findByRole("row", {
      name: "First node to last differs 650 ms, step 1, with set-up 633 ms, step 1, with set-up",
    });
    expect(calls).toContainEqual({ method: "runs.trace", params: { runId: "r2", step: 1 } });
  });

  it("have those that wait above them, which can be taken out", async () => {
    connect({
      "runs.history": [summary(1, { state: "running" })],
      "runs.kept": update(1, { state: "running" }),
    });
    openDocument(welcome());
    useRun.setState({
      newest: update(1, { state: "running" }),
      queue: [{ queueId: "q1", document: "test", configuration: "evaluate", steps: 50 }],
    });
    const { user } = show(<HistoryTab />);
    await screen.findByRole("checkbox", { name: "run 1" });
    const queue = within(screen.getByRole("region", { name: "Waiting runs" }));
    expect(queue.getByRole("listitem").textContent).toContain("evaluate of test, 50 steps, waiting");
    await expectAccessible();
    await user.click(queue.getByRole("button", { name: /evaluate/ }));
    await waitFor(() => expect(calls).toContainEqual({ method: "runs.dequeue", params: { queueId: "q1" } }));
  });
});
