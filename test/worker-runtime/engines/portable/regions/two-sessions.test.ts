/** Sessions of one task that compute at the same time. */
import { afterEach, expect, test } from "vitest";
import { makeServerDef } from "../../../../../worker-runtime/cluster/server-def.js";
import { PortableServer } from "../../../../../worker-runtime/engines/portable/portable-server.js";
import type { RegionMode } from "../../../../../worker-runtime/engines/portable/regions/region-mode.js";
import { Graph } from "../../../../../worker-runtime/graph/graph.js";
import * as ops from "../../../../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { Session } from "../../../../../worker-runtime/session/session.js";
import { freePort } from "../../../../support/peers.js";

const SIZE = 384;
const STEPS = 5;

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) {
    await end();
  }
});

async function startOne(regions: RegionMode): Promise<string> {
  const cluster = { worker: [`localhost:${await freePort()}`] };
  const server = await PortableServer.start({
    serverDef: makeServerDef({ cluster, jobName: "worker", taskIndex: 0 }),
    regions,
    log: () => undefined,
  });
  endings.push(() => server.stop());
  return server.target;
}

/** Returns a step that multiplies a matrix so many times by itself and checks the result. */
function chainOf(target: string, products: number): () => Promise<void> {
  const graph = new Graph();
  const fed = ops.placeholder(graph, "float32", [SIZE, SIZE]);
  let product = fed;
  for (let i = 0; i < products; i += 1) {
    product = ops.matMul(product, fed);
  }
  const sum = ops.reduceSum(product, [0, 1]);
  const session = new Session(target, { graph });
  endings.push(() => session.close());
  // Each product is the same matrix again.
  const matrix = Tensor.of(new Float32Array(SIZE * SIZE).fill(1 / SIZE), "float32", [SIZE, SIZE]);
  return async () => {
    const { values } = await session.run([sum], { feeds: [[fed, matrix]] });
    expect(values[0]?.item()).toBeCloseTo(SIZE, 0);
  };
}

test.each<readonly [RegionMode]>([["always"], ["off"]])(
  "both go on, each with long steps, with regions %s",
  { timeout: 120_000 },
  async (regions) => {
    const target = await startOne(regions);
    const [long, short] = [chainOf(target, 24), chainOf(target, 12)];
    await long();
    await short();
    const order: string[] = [];
    const repeat = async (name: string, step: () => Promise<void>): Promise<void> => {
      while (new Set(order).size < 2 || order.filter((one) => one === name).length < STEPS) {
        await step();
        order.push(name);
      }
    };
    await Promise.all([repeat("long", long), repeat("short", short)]);
    // Neither waits until the other has done all of its steps.
    const firstOf = (name: string) => order.indexOf(name);
    expect(firstOf("long")).toBeLessThan(STEPS);
    expect(firstOf("short")).toBeLessThan(STEPS);
  },
);
