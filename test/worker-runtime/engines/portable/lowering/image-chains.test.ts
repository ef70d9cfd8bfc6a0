/**
 * Nodes that are lowered together: a bias that a convolution or a matrix product adds, and a pool's gradient that is multiplied and summed
 * before it is spread over the images.
 */
import * as onnxRuntime from "onnxruntime-node";
import { afterEach, describe, expect, test } from "vitest";
import { ModelProto } from "../../../../../protos/generated/onnx/onnx.js";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import { createLoweringRegistry } from "../../../../../worker-runtime/engines/portable/lowering/all.js";
import {
  ModelBuilder,
  type OnnxValue,
} from "../../../../../worker-runtime/engines/portable/onnx/model-builder.js";
import { blockedChannelsOf } from "../../../../../worker-runtime/engines/portable/regions/blocked-channels.js";
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
  readonly #constants = new Set<OnnxValue>();
  readonly #block: number | undefined;

  /** @param block the size of a block of channels. */
  constructor(block?: number) {
    this.#block = block;
  }

  constant(tensor: Tensor): OnnxValue {
    const value = this.#model.constant(tensor);
    this.#constants.add(value);
    this.#tensors.set(value, tensor);
    return value;
  }

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
      blockedChannels: this.#block,
      rank: (input) => this.tensor(input).shape.length,
      shape: (input) => this.tensor(input).shape,
      likelyShape: (input) => this.tensor(input).shape,
      value: (input) => (this.#constants.has(input) ? this.tensor(input) : undefined),
    });
    if (kernel?.kind !== "pure") {
      throw new Error(`${op} has no pure kernel.`);
    }
    const [result] = await kernel.create(node)(tensors);
    const [value] = made ?? [];
    if (value === undefined || result === undefined) {
      throw new Error(`The lowering of ${op} declines.`);
    }
    this.#tensors.set(value, result);
    return value;
  }

  /** The kernels' results. */
  tensor(value: OnnxValue): Tensor {
    const tensor = this.#tensors.get(value);
    if (tensor === undefined) {
      throw new Error("A lowering asks about a value that it was not given.");
    }
    return tensor;
  }

  /** Runs the model. @param given in place of the inputs' own tensors. */
  async run(
    wanted: readonly OnnxValue[],
    given: ReadonlyMap<OnnxValue, Tensor> = new Map(),
  ): Promise<{ readonly bytes: Uint8Array; readonly results: readonly Tensor[] }> {
    const outputs = wanted.map((value) => this.#model.output(value));
    const bytes = this.#model.build("chain");
    const inputs = this.#inputs.map(({ name }) => name);
    const results = await sessions.run(
      { bytes, inputs, outputs },
      this.#inputs.map((input) => given.get(input) ?? this.tensor(input)),
    );
    return { bytes, results };
  }

  /** @returns the ops of the model. @throws where a value of the model is not what the kernels give. */
  async check(...wanted: readonly OnnxValue[]): Promise<readonly string[]> {
    const { bytes, results } = await this.run(wanted);
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

describe("convolutions in blocks of channels", async () => {
  const block = await blockedChannelsOf(onnxRuntime, {});
  /** On a processor without them, the same tests show that models do without. */
  const size = block ?? 16;
  const blockOps = (ops: readonly string[]) => ops.filter((op) => op.startsWith("Reorder"));

  describe.each(["NHWC", "NCHW"])("of %s", (format) => {
    const images = (channels: number) => (format === "NHWC" ? [2, 6, 4, channels] : [2, channels, 6, 4]);
    const attrs = { strides: [1, 1, 1, 1], padding: "SAME", data_format: format };
    const pool = {
      ksize: format === "NHWC" ? [1, 2, 2, 1] : [1, 1, 2, 2],
      strides: format === "NHWC" ? [1, 2, 2, 1] : [1, 1, 2, 2],
      padding: "VALID",
      data_format: format,
    };

    test.each([1, 3, size, 2 * size])("%i channels in: bias, Relu and pool follow", async (channels) => {
      const chain = new Chain(block);
      const x = chain.input(whole(images(channels)));
      const first = await chain.node("Conv2D", [x, chain.input(whole([3, 3, channels, size]))], attrs);
      const biased = await chain.node("BiasAdd", [first, chain.input(whole([size]))], {
        data_format: format,
      });
      const active = await chain.node("Relu", [biased]);
      const pooled = await chain.node("MaxPool", [active], pool);
      const filter = chain.input(whole([3, 1, size, 2 * size]));
      const second = await chain.node("Conv2D", [pooled, filter], { ...attrs, padding: "VALID" });
      const ops = await chain.check(active, pooled, second);
      expect(ops.filter((op) => op === "Conv")).toHaveLength(2);
      if (block !== undefined) {
        expect(ops).not.toContain("Relu");
        // Images that a convolution or a pool has brought into blocks stay in them.
        expect(blockOps(ops)).toEqual([
          ...(channels < size ? [] : ["ReorderInput"]),
          ...["ReorderOutput", "ReorderOutput", "ReorderOutput"],
        ]);
      }
    });

    test("the gradient of the images is in blocks, too", async () => {
      const chain = new Chain(block);
      const shape = images(size);
      const sizes = chain.constant(Tensor.of(Int32Array.from(shape), "int32", [4]));
      const filter = chain.input(whole([3, 2, size, 2 * size]));
      const incoming = chain.input(whole(images(2 * size)));
      const gradient = await chain.node("Conv2DBackpropInput", [sizes, filter, incoming], attrs);
      const ops = await chain.check(gradient);
      expect(blockOps(ops)).toHaveLength(block === undefined ? 0 : 2);
    });

    test.each([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN])(
      "%d stays where it is",
      async (special) => {
        const chain = new Chain(block);
        const values = whole(images(size));
        (values.data as Float32Array)[37] = special;
        const filter = whole([3, 1, size, size]);
        (filter.data as Float32Array).fill(1);
        const product = await chain.node("Conv2D", [chain.input(values), chain.input(filter)], attrs);
        const active = await chain.node("Relu", [product]);
        await chain.check(product, active);
      },
    );
  });

  test("a filter of other sizes and as many elements fails", async () => {
    const chain = new Chain(block);
    const x = chain.input(whole([2, 6, 4, size]));
    const filter = chain.input(whole([3, 1, size, size]));
    const attrs = { strides: [1, 1, 1, 1], padding: "VALID" };
    const product = await chain.node("Conv2D", [x, filter], attrs);
    const other = new Map([[filter, whole([1, 3, size, size])]]);
    const run = chain.run([product], other);
    await (block === undefined ? expect(run).resolves.toBeDefined() : expect(run).rejects.toThrow(/Reshape/));
  });

  test("a constant filter and one of other numbers of channels are left to ONNX Runtime", async () => {
    const attrs = { strides: [1, 1, 1, 1], padding: "SAME" };
    const chain = new Chain(block);
    const x = chain.input(whole([2, 6, 4, size]));
    const first = await chain.node("Conv2D", [x, chain.constant(whole([3, 3, size, size]))], attrs);
    const second = await chain.node("Conv2D", [x, chain.input(whole([3, 3, size, size + 1]))], attrs);
    expect(blockOps(await chain.check(first, second))).toEqual([]);
  });
});
