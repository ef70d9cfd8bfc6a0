/** Layers of images with channels first, whose results are those with channels last, transposed. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EngineName, Server } from "../../worker-runtime/engines/server.js";
import { denseGradient } from "../../worker-runtime/graph/gradients/gradient.js";
import { gradients } from "../../worker-runtime/graph/gradients/gradients.js";
import { Graph, Operation, type Output } from "../../worker-runtime/graph/graph.js";
import * as layers from "../../worker-runtime/graph/layer-functions/index.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { Session } from "../../worker-runtime/session/session.js";
import { libtensorflowDir, peerMissing } from "../support/peers.js";

/** Numbers of which no two are equal, so that each pool has one largest. */
function waves(...shape: readonly number[]): Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  return Tensor.of(
    Float32Array.from({ length: count }, (_, i) => Math.sin(i)),
    "float32",
    shape,
  );
}

interface Made {
  readonly result: Output;
  readonly gradient: Output;
}

/** A model of images, [2, 6, 7, 3], given with channels last. */
function model(images: Output, format: layers.DataFormat, kinds: readonly Kind[]): Made {
  const first = format === "channels_first";
  const given = first ? ops.transpose(images, [0, 3, 1, 2]) : images;
  const made = kinds.reduce((x, kind) => LAYERS[kind](x, format), given);
  const result = first ? ops.transpose(made, [0, 2, 3, 1]) : made;
  const [gradient] = gradients(ops.square(result), images);
  if (!gradient) throw new Error("The result does not depend on the images.");
  return { result, gradient: denseGradient(gradient) };
}

type Kind = "convolution" | "normalization" | "trainedNormalization" | "largest" | "mean";

const LAYERS: Readonly<Record<Kind, (x: Output, format: layers.DataFormat) => Output>> = {
  convolution: (x, dataFormat) =>
    layers.conv2d(x, 4, [3, 2], {
      ...{ dataFormat, strides: [1, 2], padding: "same", activation: ops.relu },
      kernelInitializer: ops.constantInitializer(waves(3, 2, 3, 4)),
      biasInitializer: ops.constantInitializer(waves(4)),
    }),
  normalization: (x, format) => layers.batchNormalization(x, { axis: format === "channels_first" ? 1 : -1 }),
  trainedNormalization: (x, format) =>
    layers.batchNormalization(x, { axis: format === "channels_first" ? 1 : 3, training: true }),
  largest: (x, dataFormat) => layers.maxPooling2d(x, 2, 2, { dataFormat }),
  mean: (x, dataFormat) => layers.averagePooling2d(x, [2, 3], 1, { dataFormat, padding: "same" }),
};

const IMAGES = waves(2, 6, 7, 3);

/** The outputs and statistics of the model with each format. */
async function results(target: string, kinds: readonly Kind[]) {
  const found: (readonly Tensor[])[] = [];
  for (const format of ["channels_last", "channels_first"] as const) {
    const graph = new Graph();
    const images = ops.placeholder(graph, "float32", [-1, 6, 7, 3]);
    const { result, gradient } = model(images, format, kinds);
    const updates = graph.collection(ops.GraphKeys.UPDATE_OPS).filter((one) => one instanceof Operation);
    const session = new Session(target, { graph });
    try {
      await session.run([], { targets: [ops.globalVariablesInitializer(graph)] });
      const feeds = new Map([[images, IMAGES]]);
      const trained = await session.run([result, gradient], { feeds, targets: updates });
      const statistics = ops.globalVariables(graph).filter(({ name }) => name.includes("moving"));
      const after = await session.run(statistics.map(({ value }) => value));
      found.push([...trained.values, ...after.values]);
    } finally {
      await session.close();
    }
  }
  return found;
}

function expectSame([last = [], first = []]: readonly (readonly Tensor[])[]): void {
  expect(first.map(({ shape }) => shape)).toEqual(last.map(({ shape }) => shape));
  for (const [i, expected] of last.entries()) {
    for (let at = 0; at < expected.size; at++) {
      expect(Number(first[i]?.at(at))).toBeCloseTo(Number(expected.at(at)), 4);
    }
  }
}

describe.each<EngineName>(["portable", "tensorflow"])("with channels first on the engine %s", (engine) => {
  const missing = engine === "tensorflow" && peerMissing("tensorflow");
  let server: Server;

  beforeAll(async () => {
    if (missing) return;
    server = await Server.createLocalServer(
      engine === "portable" ? { engine } : { engine, library: libtensorflowDir() },
    );
  });
  afterAll(async () => {
    if (!missing) await server.stop();
  });

  // TensorFlow has no kernels of CPUs for convolutions and pools with channels first.
  if (engine === "portable") {
    test("convolution, normalization and pools are the same", async () => {
      const kinds = ["convolution", "trainedNormalization", "largest", "mean"] as const;
      expectSame(await results(server.target, kinds));
    });
  }

  test.skipIf(missing)("normalization is the same", async () => {
    expectSame(await results(server.target, ["trainedNormalization", "normalization"]));
  });
});

test("a format that is none is refused", () => {
  const graph = new Graph();
  const images = ops.placeholder(graph, "float32", [-1, 6, 7, 3]);
  const format = "NCHW" as layers.DataFormat;
  expect(() => layers.maxPooling2d(images, 2, 2, { dataFormat: format })).toThrow(
    'The data format is "channels_last" or "channels_first", not "NCHW".',
  );
  const unknown = ops.placeholder(graph, "float32", [-1, -1, 7, 3]);
  expect(() => layers.conv2d(unknown, 1, 3, { dataFormat: "channels_first" })).toThrow(
    "conv2d must know dimension 1",
  );
});
