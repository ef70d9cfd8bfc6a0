/**
 * Large tensors that come from another task or are fed, step after step: none may change what an earlier one left behind.
 */
import { afterEach, expect, test } from "vitest";
import { makeServerDef } from "../../../../../worker-runtime/cluster/server-def.js";
import { receivePool } from "../../../../../worker-runtime/engines/portable/memory/receive-pool.js";
import { PortableServer } from "../../../../../worker-runtime/engines/portable/portable-server.js";
import type { RegionMode } from "../../../../../worker-runtime/engines/portable/regions/region-mode.js";
import { Graph } from "../../../../../worker-runtime/graph/graph.js";
import type { Operation, Output } from "../../../../../worker-runtime/graph/operation.js";
import * as ops from "../../../../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { Session } from "../../../../../worker-runtime/session/session.js";
import { freePort } from "../../../../support/peers.js";

const ROWS = 512;
const COLUMNS = 1024;
const STEPS = 6;

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) {
    await end();
  }
  receivePool.clear();
});

async function startTwo(regions: RegionMode): Promise<string> {
  const cluster = { worker: [`localhost:${await freePort()}`, `localhost:${await freePort()}`] };
  const servers = await Promise.all(
    [0, 1].map((taskIndex) =>
      PortableServer.start({
        serverDef: makeServerDef({ cluster, jobName: "worker", taskIndex }),
        regions,
        log: () => undefined,
      }),
    ),
  );
  endings.push(() => Promise.all(servers.map((server) => server.stop())));
  return servers[0]?.target ?? "";
}

type Source = "another task" | "the client";

/** A tensor that the client feeds, or that another task fills with the number that is fed, and what a task makes of it. */
function buildGraph(source: Source) {
  const graph = new Graph();
  const on = <T>(task: number, build: () => T): T =>
    graph.withDevice(`/job:worker/task:${task}/device:CPU:0`, build);
  const isFed = source === "the client";
  const fed = on(isFed ? 0 : 1, () => ops.placeholder(graph, "float32", isFed ? [ROWS, COLUMNS] : []));
  const sent = isFed ? fed : on(1, () => ops.fill(graph, [ROWS, COLUMNS], fed));
  return on(0, () => {
    const variables = (["reference", "resource"] as const).map((kind) =>
      ops.variable(graph, ops.zeros(graph, [ROWS, COLUMNS]), { kind }),
    );
    const queue = ops.fifoQueue(graph, STEPS, ["float32"], { shapes: [[ROWS, COLUMNS]] });
    return {
      graph,
      fed,
      initializers: variables.map(({ initializer }) => initializer),
      // Reads it and keeps nothing, so that its memory is used again in the next step.
      read: ops.reduceSum(ops.multiply(sent, 2), [0, 1]),
      passedOn: ops.reduceSum(ops.identity(ops.identity(sent)), [0, 1]),
      // Keeps it, or memory of it.
      fetched: ops.identity(sent),
      reshaped: ops.reshape(sent, [COLUMNS, ROWS]),
      assigned: variables.map((variable) => ops.assign(variable, sent)),
      kept: variables.map((variable) => ops.reduceSum(variable.value, [0, 1])),
      put: ops.enqueue(queue, [sent]),
      taken: ops.reduceSum(ops.dequeue(queue)[0] ?? sent, [0, 1]),
    };
  });
}

