/**
 * Convolutions, pools and normalizations in all their forms (data formats, paddings, strides, dilations, groups), by lowering
 * and by kernel. TensorFlow has most of these for GPUs alone, so the cases of the differential tests do not have them.
 */
import { afterEach, describe, expect, test } from "vitest";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import { createLoweringRegistry } from "../../../../../worker-runtime/engines/portable/lowering/all.js";
import type { AttrInput } from "../../../../../worker-runtime/graph/attr-values.js";
import { TensorFlowError } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { nodeOf } from "../kernels/op-case.js";
import { tensorDifference } from "../kernels/tensor-difference.js";
import { nodeModel } from "./node-model.js";
import { OnnxSessions } from "./onnx-sessions.js";

const kernels = createKernelRegistry();
const lowerings = createLoweringRegistry();
const sessions = new OnnxSessions();
afterEach(() => sessions.release());

type Attrs = Readonly<Record<string, AttrInput>>;

interface Case {
  readonly op: string;
  readonly inputs: readonly Tensor[];
  readonly attrs: Attrs;
}

/** Whole numbers, so that sums are exact in any order and the largest of a window is often there twice. */
function whole(shape: readonly number[], range = 5): Tensor {
  const size = shape.reduce((product, length) => product * length, 1);
  let state = size + 7;
  const next = () => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return (Math.floor(state / 65536) % range) - Math.floor(range / 2);
  };
  return Tensor.of(Float32Array.from({ length: size }, next), "float32", shape);
}

function kernelOutputs({ op, inputs, attrs }: Case): readonly Tensor[] | undefined {
  const node = nodeOf({ op, inputs, attrs });
  const kernel = kernels.find(node, "CPU");
  if (kernel?.kind !== "pure") {
    throw new Error(`${op} has no pure kernel.`);
  }
  try {
    return kernel.create(node)(inputs);
  } catch (error) {
    if (error instanceof TensorFlowError) {
      return undefined;
    }
    throw error;
  }
}

/** The fault of the lowering of a case; undefined where it declines. */
async function faultOf(one: Case, shapes: boolean): Promise<string | undefined> {
  const node = nodeOf(one);
  const lowering = lowerings.find(node);
  const isConstant = (_: unknown, input: number) => one.inputs[input]?.dtype === "int32";
  const model = lowering && nodeModel(node, lowering, one.inputs, { name: "", shapes, isConstant });
  if (model === undefined) {
    return "declined";
  }
  const expected = kernelOutputs(one);
  let given: readonly Tensor[];
  try {
    given = await sessions.run(model, one.inputs);
  } catch (error) {
    return expected === undefined ? undefined : `fails: ${error}`;
  }
  if (expected === undefined) {
    return "takes what the kernel refuses";
  }
  const tolerance = { ulps: 16, absolute: 0, atLargest: true };
  return expected
    .map((wanted, i) => {
      const output = given[i];
      return output === undefined ? "missing output" : tensorDifference(output, wanted, tolerance);
    })
    .find((difference) => difference !== undefined);
}

/** The faults of cases; of those that decline only where they must not. */
async function faults(cases: readonly Case[], mayDecline: (one: Case) => boolean): Promise<string[]> {
  const found: string[] = [];
  for (const one of cases) {
    for (const shapes of [true, false]) {
      const fault = await faultOf(one, shapes);
      if (fault !== undefined && !(fault === "declined" && (!shapes || mayDecline(one)))) {
        found.push(`${describeCase(one)}, shapes ${shapes ? "" : "un"}known: ${fault}`);
      }
    }
  }
  return found.slice(0, 5);
}

function describeCase({ op, inputs, attrs }: Case): string {
  return `${op} ${inputs.map(({ shape }) => `[${shape}]`).join(" ")} ${JSON.stringify(attrs)}`;
}

/** A shape in the order of NHWC in the order of a data format. */
function inFormat(format: string, [a = 0, b = 0, c = 0, d = 0]: readonly number[]): readonly number[] {
  return format === "NCHW" ? [a, d, b, c] : [a, b, c, d];
}

interface Form {
  readonly format: string;
  readonly attrs: Attrs;
  /** [rows, columns] of the windows. */
  readonly window: readonly [number, number];
}

const windows: readonly (readonly [number, number])[] = [
  [1, 1],
  [2, 2],
  [3, 3],
  [3, 2],
];

const strides: readonly (readonly [number, number])[] = [
  [1, 1],
  [2, 2],
  [2, 1],
  [3, 3],
];

/** Every combination of data format, window, strides and padding; dilations only without strides. */
function forms(dilated: boolean): readonly Form[] {
  return ["NHWC", "NCHW"].flatMap((format) =>
    windows.flatMap((window) =>
      strides.flatMap((stride) =>
        ["SAME", "VALID", "EXPLICIT"].flatMap((padding) =>
          (dilated ? [1, 2] : [1]).map((dilation): Form => {
            const sizes = (rows: number, columns: number) => inFormat(format, [1, rows, columns, 1]);
            const explicit = format === "NCHW" ? [0, 0, 0, 0, 1, 0, 0, 1] : [0, 0, 1, 0, 0, 1, 0, 0];
            return {
              format,
              window,
              attrs: {
                data_format: format,
                strides: sizes(...stride),
                padding,
                ...(padding === "EXPLICIT" ? { explicit_paddings: explicit } : {}),
                ...(dilated ? { dilations: sizes(dilation, dilation) } : { ksize: sizes(...window) }),
              },
            };
          }),
        ),
      ),
    ),
  );
}

