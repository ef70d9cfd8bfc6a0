import { expect, test } from "vitest";
import { imageKernels } from "../../../../../../worker-runtime/engines/portable/kernels/image/index.js";
import { raggedKernels } from "../../../../../../worker-runtime/engines/portable/kernels/ragged/index.js";
import { signalKernels } from "../../../../../../worker-runtime/engines/portable/kernels/signal/index.js";
import { stringKernels } from "../../../../../../worker-runtime/engines/portable/kernels/string/index.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { makeKernel } from "../kernel-runner.js";

const long = (value: bigint) => Tensor.of(value, "int64");
const int = (...values: number[]) => Tensor.of(values, "int32");

test.each([
  {
    kernels: raggedKernels,
    op: "RaggedRange",
    inputs: [long(0n), long(2n ** 40n), long(1n)],
    attrs: { T: "int64", Tsplits: "int64" },
  },
  {
    kernels: raggedKernels,
    op: "RaggedTensorToTensor",
    inputs: [
      int(1, 1),
      Tensor.of([], "float32", [0]),
      Tensor.of(0, "float32"),
      Tensor.of(2n ** 40n, "int64"),
      Tensor.of([], "int64", [0]),
    ],
    attrs: {
      T: "float32",
      Tindex: "int64",
      Tshape: "int32",
      num_row_partition_tensors: 2,
      row_partition_types: ["FIRST_DIM_SIZE", "VALUE_ROWIDS"],
    },
  },
  {
    kernels: raggedKernels,
    op: "RaggedTensorToTensor",
    inputs: [
      int(1, 1, 1),
      Tensor.of([], "float32", [0]),
      Tensor.of(0, "float32"),
      Tensor.of([0n, 2n ** 40n], "int64"),
      Tensor.of([0n], "int64"),
    ],
    attrs: {
      T: "float32",
      Tindex: "int64",
      Tshape: "int32",
      num_row_partition_tensors: 2,
      row_partition_types: ["ROW_SPLITS", "ROW_SPLITS"],
    },
  },
  {
    kernels: imageKernels,
    op: "ResizeBicubic",
    inputs: [Tensor.of(1, "float32", [1, 2, 2, 1]), int(2 ** 31 - 1, 2 ** 31 - 1)],
    attrs: { T: "float32" },
  },
  {
    kernels: signalKernels,
    op: "IRFFT2D",
    inputs: [Tensor.of([], "complex64", [0, 0]), int(2 ** 31 - 1, 2 ** 31 - 1)],
    attrs: { Treal: "float32", Tcomplex: "complex64" },
  },
  {
    kernels: stringKernels,
    op: "StringNGrams",
    inputs: [Tensor.of(["a"]), Tensor.of([0n, 1n], "int64")],
    attrs: {
      separator: "",
      ngram_widths: [2 ** 30],
      left_pad: "",
      right_pad: "",
      pad_width: -1,
      preserve_short_sequences: false,
      Tsplits: "int64",
    },
  },
])("$op refuses a result that there is no memory for", async ({ kernels, op, inputs, attrs }) => {
  const run = makeKernel(kernels, { op, inputs, attrs });
  // Only the text: a huge result, were there one, is not to be printed.
  const outcome = await run(...inputs).then(
    () => "a result",
    (error: Error) => error.message,
  );
  expect(outcome).toMatch(/OOM|2\*\*63/);
});