test.each<readonly [Source, RegionMode]>([
  ["another task", "off"],
  ["another task", "auto"],
  ["another task", "always"],
  ["the client", "off"],
  ["the client", "always"],
])("values of %s stay what they were, with regions %s", { timeout: 120_000 }, async (source, regions) => {
  const target = await startTwo(regions);
  const { graph, fed, ...nodes } = buildGraph(source);
  const session = new Session(target, { graph });
  endings.push(() => session.close());
  await session.run([], { targets: nodes.initializers });
  const size = ROWS * COLUMNS;
  const feedOf = (value: number) =>
    source === "the client"
      ? Tensor.of(new Float32Array(size).fill(value), "float32", [ROWS, COLUMNS])
      : value;
  const run = async (fetches: readonly Output[], value: number, targets: readonly Operation[] = []) =>
    (await session.run(fetches, { feeds: [[fed, feedOf(value)]], targets })).values;
  const fetched: [value: number, tensor: Tensor][] = [];
  for (let step = 1; step <= STEPS; step += 1) {
    const [doubled, same] = await run([nodes.read, nodes.passedOn], step);
    expect([doubled?.item(), same?.item()]).toEqual([2 * step * size, step * size]);
    await expect.poll(() => receivePool.idleBytes).toBeGreaterThan(0);
    await run(nodes.assigned, 10 * step);
    await run([], 100 * step, [nodes.put]);
    for (const tensor of await run([nodes.fetched, nodes.reshaped], 7 * step)) {
      fetched.push([7 * step, tensor]);
    }
    // Writes other numbers to whatever memory was given back.
    await run([nodes.read], -1);
    const kept = await run(nodes.kept, 0);
    expect(kept.map((sum) => sum.item())).toEqual(nodes.kept.map(() => 10 * step * size));
  }
  for (let step = 1; step <= STEPS; step += 1) {
    expect((await run([nodes.taken], 0))[0]?.item()).toBe(100 * step * size);
  }
  for (const [value, { data }] of fetched) {
    expect((data as Float32Array).every((element) => element === value)).toBe(true);
  }
});

/** More elements than an update changes in one turn. */
const MANY_ROWS = 3 * 1024;

test.each([
  ["resource", ROWS],
  ["resource", MANY_ROWS],
  ["reference", ROWS],
  ["reference", MANY_ROWS],
] as const)(
  "updates of a %s variable of %i rows give the memory of gradients back",
  {
    timeout: 120_000,
  },
  async (kind, rows) => {
    const target = await startTwo("off");
    const graph = new Graph();
    const on = <T>(task: number, build: () => T): T =>
      graph.withDevice(`/job:worker/task:${task}/device:CPU:0`, build);
    const fed = on(1, () => ops.placeholder(graph, "float32", []));
    const sent = on(1, () => ops.fill(graph, [rows, COLUMNS], fed));
    const { variable, updates, overwrite, sum } = on(0, () => {
      const variable = ops.variable(graph, ops.zeros(graph, [rows, COLUMNS]), { kind });
      const { handle } = variable;
      const dtype = "float32";
      const indices = Tensor.of(Int32Array.from({ length: rows }, (_, row) => row));
      const updates = [
        ops.applyGradientDescent(variable, -1, sent),
        kind === "resource"
          ? graph.op("AssignAddVariableOp", [handle, sent], { dtype })
          : graph.op("AssignAdd", [handle, sent]),
        kind === "resource"
          ? graph.op("ResourceScatterAdd", [handle, indices, sent], { dtype })
          : graph.op("ScatterAdd", [handle, indices, sent]),
      ];
      const overwrite = ops.reduceSum(ops.multiply(sent, 2), [0, 1]);
      return { variable, updates, overwrite, sum: ops.reduceSum(variable.value, [0, 1]) };
    });
    const session = new Session(target, { graph });
    endings.push(() => session.close());
    await session.run([], { targets: [variable.initializer] });
    let total = 0;
    for (const step of [1, 2]) {
      for (const update of updates) {
        receivePool.clear();
        await session.run([], { feeds: [[fed, step]], targets: [update] });
        await expect.poll(() => receivePool.idleBytes).toBeGreaterThan(0);
        await session.run([overwrite], { feeds: [[fed, -1]] });
        total += step;
        const [held] = (await session.run([sum])).values;
        expect(held?.item()).toBe(total * rows * COLUMNS);
      }
    }
  },
);