const IMAGE = [2, 6, 7, 4];

/** A forward op of images and a filter, with its gradients. */
async function convolutionCases(
  forward: string,
  filterOf: (window: readonly [number, number]) => readonly number[],
  image: readonly number[] = IMAGE,
): Promise<Case[]> {
  const cases: Case[] = [];
  for (const { format, attrs, window } of forms(true)) {
    const images = whole(inFormat(format, image));
    const filter = whole(filterOf(window));
    const one = { op: forward, inputs: [images, filter], attrs };
    const [result] = kernelOutputs(one) ?? [];
    if (result === undefined || result.size === 0) {
      continue;
    }
    const gradient = whole(result.shape);
    const backprop = forward.startsWith("Depthwise") ? `${forward}Backprop` : "Conv2DBackprop";
    const sizes = (shape: readonly number[]) => Tensor.of([...shape], "int32");
    cases.push(
      one,
      { op: `${backprop}Input`, inputs: [sizes(images.shape), filter, gradient], attrs },
      { op: `${backprop}Filter`, inputs: [images, sizes(filter.shape), gradient], attrs },
    );
  }
  return cases;
}

async function poolingCases(forward: string): Promise<Case[]> {
  const cases: Case[] = [];
  for (const { format, attrs } of forms(false)) {
    if (attrs.padding === "EXPLICIT") {
      continue;
    }
    const images = whole(inFormat(format, IMAGE));
    const one = { op: forward, inputs: [images], attrs };
    const [result] = kernelOutputs(one) ?? [];
    if (result === undefined || result.size === 0) {
      continue;
    }
    const gradient = whole(result.shape);
    const inputs =
      forward === "MaxPool" ? [images, result, gradient] : [Tensor.of([...images.shape], "int32"), gradient];
    cases.push(one, { op: `${forward}Grad`, inputs, attrs });
  }
  return cases;
}

describe("a lowering gives what the kernel gives", () => {
  test("of convolutions", async () => {
    const cases = await convolutionCases("Conv2D", ([rows, columns]) => [rows, columns, 4, 3]);
    expect(cases.length).toBeGreaterThan(500);
    expect(await faults(cases, () => false)).toEqual([]);
  });

  test("of the gradients of convolutions of many channels", async () => {
    const image = [2, 6, 7, 24];
    const cases = await convolutionCases("Conv2D", ([rows, columns]) => [rows, columns, 24, 3], image);
    const some = cases.filter(({ op }) => op.startsWith("Conv2DBackprop"));
    expect(some.length).toBeGreaterThan(300);
    expect(await faults(some, () => false)).toEqual([]);
  });

  test("of the gradients of volumes without strides", async () => {
    const sizes = Tensor.of([1, 4, 3, 5, 2], "int32");
    for (const padding of ["SAME", "VALID"]) {
      const result = padding === "SAME" ? [1, 4, 3, 5, 3] : [1, 3, 2, 3, 3];
      const inputs = [sizes, whole([2, 2, 3, 2, 3]), whole(result)];
      const attrs = { strides: [1, 1, 1, 1, 1], padding };
      expect(await faultOf({ op: "Conv3DBackpropInputV2", inputs, attrs }, true)).toBeUndefined();
    }
  });

  test("of the gradients of convolutions of groups of channels", async () => {
    const cases = await convolutionCases("Conv2D", ([rows, columns]) => [rows, columns, 2, 6]);
    const some = cases.filter(({ op }, i) => i % 5 === 0 && op !== "Conv2D");
    expect(await faults(some, () => false)).toEqual([]);
  });

  test("of convolutions of groups of channels, whose sizes must be known", async () => {
    const cases = await convolutionCases("Conv2D", ([rows, columns]) => [rows, columns, 2, 6]);
    const forward = cases.filter(({ op }, i) => i % 3 === 0 && op === "Conv2D");
    expect(forward.length).toBeGreaterThan(50);
    expect(await faults(forward, () => false)).toEqual([]);
    expect(await faultOf(forward[0] as Case, false)).toBe("declined");
  });

  test("of convolutions of each channel alone", async () => {
    for (const multiplier of [1, 2]) {
      const cases = await convolutionCases("DepthwiseConv2dNative", ([rows, columns]) => [
        rows,
        columns,
        4,
        multiplier,
      ]);
      const some = cases.filter((_, i) => i % 2 === multiplier - 1);
      expect(await faults(some, () => false)).toEqual([]);
    }
  });

  test.each(["MaxPool", "AvgPool"])("of %s", async (op) => {
    const cases = await poolingCases(op);
    expect(cases.length).toBeGreaterThan(100);
    expect(await faults(cases, () => false)).toEqual([]);
  });

  test("of pixels that are nearest by a factor that is rounded", async () => {
    const pixels = Tensor.of([1, 2, 3, 4], "float64", [1, 2, 2, 1]);
    for (const attrs of [{}, { half_pixel_centers: true }, { align_corners: true }]) {
      const inputs = [pixels, Tensor.of([82, 94], "int32")];
      expect(await faultOf({ op: "ResizeNearestNeighbor", inputs, attrs }, true)).toBeUndefined();
    }
  });
});
