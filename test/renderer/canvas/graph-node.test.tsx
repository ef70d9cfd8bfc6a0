// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { type NodeProps, ReactFlowProvider, useStoreApi } from "@xyflow/react";
import { useEffect } from "react";
import { beforeEach, describe, expect, it } from "vitest";
import { flowNodes, type GraphFlowNode } from "../../../renderer/canvas/flow-nodes.js";
import { GraphNode } from "../../../renderer/canvas/graph-node.js";
import { FAR_ZOOM } from "../../../renderer/canvas/picture.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { type Suggestion, usePlacement } from "../../../renderer/stores/placement-store.js";
import { lookup, welcome } from "../document/graphs.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { connect, expectAccessible, show } from "../support/components.js";
import { openDocument, runOf, showRun } from "../support/documents.js";

beforeEach(() => {
  connect();
  openDocument(welcome());
  receiveCluster(clusterOf([machineOf("laptop", { tasks: [taskOf("worker/0")] })]));
});

/** A node of the open document, as it is now. */
function Drawn({ name }: { readonly name: string }) {
  const { document, selection } = useDocument((state) => state);
  const flow = flowNodes(document, lookup, selection, new Map()).find(({ id }) => id === name);
  return flow ? <GraphNode {...(flow as unknown as NodeProps<GraphFlowNode>)} /> : null;
}

/** Sets the zoom of the canvas. */
function Zoom({ to }: { readonly to: number }) {
  const store = useStoreApi();
  useEffect(() => store.setState({ transform: [0, 0, to] }), [store, to]);
  return null;
}

const draw = (name: string, zoom = 1) =>
  show(
    <ReactFlowProvider>
      <Zoom to={zoom} />
      <Drawn name={name} />
    </ReactFlowProvider>,
  );

const text = (attribute: string) => document.querySelector(`[data-node-${attribute}]`)?.textContent;

describe("a node", () => {
  it("says its name, its op and where it will run", async () => {
    draw("y");
    expect(text("head")).toMatch(/^y/);
    expect(text("place")).toBe("auto");
    act(() => void documentActions.pin(["y"], "/job:worker/task:0"));
    expect(text("place")).toBe("worker/0");
    await expectAccessible();
  });

  it("says where a suggested placement would put it, and stands there when that is shown", async () => {
    receiveCluster(clusterOf([machineOf("laptop", { tasks: [taskOf("worker/0"), taskOf("worker/1")] })]));
    draw("y");
    act(() => documentActions.pinEach(new Map([["y", "/job:worker/task:0"]]), () => "Pin"));
    const { nodes } = useDocument.getState().document;
    const tasks = ["/job:worker/task:0", "/job:worker/task:1"].map((device) => ({ device }));
    const step = { tasks, members: [["y"]], start: Int32Array.of(0) };
    const suggestion = { step, assignment: Int32Array.of(1), moves: [{}], nodes } as unknown as Suggestion;
    act(() => usePlacement.setState({ suggestion, shown: "changes" }));
    expect([text("place"), text("destination")]).toEqual(["worker/0", "to worker/1"]);
    await expectAccessible();
    act(() => usePlacement.setState({ shown: "after" }));
    expect([text("place"), text("destination")]).toEqual(["worker/1", undefined]);
    act(() => usePlacement.setState({ shown: "now" }));
    expect([text("place"), text("destination")]).toEqual(["worker/0", undefined]);
  });

  it("shows its value, device and time of the last run, and that they are from before an edit", () => {
    draw("y");
    const device = "/job:worker/replica:0/task:0/device:CPU:0";
    const fetch = {
      name: "y:0",
      dtype: "float32",
      shape: [],
      values: ["14"],
      elementCount: 1,
      byteLength: 4,
    };
    const ran = { node: "y", device, startMicros: 0, durationMicros: 250, outputBytes: 4 };
    act(() => showRun(runOf({ fetches: [fetch], nodes: [ran], tracedStep: 1 })));
    const value = document.querySelector("[data-node-value]");
    expect(value?.textContent).toBe("14.0");
    expect(value?.getAttribute("data-node-value")).toBe("result");
    expect(text("device")).toBe("worker/0");
    expect(screen.getByTitle(/14\.0 at step 1 On .*, measured at step 1/)).toBeDefined();
    act(() => void documentActions.pin(["x"], "/job:worker/task:0"));
    expect(document.querySelector("[data-node-value]")?.getAttribute("data-node-value")).toBe("old");
    expect(screen.getByTitle(/before edit/)).toBeDefined();
  });

  it("says in words what is wrong with it, and the whole of it in its tooltip", () => {
    act(() => void documentActions.deleteNodes(["x"]));
    draw("z");
    const [problem] = useDocument.getState().problems.get("z") ?? [];
    expect(problem).toBeDefined();
    expect(screen.getByText(problem?.short ?? "")).toBeDefined();
    expect(screen.getByTitle((title) => title.includes(problem?.message ?? "?"))).toBeDefined();
  });

  it("that failed in the run says so until the graph is edited", () => {
    draw("y");
    const problem = { code: "INVALID_ARGUMENT", message: "Incompatible shapes", node: "y" };
    act(() => showRun(runOf({ state: "failed", problem })));
    expect(screen.getByText("failed")).toBeDefined();
    act(() => void documentActions.pin(["x"], "/job:worker/task:0"));
    expect(screen.queryByText("failed")).toBeNull();
  });

  it("that failed in the run is marked as such from far away, too", () => {
    draw("y", FAR_ZOOM / 2);
    const problem = { code: "INVALID_ARGUMENT", message: "Incompatible shapes", node: "y" };
    act(() => showRun(runOf({ state: "failed", problem })));
    expect(screen.getByTitle("y (Mul) failed")).toBeDefined();
    act(() => void documentActions.pin(["x"], "/job:worker/task:0"));
    expect(screen.queryByTitle(/failed/)).toBeNull();
  });

  it("seen from far away has only its title, and its op in the tooltip", async () => {
    draw("y", FAR_ZOOM / 2);
    expect(screen.getByTitle("y (Mul)").textContent).toBe("y = a × b");
    expect(text("place")).toBeUndefined();
    await expectAccessible();
  });
});
