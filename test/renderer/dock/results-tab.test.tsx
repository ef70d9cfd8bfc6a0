// @vitest-environment happy-dom
import { act, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import type { TensorPreview } from "../../../main/api/runs.js";
import ResultsTab from "../../../renderer/dock/results-tab.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { documentActions } from "../../../renderer/stores/document-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { welcome } from "../document/graphs.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { calls, connect, expectAccessible, focusOn, show } from "../support/components.js";
import { openDocument, runOf, showRun } from "../support/documents.js";

const tensor = (name: string, more: Partial<TensorPreview> = {}): TensorPreview => ({
  ...{ name, dtype: "float32", shape: [2], values: ["1.0", "2.0"], elementCount: 2, byteLength: 8, ...more },
});
const row = (name: string) => screen.getByRole("row", { name: new RegExp(`^${name}`) });

beforeEach(() => {
  connect({ "runs.start": { runId: "r2" } });
  openDocument(welcome());
  receiveCluster(clusterOf([machineOf("laptop", { tasks: [taskOf("worker/0"), taskOf("worker/1")] })]));
});

describe("the results tab", () => {
  it("offers to run where there is nothing yet, and says that a run failed", async () => {
    const { user } = show(<ResultsTab />);
    expect(screen.getByText("Run the graph to see its results.")).toBeDefined();
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: "Run" }));
    expect(calls.map(({ method }) => method)).toEqual(["runs.start"]);
    act(() => showRun(runOf({ state: "failed", problem: { code: "INTERNAL", message: "Broken." } })));
    expect(screen.getByText("The run failed before it produced results.")).toBeDefined();
  });

  it("lists what was fetched with its type, its size, its value and where it ran", async () => {
    documentActions.pin(["z"], "/job:worker/task:1");
    showRun(
      runOf({
        tracedStep: 1,
        fetches: [
          tensor("z:0"),
          tensor("x:0", { dtype: "string", shape: [], values: ["text"], byteLength: 4 }),
        ],
        nodes: [
          {
            node: "x",
            device: "/job:worker/replica:0/task:0/device:CPU:0",
            startMicros: 0,
            durationMicros: 1,
            outputBytes: 4,
          },
        ],
      }),
    );
    show(<ResultsTab />);
    expect(
      within(row("z:0"))
        .getAllByRole("cell")
        .map(({ textContent }) => textContent),
    ).toEqual(["z:0", "float32", "[2]", "worker/1", "8 B", expect.stringContaining("1.0"), "Open"]);
    expect(row("x:0").textContent).toContain("worker/0CPU:0");
    expect(screen.getByRole("table").getAttribute("aria-rowcount")).toBe("3");
    await expectAccessible();
  });

  it("opens a tensor with the keyboard and with a double click", async () => {
    showRun(runOf({ fetches: [tensor("z:0"), tensor("x:0")] }));
    const { user } = show(<ResultsTab />);
    focusOn(within(row("z:0")).getByRole("button", { name: "Open" }));
    await user.keyboard("{Enter}");
    expect(useUi.getState()).toMatchObject({ dockTab: "tensor:z:0" });
    await user.dblClick(screen.getByText("x:0"));
    expect(useUi.getState()).toMatchObject({ dockTab: "tensor:x:0" });
  });

  it("says that results are from before an edit, or without the saved values", () => {
    showRun(runOf({ fetches: [tensor("z:0")], withoutSavedValues: true }));
    show(<ResultsTab />);
    expect(screen.getByText(/without the saved values/)).toBeDefined();
    expect(screen.queryByText(/before edit/)).toBeNull();
    act(() => void documentActions.deleteNodes(["y"]));
    expect(screen.getByText(/before edit/)).toBeDefined();
  });
});
