import { afterEach, describe, expect, test } from "vitest";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { RegisterGraphRequest } from "../../../../../protos/generated/tensorflow/worker.js";
import { cpuKind } from "../../../../../worker-runtime/engines/portable/device.js";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import { TaskRegions } from "../../../../../worker-runtime/engines/portable/regions/task-regions.js";
import { AllowedFolders } from "../../../../../worker-runtime/engines/portable/resources/allowed-folders.js";
import {
  type RegisteredGraph,
  registerGraph,
} from "../../../../../worker-runtime/engines/portable/worker/registered-graph.js";
import { TaskDevices } from "../../../../../worker-runtime/engines/portable/worker/task-devices.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import { node, type } from "../executor/graph-fixture.js";

const T = type("float32");
const chain: readonly NodeDef[] = [
  node("Placeholder", "x", [], { dtype: T }),
  ...Array.from({ length: 50 }, (_, i) => node("AddV2", `n${i}`, [i === 0 ? "x" : `n${i - 1}`, "x"], { T })),
];
/** For each node more than what one is worth a region for. */
const DEAR = chain.length * 1e6;

let regions: TaskRegions;

async function register(mode: "auto" | "always"): Promise<RegisteredGraph> {
  regions = new TaskRegions({ mode, log: () => undefined });
  return registerGraph(
    RegisterGraphRequest.fromPartial({ graphDef: { node: [...chain] } }),
    TaskDevices.make({ job: "worker", index: 0 }, [cpuKind()]),
    { kernels: createKernelRegistry(), ops: bundledOpRegistry(), files: new AllowedFolders([]), regions },
  );
}

afterEach(() => regions.close());

const kinds = ({ compiled }: RegisteredGraph) => new Set(compiled.nodes.map(({ work }) => work.kind));

describe("regions of a registered graph", () => {
  test("are formed once a step has run kernels that take long", async () => {
    const graph = await register("auto");
    expect(kinds(graph)).not.toContain("region");
    graph.ran(DEAR);
    await expect.poll(() => kinds(graph)).toContain("region");
    expect(kinds(graph)).not.toContain("pure");
    const { compiled } = graph;
    graph.ran(DEAR);
    expect(graph.compiled).toBe(compiled);
    graph.release();
  });

  test("are never formed for cheap kernels", async () => {
    const graph = await register("auto");
    const { compiled } = graph;
    graph.ran(10);
    graph.ran(10);
    expect(graph.compiled).toBe(compiled);
    graph.release();
  });

  test("are there from the first step where all of them are wanted", async () => {
    const graph = await register("always");
    expect(kinds(graph)).toContain("region");
    graph.release();
  });
});
