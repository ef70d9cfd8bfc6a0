/** A window whose graph has two nodes that the portable engine cannot run, for tests of what it says about them. */
import type { Task } from "../../../main/api/cluster.js";
import type { ApplicationClient } from "../../../main/api/contract.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import type { MissingKernels } from "../../../renderer/kernels/missing-kernels.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { documentActions } from "../../../renderer/stores/document-store.js";
import { useKernels, watchKernels } from "../../../renderer/stores/kernel-store.js";
import { useOps } from "../../../renderer/stores/ops-store.js";
import { receiveRuntime } from "../../../renderer/stores/runtime-store.js";
import { setClient } from "../../../renderer/transport/client.js";
import { bundledOpRegistry } from "../../../worker-runtime/graph/op-registry.js";
import { kernelList, PORTABLE, type TENSORFLOW } from "../kernels/cases.js";
import { clusterOf, machineOf, taskOf } from "./cluster-states.js";

/** Connects the window and lets it watch the graph's kernels. Returns the methods it calls, the oldest first. */
export function watchWindow(): readonly string[] {
  const calls: string[] = [];
  setClient({
    call: async (method: string) => {
      calls.push(method);
      return kernelList;
    },
    on: () => () => undefined,
    onConnection: () => () => undefined,
  } as unknown as ApplicationClient);
  useApp.setState({ connection: "connected" });
  useOps.setState({ state: "ready", ops: bundledOpRegistry() });
  receiveRuntime({});
  watchKernels();
  return calls;
}

/** Shows a cluster of one machine with the given tasks, by name. */
export function showEngines(
  tasks: Readonly<Record<string, Task["engine"]>>,
  engines: (typeof PORTABLE | typeof TENSORFLOW)[] = [PORTABLE],
): void {
  const list = Object.entries(tasks).map(([name, engine]) => taskOf(name, { engine }));
  receiveCluster(clusterOf([machineOf("pc", { engines, tasks: list })]));
}

/** Opens a graph whose nodes "s" and "t", on worker/0, are Svd. */
export function openSvds(): void {
  const node = ["s", "t"].map((name) => ({ name, op: "Svd", device: "/job:worker/task:0" }));
  const graphDef = GraphDef.fromPartial({ node: [{ name: "a", op: "Const" }, ...node] });
  const metaGraph = MetaGraphDef.encode(MetaGraphDef.fromPartial({ graphDef })).finish();
  documentActions.load({ name: "g", kind: "meta_graph", format: "text", metaGraph });
}

/** The ops for which the open graph's tasks have no kernel. */
export function missingKernels(): MissingKernels {
  return useKernels.getState().missing;
}

/** The names of the nodes that cannot run. */
export function missingNames(): string[] {
  return [...missingKernels().nodes.keys()];
}
