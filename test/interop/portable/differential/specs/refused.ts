/** Nodes of dtypes that their ops' definitions allow and no kernel of TensorFlow for the CPU takes: nor does one of ours. */
import fc from "fast-check";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { attr } from "../op-case.js";
import type { Drawn, OpSpec } from "../op-spec.js";

const complex = (...values: number[]) =>
  Tensor.of(
    values.map((re) => ({ re, im: 1 })),
    "complex64",
  );
const indices = Tensor.of([[0], [1]], "int32");
const scatters = { T: attr.type("complex64"), Tindices: attr.type("int32") };

const refused: Readonly<Record<string, Drawn>> = {
  TensorScatterMax: { inputs: [complex(1, 2), indices, complex(3, 4)], attrs: scatters },
  TensorScatterMin: { inputs: [complex(1, 2), indices, complex(3, 4)], attrs: scatters },
  Reciprocal: { inputs: [Tensor.of([1, 2], "int32")], attrs: { T: attr.type("int32") } },
  Round: { inputs: [Tensor.of([1, 2], "int8")], attrs: { T: attr.type("int8") } },
  ClipByValue: {
    inputs: [[1, 2], 1, 2].map((values) => Tensor.of(values, "uint32")),
    attrs: { T: attr.type("uint32") },
  },
};

export const refusedSpecs: readonly OpSpec[] = Object.entries(refused).map(([op, drawn]) => ({
  op,
  types: {},
  draw: () => fc.constant(drawn),
  noKernel: "TensorFlow has registered none for this dtype on the CPU",
}));
