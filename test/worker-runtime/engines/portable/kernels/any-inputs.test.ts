import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import type { OpDef, OpDef_AttrDef } from "../../../../../protos/generated/tensorflow/op_def.js";
import { arrayKernels } from "../../../../../worker-runtime/engines/portable/kernels/array/index.js";
import { imageKernels } from "../../../../../worker-runtime/engines/portable/kernels/image/index.js";
import { KernelNode } from "../../../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import { mathKernels } from "../../../../../worker-runtime/engines/portable/kernels/math/index.js";
import { raggedKernels } from "../../../../../worker-runtime/engines/portable/kernels/ragged/index.js";
import { randomKernels } from "../../../../../worker-runtime/engines/portable/kernels/random/index.js";
import { KernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/registry.js";
import { signalKernels } from "../../../../../worker-runtime/engines/portable/kernels/signal/index.js";
import { sparseKernels } from "../../../../../worker-runtime/engines/portable/kernels/sparse/index.js";
import { limitTensorBytes } from "../../../../../worker-runtime/engines/portable/kernels/support/allocation.js";
import { type AttrInput, toAttrValue } from "../../../../../worker-runtime/graph/attr-values.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import { type DType, dataTypeOf, dtypeKind, dtypeOf } from "../../../../../worker-runtime/protocol/dtype.js";
import { TensorFlowError } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";

// Larger ones are refused, so that the trials take little memory and time.
limitTensorBytes(2 ** 20);

const registry = new KernelRegistry().add(
  ...mathKernels,
  ...arrayKernels,
  ...signalKernels,
  ...imageKernels,
  ...raggedKernels,
  ...randomKernels,
  ...sparseKernels,
);
const trialTypes: readonly DType[] = [
  "float32",
  "float64",
  "float16",
  "bfloat16",
  "int8",
  "int32",
  "int64",
  "uint8",
  "uint32",
  "uint64",
  "bool",
  "string",
  "complex64",
];

/** Mostly numbers that mean something as a size, an axis or an index; now and then one that no tensor could have. */
const integers = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: -2, max: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom(-(2 ** 31), 2 ** 31 - 1, 100_000) },
);
const shapes = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 4 });

/** How many inputs are tried for each op, and where they come from; both are changed for a long run. */
const RUNS = Number(process.env.TENSORDECK_FUZZ ?? 40);
const SEED = Number(process.env.TENSORDECK_SEED ?? 5);

type Draw = fc.GeneratorValue;

function element(draw: Draw, dtype: DType) {
  switch (dtypeKind(dtype)) {
    case "bool":
      return draw(fc.boolean);
    case "string":
      return draw(fc.string, { maxLength: 2 });
    case "complex":
    case "float":
    case "bits":
      return draw(() => fc.oneof(integers, fc.constantFrom(0.5, -0, NaN, Infinity, -Infinity, 1e30)));
    default: {
      const value = draw(() => integers);
      return dtype.startsWith("uint") || dtype === "int8" ? Math.abs(value % 100) : value;
    }
  }
}

function tensor(draw: Draw, dtype: DType, shape: readonly number[]): Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  return Tensor.of(
    Array.from({ length: count }, () => element(draw, dtype)),
    dtype,
    shape,
  );
}

/** A value for an attribute; undefined leaves it at its default. */
function attribute(draw: Draw, attr: OpDef_AttrDef): AttrInput | undefined {
  const allowed = attr.allowedValues?.value?.$case === "list" ? attr.allowedValues.value.value : undefined;
  if (attr.defaultValue !== undefined && draw(fc.boolean)) {
    return undefined;
  }
  switch (attr.type) {
    case "type": {
      const types = trialTypes.filter((dtype) => allowed?.type.includes(dataTypeOf(dtype)) ?? true);
      return draw(() => fc.constantFrom(...types));
    }
    case "int":
      return draw(fc.integer, { min: attr.hasMinimum ? Number(attr.minimum) : -1, max: 3 });
    case "bool":
      return draw(fc.boolean);
    case "float":
      return draw(() => fc.constantFrom(-1, 0, 0.5));
    case "shape":
      return draw(() => shapes);
    case "string":
      return allowed === undefined ? "" : (draw(() => fc.constantFrom(...allowed.s)) as Uint8Array);
    case "list(int)":
      return draw(() => fc.array(integers, { maxLength: 3 }));
    case "list(float)":
      return [0, 1, 2];
    default:
      return undefined;
  }
}

/** A node of the op with attributes of any kind that its definition allows. */
function node(draw: Draw, opDef: OpDef): KernelNode {
  const def = NodeDef.fromPartial({ name: "node", op: opDef.name });
  for (const attr of opDef.attr) {
    const value = attribute(draw, attr);
    if (value !== undefined) {
      def.attr.set(attr.name, toAttrValue(attr, value));
    }
  }
  return new KernelNode(def, opDef);
}

/** Runs a kernel on inputs of the right dtypes and any shapes and values. */
function tryAnything(draw: Draw, op: string): void {
  const opDef = bundledOpRegistry().require(op);
  const made = node(draw, opDef);
  const kernel = registry.find(made, "CPU");
  if (kernel?.kind !== "pure") {
    return;
  }
  const alike = draw(() => shapes);
  const inputs = made.inputs.map(({ dtype }) =>
    tensor(draw, dtypeOf(dtype ?? 0), draw(fc.boolean) ? alike : draw(() => shapes)),
  );
  const before = inputs.map(({ data }) => (Array.isArray(data) ? [...data] : (data as Uint8Array).slice()));
  try {
    kernel.cost?.(made, inputs);
    const outputs = kernel.create(made)(inputs);
    expect(outputs.map(({ dtype }) => dtype)).toEqual(made.outputs.map(({ dtype }) => dtypeOf(dtype ?? 0)));
  } catch (error) {
    // Anything else would be a mistake of the kernel, which a peer must not be able to bring about.
    if (!(error instanceof TensorFlowError)) {
      throw error;
    }
  }
  expect(inputs.map(({ data }) => data)).toEqual(before);
}

describe("whatever the inputs, a kernel gives what its op declares or an error with a code", () => {
  test.each(registry.ops())("%s", (op) => {
    fc.assert(
      fc.property(fc.gen(), (draw) => tryAnything(draw, op)),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  });
});
