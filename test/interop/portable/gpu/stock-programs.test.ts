/**
 * Programs of stock clients (scripts/gpu_programs.py) on a task with a GPU, which is a software Vulkan here: they give
 * what they give on TensorFlow's server, and step statistics name the GPU.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  environmentWithoutProxies,
  peerMissing,
  repositoryRoot,
  spawnPeer,
  tensorflowPython,
  vulkanEnvironment,
} from "../../../support/peers.js";
import { freeCluster } from "../../peers/stock-servers.js";
import { type StartedWorker, startWorker } from "../../worker-peers.js";

const script = path.join(repositoryRoot, "test", "interop", "portable", "scripts", "gpu_programs.py");
const RUNS_MILLIS = 240_000;
const TOLERANCE = 2e-4;

const GPU = "/job:worker/replica:0/task:0/device:GPU:0";
const cpuOf = (task: number): string => `/job:worker/replica:0/task:${task}/device:CPU:0`;

/** The output of a program. */
interface Result {
  readonly error?: string;
  /** The values of each step, each as a list. */
  readonly actual: readonly (readonly (readonly number[])[])[];
  readonly expected: Result["actual"];
  /** The nodes of the last step and their labels, by device. */
  readonly devices: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The largest difference of two values of a step, relative to values above 1. */
function difference(actual: readonly number[], expected: readonly number[]): number {
  expect(actual).toHaveLength(expected.length);
  return Math.max(
    ...expected.map((value, i) => Math.abs(value - (actual[i] ?? Number.NaN)) / Math.max(1, Math.abs(value))),
  );
}

describe.skipIf(peerMissing("tensorflow", "vulkan"))("a stock program with a GPU", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "tensordeck-gpu-programs-"));
  let workers: readonly StartedWorker[] = [];
  let results: Readonly<Record<string, Result>> = {};

  beforeAll(async () => {
    const addresses = await freeCluster({ worker: 3 });
    const file = path.join(folder, "cluster.json");
    writeFileSync(file, JSON.stringify(addresses));
    workers = await Promise.all(
      ["0", "none"].map((gpu, index) =>
        startWorker(
          [
            ...["--engine", "portable", "--job_name=worker", `--cluster=${file}`],
            ...[`--task_index=${index}`, "--gpu", gpu],
          ],
          vulkanEnvironment(),
        ),
      ),
    );
    const peer = await spawnPeer(tensorflowPython(), [script, JSON.stringify(addresses)], {
      env: environmentWithoutProxies(),
    });
    const { code } = await peer.exited;
    expect(code, peer.output().slice(-6_000)).toBe(0);
    results = JSON.parse(peer.stdout().trim().split("\n").at(-1) ?? "") as typeof results;
  }, RUNS_MILLIS);

  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  /** Also checks that they are TensorFlow's values, and that steps changed something. */
  function nodesOf(name: string): Result["devices"] {
    const { error, actual, expected, devices } = results[name] ?? ({ error: "It was not run." } as Result);
    expect(error).toBeUndefined();
    expect(actual).toHaveLength(expected.length);
    const differences = expected.map((step, at) =>
      step.map((value, i) => difference(actual[at]?.[i] ?? [], value)),
    );
    expect(Math.max(...differences.flat()), JSON.stringify(differences)).toBeLessThan(TOLERANCE);
    expect(expected.at(-1)?.[0]).not.toEqual(expected[0]?.[0]);
    return devices;
  }

  test.each([
    ["another task", "with_a_task", 1],
    ["another task, which is the master", "with_a_task_that_is_the_master", 1],
    ["a TensorFlow server", "with_tensorflows_server", 2],
  ] as const)("exchanges values with %s", (_, name, other) => {
    const devices = nodesOf(name);
    expect(Object.keys(devices[GPU] ?? {})).toEqual(expect.arrayContaining(["there", "back", "loss"]));
    expect(Object.keys(devices[cpuOf(other)] ?? {})).toEqual(expect.arrayContaining(["middle", "total"]));
  });

  test.each([
    ["a model", "mlp", ["hidden", "logits", "GradientDescent/update_w1/ApplyGradientDescent"]],
    [
      "a convolutional network",
      "cnn",
      [
        ...["convolved", "normal", "pooled", "again", "small", "rows", "softmax", "Max", "Sum"],
        "gradients/again_grad/Conv2DBackpropInput",
        "gradients/again_grad/Conv2DBackpropFilter",
        "gradients/convolved_grad/Conv2DBackpropFilter",
        "gradients/pooled_grad/MaxPoolGrad",
        "gradients/normal_grad/FusedBatchNormGradV3",
        "GradientDescent/update_filter1/ResourceApplyGradientDescent",
      ],
    ],
    ["pools that overlap", "overlapping_pools", []],
    ["through the maxima of a pool and their places", "places_of_maxima", ["loss"]],
    ["an embedding by gradient descent", "embedding_by_descent", ["product"]],
    ["an embedding by Adagrad", "embedding_by_adagrad", ["product"]],
  ] as const)("trains %s", (_, name, inRegions) => {
    const { [GPU]: nodes = {}, [cpuOf(0)]: onCpu = {} } = nodesOf(name);
    expect(Object.keys(onCpu)).toEqual(["_SOURCE"]);
    for (const node of inRegions) {
      expect(nodes[node]).toMatch(/ in a region of \d+ nodes$/);
    }
  });

  test("runs by kernels only what WebGPU has no kernel for", () => {
    // A line for each region that ONNX Runtime has rejected.
    expect(workers[0]?.output().match(/ is run by kernels: .*/g) ?? []).toEqual([]);
  });
});
