import { describe, expect, test } from "vitest";
import {
  type AttrValue,
  AttrValue_ListValue,
} from "../../../../../../protos/generated/tensorflow/attr_value.js";
import { NodeDef } from "../../../../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../../../../protos/generated/tensorflow/types.js";
import { createKernelRegistry } from "../../../../../../worker-runtime/engines/portable/kernels/all.js";
import { KernelNode } from "../../../../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import { bundledOpRegistry } from "../../../../../../worker-runtime/graph/op-registry.js";
import type { DType } from "../../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { compareWithTensorflow, type OpCase, runCase } from "../against-tensorflow.js";

/** A tensor of values that look random, the same in each run. */
function scattered(shape: readonly number[], dtype: DType = "float32"): Tensor {
  const size = shape.reduce((product, dim) => product * dim, 1);
  return Tensor.of(
    Array.from({ length: size }, (_, i) => Math.sin(i * 12.9898) * 3),
    dtype,
    shape,
  );
}

const sizes = (shape: readonly number[]) => Tensor.of([...shape], "int32");

function toleranceOf(dtype: DType) {
  return dtype === "float32" || dtype === "float64"
    ? { ulps: 16, atLargest: true }
    : { ulps: 2, atLargest: true };
}

interface Layout {
  readonly image: readonly number[];
  readonly strides: readonly number[];
  readonly dilations: readonly number[];
  readonly data_format: string;
}

/** Sizes of NHWC in either order. */
function layout(first: boolean, image: readonly number[], stride: readonly number[], dilation = 1): Layout {
  const [n = 1, h = 1, w = 1, c = 1] = image;
  const [down = 1, right = 1] = stride;
  return first
    ? {
        image: [n, c, h, w],
        strides: [1, 1, down, right],
        dilations: [1, 1, dilation, dilation],
        data_format: "NCHW",
      }
    : { image, strides: [1, down, right, 1], dilations: [1, dilation, dilation, 1], data_format: "NHWC" };
}

function outputShape(
  padding: string,
  filter: readonly number[],
  stride: readonly number[],
  dilation: number,
) {
  const size = (input: number, window: number, step: number) =>
    padding === "SAME" ? Math.ceil(input / step) : Math.ceil((input - (window - 1) * dilation) / step);
  return [
    2,
    size(7, filter[0] ?? 1, stride[0] ?? 1),
    size(8, filter[1] ?? 1, stride[1] ?? 1),
    filter[3] ?? 1,
  ];
}

describe.skipIf(peerMissing("tensorflow"))("convolutions of our own against TensorFlow", () => {
  test("Conv2D and its gradients: layouts, paddings, strides, dilations, groups, dtypes", async () => {
    const cases: OpCase[] = [];
    for (const padding of ["SAME", "VALID"]) {
      for (const stride of [
        [1, 1],
        [2, 2],
        [2, 1],
      ]) {
        for (const dilation of [1, 2]) {
          for (const channelsFirst of [false, true]) {
            const filter = [3, 2, 3, 4];
            const { image, ...attrs } = layout(channelsFirst, [2, 7, 8, 3], stride, dilation);
            const output = layout(
              channelsFirst,
              outputShape(padding, filter, stride, dilation),
              stride,
            ).image;
            const common = { attrs: { padding, ...attrs }, ...toleranceOf("float32") };
            cases.push({ op: "Conv2D", inputs: [scattered(image), scattered(filter)], ...common });
            cases.push({
              op: "Conv2DBackpropFilter",
              inputs: [scattered(image), sizes(filter), scattered(output)],
              ...common,
            });
            cases.push({
              op: "Conv2DBackpropInput",
              inputs: [sizes(image), scattered(filter), scattered(output)],
              ...common,
            });
          }
        }
      }
    }
    const attrs = { padding: "SAME", strides: [1, 1, 1, 1] };
    for (const dtype of ["float64", "float16", "bfloat16"] as const) {
      cases.push({
        op: "Conv2D",
        inputs: [scattered([2, 5, 5, 2], dtype), scattered([3, 3, 2, 4], dtype)],
        attrs,
        ...toleranceOf(dtype),
      });
    }
    cases.push(
      {
        op: "Conv2D",
        inputs: [scattered([1, 5, 5, 6]), scattered([3, 3, 3, 4])],
        attrs,
        ...toleranceOf("float32"),
      },
      { op: "Conv2D", inputs: [scattered([0, 5, 5, 2]), scattered([3, 3, 2, 2])], attrs },
      { op: "Conv2D", inputs: [scattered([1, 5, 5, 2]), scattered([3, 3, 3, 2])], attrs },
      { op: "Conv2D", inputs: [scattered([1, 5, 5, 2]), scattered([3, 3, 2, 0])], attrs },
      {
        op: "Conv2D",
        inputs: [scattered([1, 5, 5, 2]), scattered([3, 3, 2, 2])],
        attrs: { padding: "EXPLICIT", strides: [1, 1, 1, 1], explicit_paddings: [0, 0, 1, 2, 0, 1, 0, 0] },
        ...toleranceOf("float32"),
      },
      {
        op: "Conv2DBackpropFilter",
        inputs: [scattered([1, 5, 5, 2]), sizes([3, 3, 2, 2]), scattered([1, 4, 5, 2])],
        attrs,
        anyCode: true,
      },
      {
        op: "Conv2DBackpropInput",
        inputs: [sizes([1, 5, 5, 2]), scattered([3, 3, 2, 2]), scattered([1, 4, 5, 2])],
        attrs,
        anyCode: true,
      },
    );
    expect(await compareWithTensorflow(cases)).toEqual([]);
  });
});

