import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as ort from "onnxruntime-node";
import { expect, test } from "vitest";
import { type GraphProto, ModelProto } from "../../../../../protos/generated/onnx/onnx.js";
import { createLoweringRegistry } from "../../../../../worker-runtime/engines/portable/lowering/all.js";
import {
  ModelBuilder,
  type OnnxValue,
} from "../../../../../worker-runtime/engines/portable/onnx/model-builder.js";
import { forbidTelemetry } from "../../../../../worker-runtime/engines/portable/regions/telemetry.js";
import { internalError } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { nodeOf } from "../kernels/op-case.js";

const lowerings = createLoweringRegistry();
const images = Tensor.of(1, "float32", [1, 2, 2, 1]);
const vector = Tensor.of(1, "float32", [1]);

/** Adds a node of TensorFlow whose images have rank 4 to a model. */
function add(
  model: ModelBuilder,
  example: Parameters<typeof nodeOf>[0],
  inputs: readonly OnnxValue[],
): OnnxValue {
  const ranks = new Map(inputs.map(({ name }, i) => [name, example.inputs[i]?.shape.length ?? 0]));
  const node = nodeOf(example);
  const [output] =
    lowerings.find(node)?.lower(node, inputs, {
      model,
      isOnGpu: false,
      blockedChannels: undefined,
      rank: ({ name }) => ranks.get(name) ?? 0,
      shape: () => undefined,
      likelyShape: () => undefined,
      value: () => undefined,
    }) ?? [];
  if (output === undefined) {
    throw internalError(`${example.op} is declined.`);
  }
  return output;
}

forbidTelemetry();

/** The model as ONNX Runtime executes it. */
async function optimized(model: ModelBuilder): Promise<GraphProto> {
  const folder = await mkdtemp(join(tmpdir(), "transposes-"));
  const file = join(folder, "model.onnx");
  try {
    const options: ort.InferenceSession.SessionOptions = {
      optimizedModelFilePath: file,
      graphOptimizationLevel: "extended",
      logSeverityLevel: 4,
    };
    await (await ort.InferenceSession.create(model.build("some"), options)).release();
    const { graph } = ModelProto.decode(await readFile(file));
    if (graph === undefined) {
      throw internalError("The model has no graph.");
    }
    return graph;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The operators between a value and the images of the convolution or the input that it comes from. */
function operatorsBefore({ node }: GraphProto, value: string | undefined): string[] {
  const operators: string[] = [];
  for (let name = value; ; ) {
    const producer = node.find(({ output }) => output.includes(name ?? ""));
    if (producer?.opType === undefined || producer.opType.includes("Conv")) {
      return operators;
    }
    operators.push(producer.opType);
    name = producer.input[0];
  }
}

test("images with their channels last are not transposed between two convolutions whose filters are inputs", async () => {
  const attrs = { strides: [1, 1, 1, 1], padding: "SAME" };
  const model = new ModelBuilder();
  const input = (rank: number) => model.input("float32", rank);
  const first = add(model, { op: "Conv2D", inputs: [images, images], attrs }, [input(4), input(4)]);
  const biased = add(model, { op: "BiasAdd", inputs: [images, vector] }, [first, input(1)]);
  const scaled = add(model, { op: "Mul", inputs: [images, vector] }, [biased, input(1)]);
  const active = add(model, { op: "Relu6", inputs: [images] }, [scaled]);
  model.output(add(model, { op: "Conv2D", inputs: [images, images], attrs }, [active, input(4)]));
  const graph = await optimized(model);
  const convolutions = graph.node.filter(({ opType }) => opType?.includes("Conv"));
  expect(convolutions).toHaveLength(2);
  const between = operatorsBefore(graph, convolutions[1]?.input[0]);
  expect(between).toContain("Mul");
  expect(between).not.toContain("Transpose");
});
