// @vitest-environment happy-dom
import { act, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import ProblemsTab from "../../../renderer/dock/problems-tab.js";
import { extractFunction } from "../../../renderer/document/edits/extract-function.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { documentActions, useDocument, useGraph } from "../../../renderer/stores/document-store.js";
import { leaveFunctions, openFunction, shownFunction } from "../../../renderer/stores/function-bodies.js";
import { useOps } from "../../../renderer/stores/ops-store.js";
import { examinePins } from "../../../renderer/stores/pin-problem-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { bundledOpRegistry } from "../../../worker-runtime/graph/op-registry.js";
import { binary, constant, documentOf, edited, lookup, welcome } from "../document/graphs.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { connect, expectAccessible, focusOn, show } from "../support/components.js";
import { openDocument } from "../support/documents.js";

/** Opens a graph of additions whose inputs are not there. */
function openBroken(count: number): void {
  const node = Array.from({ length: count }, (_, index) => binary(`z${index}`, "AddV2", "gone", "gone"));
  const metaGraph = MetaGraphDef.encode(MetaGraphDef.fromPartial({ graphDef: { node } })).finish();
  documentActions.load({ name: "broken", kind: "meta_graph", format: "text", metaGraph });
}

const failed = (name: string) =>
  taskOf(name, { state: "failed", problem: { code: "INTERNAL", message: `${name} ended.` } });

beforeEach(() => {
  connect();
  useOps.setState({ state: "ready", ops: bundledOpRegistry() });
});

describe("the problems tab", () => {
  it("says that there are none", async () => {
    show(<ProblemsTab />);
    expect(screen.getByText("No problems in the graph, the tasks or the newest run.")).toBeDefined();
    expect(screen.queryByRole("listitem")).toBeNull();
    await expectAccessible();
  });

  it("lists those within functions at their calls, with the way to the node", async () => {
    openDocument(edited(welcome(), extractFunction(welcome(), lookup, ["x", "y"])));
    openFunction("extracted");
    documentActions.disconnect([{ node: "y", input: 0 }]);
    leaveFunctions();
    const { user } = show(<ProblemsTab />);
    const [row] = screen.getAllByRole("listitem");
    expect(row?.textContent).toMatch(/^extractedA node of extracted, which extracted calls, cannot run/);
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: "Go to y in extracted" }));
    expect([shownFunction(), [...useGraph.getState().selection]]).toEqual(["extracted", ["y"]]);
    act(() => documentActions.undo());
    expect(screen.queryByRole("listitem")).toBeNull();
  });

  it("lists those of nodes with the way to them", async () => {
    openBroken(1);
    const { user } = show(<ProblemsTab />);
    const [first] = screen.getAllByRole("listitem");
    if (first === undefined) throw new Error("No problem is listed.");
    expect(within(first).getByRole("alert").textContent).toContain("gone");
    await expectAccessible();
    focusOn(within(first).getByRole("button", { name: "Show z0" }));
    await user.keyboard("{Enter}");
    expect([...useDocument.getState().selection]).toEqual(["z0"]);
  });

  it("lists those of tasks with their log, and takes them away when they are gone", async () => {
    receiveCluster(clusterOf([machineOf("laptop", { tasks: [failed("worker/0"), taskOf("worker/1")] })]));
    const { user } = show(<ProblemsTab />);
    expect(screen.getAllByRole("alert").map(({ textContent }) => textContent)).toEqual([
      expect.stringContaining("worker/0 ended."),
    ]);
    await user.click(screen.getByRole("button", { name: "Show log" }));
    expect(useUi.getState()).toMatchObject({ dockTab: "logs", logTask: "worker/0" });
    act(() => receiveCluster(clusterOf([machineOf("laptop", { tasks: [taskOf("worker/0")] })])));
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("draws what is in view, and says how many there are", async () => {
    openBroken(500);
    show(<ProblemsTab />);
    const items = screen.getAllByRole("listitem");
    expect(items.length).toBeLessThan(100);
    const total = [...useDocument.getState().problems.values()].flat().length;
    expect(total).toBeGreaterThanOrEqual(500);
    expect(items[0]?.getAttribute("aria-setsize")).toBe(String(total));
    // The list scrolls by keyboard.
    expect(screen.getByRole("region", { name: "Problems" }).tabIndex).toBe(0);
  });

  it("lists nodes that are pinned to a task that is not there, and unpins them", async () => {
    receiveCluster(clusterOf([machineOf("laptop", { tasks: [taskOf("worker/0")] })]));
    openDocument(documentOf([{ ...constant("a", "1"), device: "/job:ps/task:1" }]));
    act(examinePins);
    const { user } = show(<ProblemsTab />);
    expect(screen.getByText("1 node is pinned to ps/1, which the cluster does not have.")).toBeDefined();
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: "Unpin a" }));
    act(examinePins);
    expect(screen.getByText("No problems in the graph, the tasks or the newest run.")).toBeDefined();
  });
});