describe.skipIf(peerMissing("tensorflow"))("depthwise convolutions against TensorFlow", () => {
  test("DepthwiseConv2dNative and its gradients: paddings, strides, multipliers, dtypes", async () => {
    const cases: OpCase[] = [];
    for (const padding of ["SAME", "VALID"]) {
      for (const stride of [1, 2]) {
        for (const multiplier of [1, 2]) {
          const filter = [3, 2, 3, multiplier];
          const output = outputShape(padding, [3, 2, 3, 3 * multiplier], [stride, stride], 1);
          const common = {
            attrs: { padding, strides: [1, stride, stride, 1] },
            ...toleranceOf("float32"),
          };
          const image = [2, 7, 8, 3];
          cases.push({
            op: "DepthwiseConv2dNative",
            inputs: [scattered(image), scattered(filter)],
            ...common,
          });
          cases.push({
            op: "DepthwiseConv2dNativeBackpropFilter",
            inputs: [scattered(image), sizes(filter), scattered(output)],
            ...common,
          });
          cases.push({
            op: "DepthwiseConv2dNativeBackpropInput",
            inputs: [sizes(image), scattered(filter), scattered(output)],
            ...common,
          });
        }
      }
    }
    cases.push(
      {
        op: "DepthwiseConv2dNative",
        inputs: [scattered([1, 5, 5, 2], "float64"), scattered([3, 3, 2, 2], "float64")],
        attrs: { padding: "SAME", strides: [1, 1, 1, 1] },
        ...toleranceOf("float64"),
      },
      {
        op: "DepthwiseConv2dNative",
        inputs: [scattered([1, 5, 5, 3]), scattered([3, 3, 2, 2])],
        attrs: { padding: "SAME", strides: [1, 1, 1, 1] },
      },
    );
    expect(await compareWithTensorflow(cases)).toEqual([]);
  });
});

describe("_FusedConv2D", () => {
  const attr = (value: AttrValue["value"]) => ({ value }) as AttrValue;
  const bytes = (texts: readonly string[]) => texts.map((text) => new TextEncoder().encode(text));
  const strides = attr({ $case: "list", value: AttrValue_ListValue.fromPartial({ i: [1n, 1n, 1n, 1n] }) });
  const padding = attr({ $case: "s", value: new TextEncoder().encode("SAME") });

  /** Runs the op with these arguments after image and filter. */
  function fused(fusedOps: readonly string[], inputs: readonly Tensor[]): Tensor | undefined {
    const node = NodeDef.fromPartial({ name: "node", op: "_FusedConv2D" });
    const count = inputs.length - 2;
    const type = Array(count).fill(DataType.DT_FLOAT);
    node.attr.set("T", attr({ $case: "type", value: DataType.DT_FLOAT }));
    node.attr.set("TArgs", attr({ $case: "list", value: AttrValue_ListValue.fromPartial({ type }) }));
    node.attr.set("num_args", attr({ $case: "i", value: BigInt(count) }));
    node.attr.set(
      "fused_ops",
      attr({ $case: "list", value: AttrValue_ListValue.fromPartial({ s: bytes(fusedOps) }) }),
    );
    node.attr.set("strides", strides);
    node.attr.set("padding", padding);
    const kernelNode = new KernelNode(node, bundledOpRegistry().require("_FusedConv2D"));
    const kernel = createKernelRegistry().find(kernelNode, "CPU");
    return kernel?.kind === "pure" ? kernel.create(kernelNode)(inputs)[0] : undefined;
  }

  /** The only output of an op. */
  function run(op: string, inputs: readonly Tensor[], attrs = {}): Tensor {
    const outcome = runCase({ op, inputs, attrs });
    const [output] = "outputs" in outcome ? outcome.outputs : [];
    if (output === undefined) {
      throw new Error(JSON.stringify(outcome));
    }
    return output;
  }

  const [image, filter] = [scattered([2, 5, 5, 3]), scattered([3, 3, 3, 4])];
  const convolved = () => run("Conv2D", [image, filter], { padding: "SAME", strides: [1, 1, 1, 1] });

  test("is Conv2D, BiasAdd and an activation in one", () => {
    const bias = scattered([4]);
    const expected = run("Relu", [run("BiasAdd", [convolved(), bias])]);
    expect(fused(["BiasAdd", "Relu"], [image, filter, bias])?.data).toEqual(expected.data);
  });

  test("is Conv2D, FusedBatchNorm and an activation in one", () => {
    const vectors = [scattered([4]), scattered([4]), scattered([4]), Tensor.of([1, 2, 3, 4])];
    const inputs = [convolved(), ...vectors];
    const normalized = runCase({ op: "FusedBatchNorm", inputs, attrs: { is_training: false } });
    const [expected] = "outputs" in normalized ? normalized.outputs : [];
    const got = fused(["FusedBatchNorm"], [image, filter, ...vectors]);
    for (let i = 0; i < (expected?.size ?? 0); i += 1) {
      expect(Number(got?.at(i))).toBeCloseTo(Number(expected?.at(i)), 3);
    }
    expect(got?.shape).toEqual([2, 5, 5, 4]);
  });

  test("refuses what TensorFlow's optimizer does not make", () => {
    expect(() => fused(["Relu"], [image, filter, scattered([4])])).toThrow("must be BiasAdd");
    expect(() => fused(["BiasAdd", "Cube"], [image, filter, scattered([4])])).toThrow("Cube");
    expect(() => fused(["BiasAdd"], [image, filter, scattered([3])])).toThrow("as many biases");
  });
});
