import fc from "fast-check";
import { expect, test } from "vitest";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import type { PureKernelDefinition } from "../../../../../worker-runtime/engines/portable/kernels/kernel.js";
import { mathKernels } from "../../../../../worker-runtime/engines/portable/kernels/math/index.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { nodeOf } from "./op-case.js";

type SmallKernel = PureKernelDefinition & { readonly small: NonNullable<PureKernelDefinition["small"]> };

const definitions = mathKernels.filter(
  (definition): definition is SmallKernel => definition.kind === "pure" && definition.small !== undefined,
);

const floats = fc.oneof(
  fc.float(),
  fc.constantFrom(0, -0, 1, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
);
const shapes = fc.constantFrom<readonly number[]>([], [0], [3], [2, 2], [2, 1, 8]);
const pairs = shapes.chain((shape) => {
  const count = shape.reduce((size, dim) => size * dim, 1);
  const values = fc.array(floats, { minLength: count, maxLength: count });
  return fc.tuple(fc.constant(shape), values, values);
});

/** The bits of each element; a NaN is one whatever its sign and payload are, which processors and compilers choose. */
function bits({ data }: Tensor): (number | "NaN")[] {
  const values = (data as Float32Array).slice();
  const words = new Uint32Array(values.buffer);
  return [...values].map((value, index) => (Number.isNaN(value) ? "NaN" : (words[index] ?? 0)));
}

test("common arithmetic has a kernel for small tensors", () => {
  const ops = definitions.map(({ op }) => op);
  expect(ops).toEqual(expect.arrayContaining(["AddV2", "Sub", "Mul", "RealDiv", "Maximum", "Pow"]));
});

test.each(definitions.map((definition) => [definition.op, definition] as const))(
  "%s gives for small tensors what its kernel gives",
  (op, { small }) => {
    const registry = createKernelRegistry();
    fc.assert(
      fc.property(pairs, ([shape, left, right]) => {
        const x = Tensor.of(left, "float32", shape);
        const y = Tensor.of(right, "float32", shape);
        const node = nodeOf({ op, inputs: [x, y] });
        const definition = registry.find(node, "CPU");
        if (definition?.kind !== "pure") {
          throw new Error(`${op} has no pure kernel.`);
        }
        const [expected] = definition.create(node)([x, y]);
        const output = small(x, y);
        expect(output?.dtype).toBe("float32");
        expect(output?.shape).toEqual(expected?.shape);
        expect(output && bits(output)).toEqual(expected && bits(expected));
      }),
    );
    const scalar = Tensor.of(1, "float32");
    const many = Tensor.of(new Float32Array(17), "float32", [17]);
    expect(small(scalar, many)).toBeUndefined();
    expect(small(many, many)).toBeUndefined();
    expect(small(Tensor.of(1, "int32"), Tensor.of(1, "int32"))).toBeUndefined();
    expect(small(scalar, Tensor.of(1, "float64"))).toBeUndefined();
  },
);
