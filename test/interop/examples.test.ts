/** The examples that ship with Tensordeck, on stock servers, on ours, and on both together. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunOptions_TraceLevel } from "../../protos/generated/tensorflow/config.js";
import type { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { examples } from "../../worker-runtime/graph/examples/index.js";
import { Session } from "../../worker-runtime/session/session.js";
import { peerMissing } from "../support/peers.js";
import { type Engine, type StartedCluster, startCluster } from "./portable/clusters.js";

const mixtures: Readonly<Record<string, (task: string) => Engine>> = {
  "our servers": () => "portable",
  "stock servers": () => "stock",
  "a stock master and workers of either kind": (task) => (task === "worker/1" ? "portable" : "stock"),
};

function graphOf(id: string): Promise<MetaGraphDef> {
  const example = examples.find((one) => one.id === id);
  if (!example) throw new Error(`There is no example ${id}.`);
  return example.build();
}

describe.skipIf(peerMissing("tensorflow"))("examples", () => {
  describe.each(Object.entries(mixtures))("on %s", (_, engineOf) => {
    let cluster: StartedCluster;

    beforeAll(async () => {
      cluster = await startCluster({ worker: 3 }, engineOf);
    });
    afterAll(() => cluster?.stop());

    async function withSession<T>(id: string, use: (session: Session) => Promise<T>): Promise<T> {
      const session = new Session(cluster.target("worker/0"), { graph: (await graphOf(id)).graphDef });
      try {
        return await use(session);
      } finally {
        await session.close();
      }
    }

    test("hello says its text", async () => {
      const { values } = await withSession("hello", (session) => session.run(["hello:0"]));
      expect(Buffer.from(values[0]?.data[0] as Uint8Array).toString()).toBe("Hello, distributed TensorFlow!");
    });

    test("variables in two places are counted up from one of them, and the trace names both", async () => {
      await withSession("places", async (session) => {
        await session.run([], { targets: ["init"] });
        await session.run(["count_0:0", "count_1:0"]);
        const { values, metadata } = await session.run(["count_0:0", "count_1:0"], {
          options: { runOptions: { traceLevel: RunOptions_TraceLevel.FULL_TRACE } },
        });
        expect(values.map((value) => value?.item())).toEqual([2, 2]);
        const ran = new Map(
          metadata?.stepStats?.devStats.map(({ device, nodeStats }) => [
            device,
            nodeStats.map(({ nodeName }) => nodeName),
          ]),
        );
        expect(ran.get("/job:worker/replica:0/task:0/device:CPU:0")).toContain("count_0");
        expect(ran.get("/job:worker/replica:0/task:1/device:CPU:0")).toContain("count_1");
      });
    });

    test("the ring gives every worker the same sum", async () => {
      const fetches = ["sum_0:0", "sum_1:0", "sum_2:0"];
      const { values } = await withSession("ring", (session) => session.run(fetches));
      const sum = [111, 222, 333, 444, 555, 666];
      expect(values.map((value) => value?.toArray())).toEqual([sum, sum, sum]);
    });

    test.each(["train-digits", "train-replicas"])(
      "%s learns to name pictures that it never saw",
      async (id) => {
        await withSession(id, async (session) => {
          await session.run([], { targets: ["init"] });
          const fetches = ["evaluation/loss:0", "evaluation/accuracy:0"];
          const before = await session.run(fetches);
          for (let step = 0; step < 300; step += 1) await session.run(["loss:0"], { targets: ["train"] });
          const after = await session.run([...fetches, "global_step/Read/ReadVariableOp:0"]);
          const [loss, accuracy, steps] = after.values.map((value) => Number(value?.item()));
          expect(loss).toBeLessThan(Number(before.values[0]?.item()) / 4);
          expect(accuracy).toBeGreaterThan(0.85);
          expect(steps).toBe(300);
        });
      },
    );
  });
});
