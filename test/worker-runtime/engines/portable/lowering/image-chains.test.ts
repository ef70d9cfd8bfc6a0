/**
 * Nodes that are lowered together: a bias that a convolution or a matrix product adds, and a pool's gradient that is multiplied and summed
 * before it is spread over the images.
 */
import { afterEach, describe, expect, test } from "vitest";
import { ModelProto } from "../../../../../protos/generated/onnx/onnx.js";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import { createLoweringRegistry } from "../../../../../worker-runtime/engines/portable/lowering/all.js";
import {
  ModelBuilder,
  type OnnxValue,
} from "../../../../../worker-runtime/engines/portable/onnx/model-builder.js";
import type { AttrInput } from "../../../../../worker-runtime/graph/attr-values.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { nodeOf } from "../kernels/op-case.js";
import { tensorDifference } from "../kernels/tensor-difference.js";
import { OnnxSessions } from "./onnx-sessions.js";

const kernels = createKernelRegistry();
const lowerings = createLoweringRegistry();
const sessions = new OnnxSessions();
afterEach(() => sessions.release());

/** Whole numbers, so that sums are exact and the largest of a window is often there twice. */
function whole(shape: readonly number[], range = 5): Tensor {
  const size = shape.reduce((product, length) => product * length, 1);
  const values = Float32Array.from({ length: size }, (_, i) => ((i * 7919 + 13) % range) - (range >> 1));
  return Tensor.of(values, "float32", shape);
}

/** Nodes whose sizes are known, each computed by its kernel and written into one model at once. */
class Chain {
  readonly #model = new ModelBuilder();
  readonly #tensors = new Map<OnnxValue, Tensor>();
  readonly #inputs: OnnxValue[] = [];

  input(tensor: Tensor): OnnxValue {
    const value = this.#model.input(tensor.dtype, tensor.shape.length);
    this.#inputs.push(value);
    this.#tensors.set(value, tensor);
    return value;
  }

  async node(
    op: string,
    inputs: readonly OnnxValue[],
    attrs: Readonly<Record<string, AttrInput>> = {},
  ): Promise<OnnxValue> {
    const tensors = inputs.map((input) => this.tensor(input));
    const node = nodeOf({ op, inputs: tensors, attrs });
    const kernel = kernels.find(node, "CPU");
    const made = lowerings.find(node)?.lower(node, inputs, {
      model: this.#model,
      isOnGpu: false,
      blockedChannels: undefined,
      rank: (input) => this.tensor(input).shape.length,
      shape: (input) => this.tensor(input).shape,
      likelyShape: (input) => this.tensor(input).shape,
      value: () => undefined,
    });
    if (kernel?.kind !== "pure") {
      throw new Error(`${op} has no pure kernel.`);
    }
    await kernel.prepare?.();
    const [result] = await kernel.create(node)(tensors);
    const [value] = made ?? [];
    if (value === undefined || result === undefined) {
      throw new Error(`The lowering of ${op} declines.`);
    }
    this.#tensors.set(value, result);
    return value;
  }

  /** What the kernels give. */
  tensor(value: OnnxValue): Tensor {
    const tensor = this.#tensors.get(value);
    if (tensor === undefined) {
      throw new Error("A lowering asks about a value that it was not given.");
    }
    return tensor;
  }

