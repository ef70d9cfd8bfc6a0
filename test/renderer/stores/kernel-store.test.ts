import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Task } from "../../../main/api/cluster.js";
import type { ApplicationClient } from "../../../main/api/contract.js";
import type { RuntimeState } from "../../../main/api/runtime.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { wayOut } from "../../../renderer/actions/kernel-actions.js";
import { receiveRun } from "../../../renderer/actions/run-actions.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useKernelCatalogue, useKernels, watchKernels } from "../../../renderer/stores/kernel-store.js";
import { useOps } from "../../../renderer/stores/ops-store.js";
import { originOf } from "../../../renderer/stores/run-origin.js";
import { receiveRuntime } from "../../../renderer/stores/runtime-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { setClient } from "../../../renderer/transport/client.js";
import { bundledOpRegistry } from "../../../worker-runtime/graph/op-registry.js";
import { kernelList, PORTABLE, TENSORFLOW } from "../kernels/cases.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";

const calls: string[] = [];

setClient({
  call: async (method: string) => {
    calls.push(method);
    return kernelList;
  },
  on: () => () => undefined,
  onConnection: () => () => undefined,
} as unknown as ApplicationClient);

type Engines = Readonly<Record<string, Task["engine"]>>;

function cluster(tasks: Engines, engines: (typeof PORTABLE | typeof TENSORFLOW)[] = [PORTABLE]): void {
  const list = Object.entries(tasks).map(([name, engine]) => taskOf(name, { engine }));
  receiveCluster(clusterOf([machineOf("pc", { engines, tasks: list })]));
}

function load(): void {
  const node = ["s", "t"].map((name) => ({ name, op: "Svd", device: "/job:worker/task:0" }));
  const graphDef = GraphDef.fromPartial({ node: [{ name: "a", op: "Const" }, ...node] });
  const metaGraph = MetaGraphDef.encode(MetaGraphDef.fromPartial({ graphDef })).finish();
  documentActions.load({ name: "g", kind: "meta_graph", format: "text", metaGraph });
}

const missing = () => useKernels.getState().missing;
const names = () => [...missing().nodes.keys()];
const way = () => {
  const [first] = missing().tasks;
  return first && wayOut(first);
};
const runtime = (offer?: RuntimeState["offer"]): RuntimeState => (offer ? { offer } : {});

beforeAll(() => {
  useApp.setState({ connection: "connected" });
  useOps.setState({ state: "ready", ops: bundledOpRegistry() });
  receiveRuntime(runtime());
  watchKernels();
});

beforeEach(load);

describe("what the graph's tasks have no kernel for", () => {
  it("is asked for with the first portable task, and once", async () => {
    cluster({ "worker/0": "tensorflow" }, [TENSORFLOW, PORTABLE]);
    expect(calls).toEqual([]);
    cluster({ "worker/0": "portable" });
    cluster({ "worker/0": "portable", "worker/1": "portable" });
    await expect.poll(() => useKernelCatalogue.getState().catalogue).toBeDefined();
    expect(calls).toEqual(["kernels.list"]);
    expect(names()).toEqual(["s", "t"]);
  });

  it("follows edits, pins and the cluster, and undo", () => {
    cluster({ "worker/0": "portable", "worker/1": "tensorflow" });
    expect(names()).toEqual(["s", "t"]);
    documentActions.pin(["s"], "/job:worker/task:1");
    expect(names()).toEqual(["t"]);
    documentActions.deleteNodes(["t"]);
    expect(missing().tasks).toEqual([]);
    documentActions.undo();
    documentActions.undo();
    expect(names()).toEqual(["s", "t"]);
    cluster({ "worker/0": "tensorflow", "worker/1": "tensorflow" });
    expect(names()).toEqual([]);
  });

  it("is not worked out again for a sample of the metrics, a selection or a move", () => {
    cluster({ "worker/0": "portable" });
    const before = missing();
    cluster({ "worker/0": "portable" });
    documentActions.select(["s"]);
    documentActions.moveNodes(new Map([["s", { x: 800, y: 8 }]]));
    expect(missing()).toBe(before);
  });

  it("does not keep the graph from being run", () => {
    cluster({ "worker/0": "portable" });
    expect(names()).toHaveLength(2);
    expect(documentActions.runBlockers().filter(({ code }) => code === "UNIMPLEMENTED")).toEqual([]);
  });
});

describe("the way out", () => {
  it("is a task with TensorFlow, in one undo step", () => {
    cluster({ "worker/0": "portable", "ps/0": "tensorflow", "worker/1": "tensorflow" });
    expect(way()?.label).toBe("Pin 2 nodes to worker/1");
    way()?.run();
    expect(names()).toEqual([]);
    documentActions.undo();
    expect(names()).toEqual(["s", "t"]);
  });

  it("is offered beside the failure of a run that went ahead nevertheless", () => {
    cluster({ "worker/0": "portable", "worker/1": "tensorflow" });
    const problem = {
      code: "UNIMPLEMENTED",
      message: "The portable engine cannot run this graph.",
      node: "s",
    };
    receiveRun({
      ...{
        runId: "r",
        origin: originOf(useDocument.getState().document),
        state: "failed",
        step: 0,
        steps: 1,
        trace: false,
        elapsedMillis: 0,
        currentMillis: 0,
        problem,
      },
      ...{ fetches: [], nodes: [], transfers: [] },
    });
    expect(useApp.getState().notices.at(-1)?.action?.label).toBe("Pin 2 nodes to worker/1");
  });

  it("is another engine for the task, where its machine has one", () => {
    cluster({ "worker/0": "portable" }, [TENSORFLOW, PORTABLE]);
    expect(way()?.label).toBe("Change the engine of worker/0…");
    way()?.run();
    expect(useUi.getState().dialog?.kind).toBe("cluster-table");
  });

  it("is an installation, where there is something to install", () => {
    cluster({ "worker/0": "portable" });
    expect(way()).toBeUndefined();
    receiveRuntime(
      runtime({ version: "2.21.0", downloadBytes: 1, installedBytes: 1, freeBytes: 9, gpu: false }),
    );
    expect(way()?.label).toBe("Install TensorFlow runtime…");
    way()?.run();
    expect(useUi.getState().dialog?.kind).toBe("install");
    receiveRuntime(runtime());
  });
});
