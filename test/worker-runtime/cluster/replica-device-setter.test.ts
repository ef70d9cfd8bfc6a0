import { describe, expect, test } from "vitest";
import {
  greedyLoadBalancing,
  replicaDeviceSetter,
} from "../../../worker-runtime/cluster/replica-device-setter.js";
import { Graph } from "../../../worker-runtime/graph/graph.js";
import * as ops from "../../../worker-runtime/graph/ops/index.js";
import * as train from "../../../worker-runtime/graph/training/index.js";

const CLUSTER = { ps: ["ps0:2222", "ps1:2222"], worker: ["w0:2222"] };
const initializer = ops.zerosInitializer();

describe("replicaDeviceSetter", () => {
  test("takes the ps tasks in turn; slots and updates are with their variables", () => {
    const graph = new Graph();
    const optimizer = new train.AdamOptimizer();
    const [w, b] = graph.withDevice(replicaDeviceSetter({ cluster: CLUSTER }), () => {
      const made = ["w", "b"].map((name) => ops.getVariable(graph, name, { shape: [4], initializer }));
      const [one, other] = made;
      if (!one || !other) throw new Error("no variables");
      optimizer.minimize(ops.reduceSum(ops.multiply(one.value, other.value)));
      return [one, other] as const;
    });
    expect([w.device, b.device]).toEqual(["/job:ps/task:0", "/job:ps/task:1"]);
    for (const one of [w, b]) {
      expect(one.value.op.device).toBe(one.device);
      expect(one.initializer.device).toBe(one.device);
      expect(one.initialValue.op.device).toBe(one.device);
      expect(optimizer.getSlot(one, "m")?.device).toBe(one.device);
      expect(graph.operation(`Adam/update_${one.name}/ResourceApplyAdam`).device).toBe(one.device);
    }
    expect(graph.operation("Mul").device).toBe("/job:worker");
  });

  test("balances by bytes if wished", () => {
    const graph = new Graph();
    const psStrategy = greedyLoadBalancing(2);
    const sizes = [100, 10, 20, 60, 30];
    const variables = graph.withDevice(replicaDeviceSetter({ cluster: CLUSTER, psStrategy }), () =>
      sizes.map((size, i) => ops.getVariable(graph, `v${i}`, { shape: [size], initializer })),
    );
    // 400 bytes on task 0; then 40, 80 and 240 on task 1, with 360; and again there, with 480.
    expect(variables.map(({ device }) => device.at(-1))).toEqual(["0", "1", "1", "1", "1"]);
    const next = graph.withDevice(replicaDeviceSetter({ cluster: CLUSTER, psStrategy }), () =>
      ops.getVariable(graph, "wide", { shape: [4], dtype: "float64", initializer }),
    );
    expect(next.device).toBe("/job:ps/task:0");
  });
});
