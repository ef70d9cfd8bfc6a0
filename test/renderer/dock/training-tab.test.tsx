// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import TrainingTab from "../../../renderer/dock/training/training-tab.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { documentOf, node, type, welcome } from "../document/graphs.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { calls, connect, expectAccessible, show } from "../support/components.js";
import { openDocument, runOf, showRun } from "../support/documents.js";

beforeEach(() => {
  connect();
  receiveCluster(clusterOf([machineOf("laptop", { tasks: [taskOf("worker/0"), taskOf("worker/1")] })]));
  openDocument(welcome());
});

const going = { state: "running", step: 40, steps: 100, elapsedMillis: 20_000 } as const;

it("shows how far the training is, and what each worker does", async () => {
  showRun(
    runOf({
      ...going,
      training: {
        workers: [
          { name: "worker/0", steps: 22, behind: 0, stepMillis: 12.5, waitingShare: 0.34 },
          { name: "worker/1", steps: 18, behind: 4, stepMillis: 20, waitingShare: 0, lostAtStep: 38 },
        ],
        staleness: [30, 8, 2],
      },
    }),
  );
  const { user } = show(<TrainingTab />);
  expect(screen.getByText("step 40 / 100")).toBeDefined();
  expect(screen.getByRole("progressbar", { name: "Progress of the training" })).toBeDefined();
  const [, first, second] = screen.getAllByRole("row");
  expect(
    within(first as HTMLElement)
      .getAllByRole("cell")
      .map((cell) => cell.textContent),
  ).toEqual([...["worker/0", "22", "80.0", "12.5 ms", "0", "34%"]]);
  expect(within(second as HTMLElement).getByText("lost at 38")).toBeDefined();
  expect(screen.getByRole("status").textContent).toContain("worker/1 was lost after step 38.");
  expect(screen.getByText("Of 40 updates; mean 0.3, worst 2")).toBeDefined();
  expect(screen.getByText("75%")).toBeDefined();
  await expectAccessible();
  await user.click(screen.getByRole("button", { name: /Pause/ }));
  expect(calls.map(({ method }) => method)).toContain("runs.pause");
});

it("tells how many examples go by in a second, of all and of each worker", () => {
  showRun(
    runOf({
      ...{ ...going, examplesPerStep: 64 },
      training: {
        workers: [
          { name: "worker/0", steps: 40, behind: 0, stepMillis: 12.5 },
          { name: "worker/1", steps: 20, behind: 20, stepMillis: 25 },
          { name: "worker/2", steps: 4, behind: 36, stepMillis: 20, lostAtStep: 12 },
        ],
        staleness: [],
      },
    }),
  );
  show(<TrainingTab />);
  const [, first, second] = screen.getAllByRole("row");
  expect(within(first as HTMLElement).getByText("5120")).toBeDefined();
  expect(within(second as HTMLElement).getByText("2560")).toBeDefined();
  expect(screen.getByText("7680 examples/s")).toBeDefined();
});

it("tells the mean over the run where one client trains", () => {
  showRun(runOf({ ...going, examplesPerStep: 64 }));
  show(<TrainingTab />);
  // 40 steps of 64 examples in 20 s.
  expect(screen.getByText("128 examples/s")).toBeDefined();
});

it("says that there is nothing to tell of workers where one client trains", () => {
  showRun(runOf(going));
  show(<TrainingTab />);
  expect(screen.getByText(/One client runs the whole graph/)).toBeDefined();
  expect(screen.queryByRole("table")).toBeNull();
});

describe("checkpoints", () => {
  const checkpoints = {
    ...{ folder: "/home/ada/line.checkpoints", keep: 5, every: 100, saving: false },
    saved: [
      {
        prefix: "/home/ada/line.checkpoints/ckpt-400",
        step: 400,
        savedAt: 0,
        byteLength: 901_000,
        loss: 0.2152,
      },
      { prefix: "/home/ada/line.checkpoints/ckpt-300", step: 300, savedAt: 0, byteLength: 901_000 },
    ],
  };
  const rows = () =>
    within(screen.getByRole("table", { name: "Checkpoints" }))
      .getAllByRole("row")
      .slice(1);

  it("are listed with their step, size and loss, and one is saved now", async () => {
    showRun(runOf({ ...going, checkpoints }));
    const { user } = show(<TrainingTab />);
    expect(screen.getByText("every 100 steps, last 5 kept")).toBeDefined();
    expect(screen.getByText("/home/ada/line.checkpoints")).toBeDefined();
    const texts = rows().map((row) =>
      within(row)
        .getAllByRole("cell")
        .map((cell) => cell.textContent),
    );
    expect(texts.map(([name, step, , size, loss]) => [name, step, size, loss])).toEqual([
      ["ckpt-400 latest", "400", "901 kB", "0.2152"],
      ["ckpt-300 ", "300", "901 kB", "–"],
    ]);
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: "Save now" }));
    expect(calls.at(-1)).toMatchObject({ method: "runs.saveCheckpoint", params: { runId: "r1" } });
    const restore = within(rows()[0] as HTMLElement).getByRole("button", { name: "Restore ckpt-400…" });
    expect(restore.getAttribute("aria-disabled")).toBe("true");
  });

  it("are restored when no step is in progress, after a question that names what is replaced", async () => {
    connect({
      "variables.inspect": { graphId: "g", variables: [{ name: "w", initialized: true }] },
      "variables.restore": { restored: 1, missing: [], unused: [] },
    });
    openDocument(documentOf([node("w", "VariableV2", [], { dtype: type("float32") })]));
    showRun(runOf({ ...going, state: "paused", checkpoints }));
    const { user } = show(<TrainingTab />);
    await user.click(screen.getByRole("button", { name: "Restore ckpt-300…" }));
    const question = await waitFor(() => {
      const { dialog } = useUi.getState();
      if (dialog?.kind !== "confirm") throw new Error("no question");
      return dialog;
    });
    expect(question.text).toContain("w has a value that the checkpoint replaces");
    expect(calls.map(({ method }) => method)).not.toContain("variables.restore");
    question.resolve("replace");
    await waitFor(() =>
      expect(calls.find(({ method }) => method === "variables.restore")?.params).toMatchObject({
        ...{ graphId: "g", names: ["w"], path: "/home/ada/line.checkpoints/ckpt-300" },
      }),
    );
  });

  it("that cannot be saved are told of, with the reason", () => {
    const problem = {
      code: "UNAVAILABLE",
      message: "The checkpoint cannot be written.",
      reason: "The disk is full.",
    };
    showRun(runOf({ ...going, checkpoints: { ...checkpoints, saved: [], problem } }));
    show(<TrainingTab />);
    expect(screen.getByRole("status").textContent).toBe(
      "The checkpoint cannot be written. The disk is full. The training goes on.",
    );
  });
});
