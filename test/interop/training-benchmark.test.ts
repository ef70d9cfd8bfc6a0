/** The training benchmark in short: its stock script and its program train the same graphs on portable workers, and come back. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TrainingCluster } from "../bench/training-clusters.js";
import { sharesOf } from "../bench/training-trace.js";
import { peerMissing } from "../support/peers.js";

const WORKERS = 2;
const TURN_SECONDS = 0.1;
/** Weights and biases of 784-256-10, as float32. */
const VARIABLE_BYTES = 4 * (784 * 256 + 256 + 256 * 10 + 10);
/** A batch of 100 pictures and classes, which the master sends to the other worker. */
const BATCH_BYTES = 100 * (784 * 4 + 8);

describe.skipIf(peerMissing("tensorflow"))("the training benchmark", () => {
  const folder = mkdtempSync(join(tmpdir(), "tensordeck-bench-test-"));
  const clusters: TrainingCluster[] = [];

  beforeAll(async () => {
    for (const side of ["script", "program"] as const) {
      clusters.push(await TrainingCluster.start(side, WORKERS, folder));
    }
  });
  afterAll(async () => {
    await Promise.all(clusters.map((cluster) => cluster.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  test.each([
    { scheme: "async", bytes: 2 * VARIABLE_BYTES },
    { scheme: "sync", bytes: 2 * VARIABLE_BYTES },
    { scheme: "in-graph", bytes: 2 * WORKERS * VARIABLE_BYTES + BATCH_BYTES },
    { scheme: "ring", bytes: BATCH_BYTES },
  ])("$scheme: script and program move the same bytes in a step", async ({ scheme, bytes }) => {
    for (const cluster of clusters) {
      const request = { scheme, model: "mlp", workers: WORKERS };
      const turn = await cluster.ask({ do: "train", ...request, seconds: TURN_SECONDS });
      expect(turn.steps).toBeGreaterThan(0);
      const { stats } = await cluster.ask({ do: "trace", ...request, steps: 1 });
      const shares = sharesOf(stats as readonly string[]);
      // Besides, there are numbers: losses, steps, tokens.
      expect(shares.bytes).toBeGreaterThanOrEqual(bytes);
      expect(shares.bytes).toBeLessThan(bytes + 200);
      expect(shares.computeMillis).toBeGreaterThan(0);
      await cluster.ask({ do: "end" });
    }
  });

  test("a worker of the program that is killed trains again once it is back", async () => {
    const cluster = clusters.find(({ side }) => side === "program");
    await cluster?.ask({ do: "recover", folder: join(folder, "checkpoints") });
    await cluster?.ask({ do: "mark" });
    await cluster?.kill("worker/1");
    const recovered = cluster?.ask({ do: "recovered", worker: 1 });
    await cluster?.startTask("worker/1");
    expect(await recovered).toEqual({});
  });
});
