import { describe, expect, test } from "vitest";
import { nnKernels } from "../../../../../../worker-runtime/engines/portable/kernels/nn/index.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { runOnce } from "../kernel-runner.js";
import type { OpCase } from "../op-case.js";

function filled(...shape: number[]): Tensor {
  const size = shape.reduce((product, dim) => product * dim, 1);
  return Tensor.of(
    Array.from({ length: size }, (_, i) => Math.sin(i * 12.9898)),
    "float64",
    shape,
  );
}

const valuesOf = ({ data }: Tensor) => Array.from(data as Float64Array);

/** Volumes [batch, planes, rows, columns, channels] with the channels behind the batch, or back. */
function reordered(volumes: Tensor, order: readonly number[]): Tensor {
  const { shape } = volumes;
  const from = valuesOf(volumes);
  const strides = shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1));
  const sizes = order.map((d) => shape[d] ?? 1);
  const walk = (depth: number, at: number): number[] =>
    depth === order.length
      ? [from[at] ?? 0]
      : Array.from({ length: sizes[depth] ?? 0 }, (_, i) =>
          walk(depth + 1, at + i * (strides[order[depth] ?? 0] ?? 0)),
        ).flat();
  return Tensor.of(walk(0, 0), "float64", sizes);
}

const first = [0, 4, 1, 2, 3];
const last = [0, 2, 3, 4, 1];
const sizes = (...shape: number[]) => Tensor.of(shape, "int32");

type Attrs = NonNullable<OpCase["attrs"]>;

async function run(op: string, inputs: readonly Tensor[], attrs: Attrs): Promise<Tensor> {
  const [made] = await runOnce(nnKernels, {
    op,
    inputs,
    attrs: { padding: "SAME", strides: [1, 1, 1, 1, 1], ...attrs },
  });
  return made ?? Tensor.of(0);
}

// The plain kernels of TensorFlow for CPUs have neither; those of oneDNN do.
describe("convolutions of volumes beyond the plain kernels of TensorFlow", () => {
  test("channels behind the batch", async () => {
    const attrs = { data_format: "NCDHW", strides: [1, 1, 1, 2, 1] };
    const plain = { strides: [1, 1, 2, 1, 1] };
    const [volumes, filter] = [filled(2, 3, 4, 2, 2), filled(2, 3, 2, 2, 3)];
    const result = await run("Conv3D", [reordered(volumes, first), filter], attrs);
    const expected = await run("Conv3D", [volumes, filter], plain);
    expect(reordered(result, last)).toEqual(expected);
    const gradients = filled(...expected.shape);
    const shape = volumes.shape;
    const gradient = await run(
      "Conv3DBackpropInputV2",
      [sizes(...reordered(volumes, first).shape), filter, reordered(gradients, first)],
      attrs,
    );
    const wanted = await run("Conv3DBackpropInputV2", [sizes(...shape), filter, gradients], plain);
    expect(reordered(gradient, last)).toEqual(wanted);
    const ofFilter = await run(
      "Conv3DBackpropFilterV2",
      [reordered(volumes, first), sizes(...filter.shape), reordered(gradients, first)],
      attrs,
    );
    expect(ofFilter).toEqual(
      await run("Conv3DBackpropFilterV2", [volumes, sizes(...filter.shape), gradients], plain),
    );
  });

  test("a dilated filter is one with zeros between its elements", async () => {
    const [volumes, filter] = [filled(1, 7, 5, 4, 1), filled(3, 2, 1, 1, 1)];
    const dilated = await run("Conv3D", [volumes, filter], {
      padding: "VALID",
      dilations: [1, 2, 3, 1, 1],
    });
    const spread = new Float64Array(5 * 4);
    valuesOf(filter).forEach((value, i) => {
      spread[Math.floor(i / 2) * 2 * 4 + (i % 2) * 3] = value;
    });
    const expected = await run("Conv3D", [volumes, Tensor.of([...spread], "float64", [5, 4, 1, 1, 1])], {
      padding: "VALID",
    });
    expect(dilated.shape).toEqual(expected.shape);
    for (const [i, value] of valuesOf(expected).entries()) {
      expect(valuesOf(dilated)[i]).toBeCloseTo(value, 12);
    }
  });
});
