// @vitest-environment happy-dom
import { screen, within } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import TrainingTab from "../../../renderer/dock/training/training-tab.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { welcome } from "../document/graphs.js";
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

it("says that there is nothing to tell of workers where one client trains", () => {
  showRun(runOf(going));
  show(<TrainingTab />);
  expect(screen.getByText(/One client runs the whole graph/)).toBeDefined();
  expect(screen.queryByRole("table")).toBeNull();
});
