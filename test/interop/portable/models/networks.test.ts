/**
 * Networks as users of TensorFlow 1 write them, trained with the stock client on a server that runs every region by ONNX
 * Runtime, and on TensorFlow's own: the losses of their steps are equal, and only listed ops are run by kernels.
 */
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { peerMissing, repositoryRoot } from "../../../support/peers.js";
import { type Engine, printedBy, startCluster } from "../clusters.js";
import { networkKernels } from "./network-kernels.js";
import { runByKernels } from "./run-by-kernels.js";

/** The relative differences of losses, by network. */
const networks = {
  transformer: 1e-4,
  lstm: 1e-4,
  gru: 1e-4,
  ctc: 1e-4,
  conv1d: 1e-4,
  policy_gradient: 1e-3,
  resnet: 1e-3,
  autoencoder: 1e-4,
  separable: 1e-3,
  unet: 1e-4,
  conv3d: 1e-3,
  augmented: 1e-4,
  wide_and_deep: 1e-4,
  "wide_and_deep@ps": 1e-4,
  sparse_adam: 1e-4,
  sampled_softmax: 1e-4,
  graph_convolution: 1e-4,
  mlp_half: 4e-3,
  mlp_double: 1e-10,
  mlp_reference: 1e-4,
  "mlp_float@ps": 1e-4,
  mlp_mixed: 1e-3,
  vae: 1e-4,
  clipped_schedule: 1e-4,
  normalizations: 1e-4,
} as const;

const names = Object.keys(networks) as (keyof typeof networks)[];
/** The first step of a region is run by its kernels, the others by its sessions. */
const STEPS = 4;
const RUN_MILLIS = 300_000;

interface Trained {
  readonly losses: readonly number[];
  readonly kernels: readonly string[];
}

interface Run {
  readonly trained: Readonly<Record<string, Trained>>;
  /** The log of our worker. */
  readonly log: string;
}

async function trainOn(engine: Engine): Promise<Run> {
  const cluster = await startCluster({ ps: 1, worker: 1 }, () => engine, ["--regions=always"]);
  try {
    const folder = path.join(repositoryRoot, "test", "interop", "portable", "models", "networks");
    const args = [folder, JSON.stringify(cluster.addresses), String(STEPS), ...names];
    return {
      trained: (await printedBy(args)) as Run["trained"],
      log: [...cluster.ours.values()].map((worker) => worker.output()).join(""),
    };
  } finally {
    await cluster.stop();
  }
}

describe.skipIf(peerMissing("tensorflow"))("networks trained in regions", () => {
  let expected: Run;
  let given: Run;

  beforeAll(async () => {
    [expected, given] = await Promise.all([trainOn("stock"), trainOn("portable")]);
  }, RUN_MILLIS);

  test.each(names)("%s", (name) => {
    const [wanted, found] = [expected.trained[name]?.losses, given.trained[name]?.losses];
    expect(wanted).toHaveLength(STEPS);
    for (const [step, loss] of (wanted ?? []).entries()) {
      const difference = Math.abs((found?.[step] ?? Number.NaN) - loss) / Math.max(Math.abs(loss), 1e-2);
      expect(difference, `loss of step ${step}: ${found?.[step]} instead of ${loss}`).toBeLessThan(
        networks[name],
      );
    }
    // They learn: the comparison would say nothing of gradients that are all 0.
    expect(new Set(wanted).size).toBe(STEPS);
    const kernels = given.trained[name]?.kernels ?? [];
    expect(kernels.filter((op) => !(op in runByKernels) && !(op in networkKernels))).toEqual([]);
  });

  test("no region has fallen back to kernels", () => {
    expect(given.log.match(/.* is run by kernels: .*/g) ?? []).toEqual([]);
  });

  test("each listed op is run by kernels", () => {
    const seen = new Set(Object.values(given.trained).flatMap(({ kernels }) => kernels));
    expect(Object.keys(networkKernels).filter((op) => !seen.has(op))).toEqual([]);
  });
});
