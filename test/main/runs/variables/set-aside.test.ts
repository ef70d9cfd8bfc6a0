/** Values that are kept before variables are replaced or moved, with tasks of the portable engine. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Participant } from "../../../../main/runs/participants.js";
import { Jobs } from "../../../../main/runs/tensors/jobs.js";
import { TensorStore } from "../../../../main/runs/tensors/tensor-store.js";
import { VariableService } from "../../../../main/runs/variables/variable-service.js";
import { THIS_PROGRAM } from "../../../../main/shared/caller.js";
import { GraphDef } from "../../../../protos/generated/tensorflow/graph.js";
import { Server } from "../../../../worker-runtime/engines/server.js";
import { Graph } from "../../../../worker-runtime/graph/graph.js";
import * as ops from "../../../../worker-runtime/graph/ops/index.js";
import { freePort } from "../../../support/free-port.js";

const NAMES = ["w", "b"];
const servers: Server[] = [];
let dataDir: string;
let folder: string;
let tasks: Participant[];
let service: VariableService;

/** Variables that are pinned to one task. */
function graphOn(task: number, ...others: readonly string[]): Uint8Array {
  const graph = new Graph();
  graph.withDevice(`/job:worker/task:${task}`, () => {
    ops.variable(graph, [[0, 0]], { name: "w" });
    ops.variable(graph, 0, { name: "b", kind: "reference" });
    for (const name of others) ops.variable(graph, 0, { name });
  });
  return GraphDef.encode(graph.toGraphDef()).finish();
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "tensordeck-set-aside-"));
  folder = join(dataDir, "set-aside");
  // Left by an application that was killed.
  await mkdir(join(folder, "old"), { recursive: true });
  await writeFile(join(folder, "old", "values.index"), "");
  const addresses = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  for (const taskIndex of addresses.keys()) {
    servers.push(
      await Server.start({
        engine: "portable",
        cluster: { worker: addresses },
        jobName: "worker",
        taskIndex,
      }),
    );
  }
  tasks = addresses.map((address, index) => ({
    ...{ id: `worker-${index}`, name: `worker/${index}`, job: "worker", index, address, engine: "portable" },
    ...{ state: "running", devices: [], incarnation: "1", unusable: undefined },
  }));
  service = new VariableService({
    cluster: { membership: "fixed", tasks: () => tasks, noteVariables: () => undefined },
    tensors: new TensorStore(),
    jobs: new Jobs(() => undefined),
    setAsideFolder: folder,
  });
});

afterAll(async () => {
  await service.dispose();
  await Promise.all(servers.map((server) => server.stop()));
  await rm(dataDir, { recursive: true });
});

const inspect = (graph: Uint8Array) => service.handlers["variables.inspect"]({ graph }, THIS_PROGRAM);
const setAside = (graphId: string, names = NAMES) =>
  service.handlers["variables.setAside"]({ graphId, names, jobId: "set aside" }, THIS_PROGRAM);
const bringBack = async (graphId: string, keptId: string) =>
  service.handlers["variables.bringBack"](
    { graphId, names: NAMES, keptId, jobId: "bring back" },
    THIS_PROGRAM,
  );

async function assign(graphId: string, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(values)) {
    const value = { kind: "literal", text } as const;
    await service.handlers["variables.assign"]({ graphId, name, value }, THIS_PROGRAM);
  }
}

async function valuesIn(graphId: string): Promise<unknown> {
  const figures = await service.handlers["variables.figures"]({ graphId, names: NAMES }, THIS_PROGRAM);
  return Object.fromEntries(figures.map(({ name, elements }) => [name, elements]));
}

it("brings values back where they were replaced, and to the task to which their variables moved", async () => {
  const { graphId: before } = await inspect(graphOn(0));
  await assign(before, { w: "[[1, 2]]", b: "3" });
  const { keptId } = await setAside(before);
  expect(await readdir(folder)).toEqual([keptId]);
  await assign(before, { w: "[[0, 0]]", b: "0" });
  expect(await bringBack(before, keptId)).toMatchObject({ restored: 2 });
  expect(await valuesIn(before)).toEqual({ w: ["1.0", "2.0"], b: ["3.0"] });

  const { graphId: after, variables } = await inspect(graphOn(1));
  expect(variables.map(({ initialized }) => initialized)).toEqual([false, false]);
  await bringBack(after, keptId);
  expect(await valuesIn(after)).toEqual({ w: ["1.0", "2.0"], b: ["3.0"] });
});

it("brings a value back to a variable that has another name by now", async () => {
  const { graphId } = await inspect(graphOn(0));
  await assign(graphId, { w: "[[1, 2]]", b: "3" });
  const { keptId } = await setAside(graphId);
  const { graphId: renamed } = await inspect(graphOn(0, "c"));
  const names = ["c"];
  await service.handlers["variables.bringBack"](
    { graphId: renamed, names, keptId, keptAs: { c: "b" }, jobId: "bring back" },
    THIS_PROGRAM,
  );
  const figures = await service.handlers["variables.figures"]({ graphId: renamed, names }, THIS_PROGRAM);
  expect(figures).toMatchObject([{ name: "c", elements: ["3.0"] }]);
});

it("keeps the newest few, and nothing of what could not be read", async () => {
  const { graphId } = await inspect(graphOn(0));
  await assign(graphId, { w: "[[1, 2]]", b: "3" });
  const { keptId: first } = await setAside(graphId);
  const { keptId: second } = await setAside(graphId);
  await setAside(graphId);
  const { keptId: newest } = await setAside(graphId);
  await expect(bringBack(graphId, first)).rejects.toMatchObject({
    problem: { code: "NOT_FOUND", message: "The earlier values are no longer kept." },
  });
  await bringBack(graphId, second);
  const kept = await readdir(folder);
  expect(kept).toHaveLength(3);
  expect(kept).toContain(newest);
  const more = await inspect(graphOn(0, "without_a_value"));
  await expect(setAside(more.graphId, [...NAMES, "without_a_value"])).rejects.toMatchObject({
    problem: { code: "FAILED_PRECONDITION" },
  });
  expect((await readdir(folder)).toSorted()).toEqual(kept.toSorted());
});
