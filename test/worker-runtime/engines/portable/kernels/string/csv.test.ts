import { expect, test } from "vitest";
import { KernelRegistry } from "../../../../../../worker-runtime/engines/portable/kernels/registry.js";
import { stringKernels } from "../../../../../../worker-runtime/engines/portable/kernels/string/index.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { compareWithTensorflow, type OpCase } from "../against-tensorflow.js";

const kernels = new KernelRegistry().add(...stringKernels);
const strings = (...values: string[]) => Tensor.of(values, "string", [values.length]);
const noFloat = Tensor.of([], "float32", [0]);
const noInt = Tensor.of([], "int32", [0]);
const anyText = Tensor.of("");

const csv: OpCase[] = [
  { op: "DecodeCSV", inputs: [strings("1,2.5,a", '3,,"b,""c"""'), noInt, Tensor.of([7]), anyText] },
  {
    op: "DecodeCSV",
    inputs: [Tensor.of("1;-2"), noInt, Tensor.of(0n, "int64")],
    attrs: { field_delim: ";" },
  },
  { op: "DecodeCSV", inputs: [strings("1,2.5"), noInt] },
  { op: "DecodeCSV", inputs: [strings(",x"), noInt, anyText] },
  { op: "DecodeCSV", inputs: [strings("q"), noFloat] },
  ...['"a"b', 'a"b', '"ab', "a\nb", "", '"a\nb"', '""', "a,"].map((record) => ({
    op: "DecodeCSV",
    inputs: [strings(record), Tensor.of("d")],
  })),
  { op: "DecodeCSV", inputs: [strings('a"b,c'), anyText, anyText], attrs: { use_quote_delim: false } },
  { op: "DecodeCSV", inputs: [strings("a,"), anyText, Tensor.of("e")] },
  {
    op: "DecodeCSV",
    inputs: [strings("NA,1,"), Tensor.of([5], "int32"), Tensor.of([6], "float64")],
    attrs: { na_value: "NA", select_cols: [0, 2] },
  },
  { op: "DecodeCSV", inputs: [strings("1"), noInt, noInt], attrs: { select_cols: [0, 2] } },
  { op: "DecodeCSV", inputs: [strings("1,2"), Tensor.of([1, 2], "int32"), noInt] },
];

test.skipIf(peerMissing("tensorflow"))("the same columns of CSV records as TensorFlow", async () => {
  expect(await compareWithTensorflow(csv, kernels)).toEqual([]);
});