  /** @returns the ops of the model. @throws where a value of the model is not what the kernels give. */
  async check(...wanted: readonly OnnxValue[]): Promise<readonly string[]> {
    const outputs = wanted.map((value) => this.#model.output(value));
    const bytes = this.#model.build("chain");
    const inputs = this.#inputs.map(({ name }) => name);
    const results = await sessions.run(
      { bytes, inputs, outputs },
      this.#inputs.map((input) => this.tensor(input)),
    );
    for (const [i, value] of wanted.entries()) {
      const result = results[i];
      const tolerance = { ulps: 4, absolute: 0 };
      expect(result && tensorDifference(result, this.tensor(value), tolerance)).toBeUndefined();
    }
    return ModelProto.decode(bytes).graph?.node.map(({ opType }) => opType ?? "") ?? [];
  }
}

test.each([4, 0])("a product of matrices that sums up %i elements adds the bias after it", async (inner) => {
  const chain = new Chain();
  const [a, b] = [chain.input(whole([inner, 3])), chain.input(whole([5, inner]))];
  const product = await chain.node("MatMul", [a, b], { transpose_a: true, transpose_b: true });
  const biased = await chain.node("BiasAdd", [product, chain.input(whole([5]))]);
  const ops = await chain.check(await chain.node("Relu", [biased]));
  expect(ops.filter((one) => one === "Gemm")).toHaveLength(1);
  expect(ops).not.toContain("Add");
});

describe.each(["NHWC", "NCHW"])("a convolution of %s", (format) => {
  const image = format === "NHWC" ? [2, 4, 5, 3] : [2, 3, 4, 5];
  const attrs = { strides: [1, 1, 1, 1], padding: "SAME", data_format: format };

  test.each([
    ["Conv2D", [3, 3, 3, 4]],
    ["DepthwiseConv2dNative", [3, 3, 3, 2]],
  ])("%s adds the bias of the node after it", async (op, filter) => {
    const chain = new Chain();
    const [x, weights] = [chain.input(whole(image)), chain.input(whole(filter))];
    const channels = op === "Conv2D" ? 4 : 6;
    const product = await chain.node(op, [x, weights], attrs);
    const biased = await chain.node("BiasAdd", [product, chain.input(whole([channels]))], {
      data_format: format,
    });
    const active = await chain.node("Relu", [biased]);
    const ops = await chain.check(active);
    expect(ops.filter((one) => one === "Conv")).toHaveLength(1);
    expect(ops).not.toContain("Add");
  });

  test("keeps its own result for others that use it", async () => {
    const chain = new Chain();
    const product = await chain.node(
      "Conv2D",
      [chain.input(whole(image)), chain.input(whole([3, 3, 3, 4]))],
      attrs,
    );
    const biased = await chain.node("BiasAdd", [product, chain.input(whole([4]))], { data_format: format });
    await chain.check(product, biased);
  });
});

describe("the gradient of a max pool", () => {
  const attrs = { ksize: [1, 2, 2, 1], strides: [1, 2, 2, 1] };

  test.each([
    ["Relu", [2, 4, 6, 3], "VALID"],
    ["Relu", [2, 5, 7, 3], "SAME"],
    ["Relu", [2, 5, 7, 3], "VALID"],
    ["Relu6", [2, 4, 6, 3], "SAME"],
  ])("of %s, images [%s], %s, is multiplied and summed by window", async (op, shape, padding) => {
    const chain = new Chain();
    const images = await chain.node(op, [chain.input(whole(shape, 17))]);
    const pooled = await chain.node("MaxPool", [images], { ...attrs, padding });
    const incoming = chain.input(whole(chain.tensor(pooled).shape));
    const spread = await chain.node("MaxPoolGrad", [images, pooled, incoming], { ...attrs, padding });
    const gradient = await chain.node(`${op}Grad`, [spread, images]);
    const sum = await chain.node("BiasAddGrad", [gradient]);
    const twice = await chain.node(`${op}Grad`, [gradient, images]);
    await chain.check(spread, gradient, sum, twice);
  });

  test.each([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN])(
    "leaves the other pixels of a window at 0 if it is %d",
    async (special) => {
      const chain = new Chain();
      const images = chain.input(whole([2, 4, 6, 3], 17));
      const pooled = await chain.node("MaxPool", [images], { ...attrs, padding: "VALID" });
      const values = Float32Array.from({ length: 36 }, (_, i) => (i === 17 ? special : i));
      const incoming = chain.input(Tensor.of(values, "float32", [2, 2, 3, 3]));
      const options = { ...attrs, padding: "VALID" };
      await chain.check(await chain.node("MaxPoolGrad", [images, pooled, incoming], options));
    },
  );

  test("is not spread over the images only to be summed", async () => {
    const chain = new Chain();
    const images = await chain.node("Relu", [chain.input(whole([2, 4, 4, 3], 17))]);
    const pooled = await chain.node("MaxPool", [images], { ...attrs, padding: "VALID" });
    const incoming = chain.input(whole([2, 2, 2, 3]));
    const spread = await chain.node("MaxPoolGrad", [images, pooled, incoming], {
      ...attrs,
      padding: "VALID",
    });
    const gradient = await chain.node("ReluGrad", [spread, images]);
    const ops = await chain.check(await chain.node("BiasAddGrad", [gradient]));
    expect(ops).toContain("Greater");
    expect(ops).not.toContain("If");
  });

  test("of other images is multiplied where it is", async () => {
    const chain = new Chain();
    const [images, others] = [chain.input(whole([2, 4, 4, 3])), chain.input(whole([2, 4, 4, 3], 7))];
    const pooled = await chain.node("MaxPool", [images], { ...attrs, padding: "VALID" });
    const incoming = chain.input(whole([2, 2, 2, 3]));
    const spread = await chain.node("MaxPoolGrad", [images, pooled, incoming], {
      ...attrs,
      padding: "VALID",
    });
    const gradient = await chain.node("ReluGrad", [spread, others]);
    await chain.check(gradient, await chain.node("BiasAddGrad", [gradient]));
  });
});
