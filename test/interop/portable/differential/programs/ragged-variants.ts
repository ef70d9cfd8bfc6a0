/** Ragged tensors as objects: made, taken apart and put together again. */
import type { Graph } from "../../../../../worker-runtime/graph/graph.js";
import type { Output } from "../../../../../worker-runtime/graph/operation.js";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { integers } from "../arbitraries.js";
import type { Program, Step } from "./program.js";

/** The arguments: splits from the outermost dimension on. */
interface Ragged {
  readonly splits: readonly (readonly number[])[];
  readonly values: Tensor;
}

const samples: Readonly<Record<string, Ragged>> = {
  rows: { splits: [[0, 2, 2, 5]], values: Tensor.of([1, 2, 3, 4, 5], "float32") },
  texts: { splits: [[0, 1, 3]], values: Tensor.of(["a", "bc", ""]) },
  matrices: { splits: [[0, 1, 3]], values: Tensor.of([1, 2, 3, 4, 5, 6], "int32", [3, 2]) },
  nested: {
    splits: [
      [0, 2, 2, 3],
      [0, 1, 1, 4],
    ],
    values: Tensor.of([1, 2, 3, 4], "float64"),
  },
  deep: {
    splits: [
      [0, 1, 3],
      [0, 2, 2, 3],
      [0, 2, 3, 5],
    ],
    values: Tensor.of([1, 2, 3, 4, 5], "int64"),
  },
  empty: { splits: [[0]], values: Tensor.of([], "float32", [0, 2]) },
  dense: { splits: [], values: Tensor.of([1, 2, 3, 4], "float32", [2, 2]) },
  wrong: { splits: [[0, 9]], values: Tensor.of([1, 2], "float32") },
};

function encoded(g: Graph, { splits, values }: Ragged, splitType: DType, isBatch: boolean): Output {
  const rows = splits.map((list) => integers(splitType, list));
  return g.op("RaggedTensorToVariant", [rows, values], {
    Tsplits: splitType,
    batched_input: isBatch,
  }).output;
}

/** A variant of two rows, each of them what is given. */
function twice(g: Graph, rows: Output): Output {
  const anyShape = Tensor.of(-1, "int32");
  const list = g.op("EmptyTensorList", [anyShape, Tensor.of(2, "int32")], { element_dtype: "variant" });
  const grown = [1, 2].reduce(
    (longer) => g.op("TensorListPushBack", [longer, rows], { element_dtype: "variant" }).output,
    list.output,
  );
  return g.op("TensorListStack", [grown, anyShape], { element_dtype: "variant" }).output;
}

function decoded(g: Graph, variant: Output, dtype: DType, splitType: DType, ranks: [number, number]): Step {
  const [input, output] = ranks;
  const node = g.op("RaggedTensorFromVariant", [variant], {
    input_ragged_rank: input,
    output_ragged_rank: output,
    Tvalues: dtype,
    Tsplits: splitType,
  });
  return { run: Array.from({ length: output + 1 }, (_, i) => node.outputAt(i)) };
}

export const raggedVariantPrograms: readonly Program[] = (["int32", "int64"] as const).flatMap((splitType) =>
  Object.entries(samples).map(
    ([name, sample]): Program => ({
      name: `ragged_${name}_${splitType}`,
      build: (g) => {
        const { dtype } = sample.values;
        const rank = sample.splits.length;
        const [whole, rows] = [false, true].map((isBatch) => encoded(g, sample, splitType, isBatch)) as [
          Output,
          Output,
        ];
        const pair = twice(g, rows);
        const grown = g.op(
          "RaggedTensorToVariantGradient",
          [rows, integers(splitType, sample.splits[0] ?? [0]), integers("int32", sample.values.shape)],
          { Tvalues: dtype },
        );
        return [
          decoded(g, whole, dtype, splitType, [rank, rank]),
          decoded(g, rows, dtype, splitType, [-1, rank]),
          decoded(g, pair, dtype, splitType, [-1, rank + 1]),
          decoded(g, rows, dtype, splitType, [rank, rank]),
          decoded(g, rows, dtype === "float32" ? "int32" : "float32", splitType, [-1, rank]),
          ...(rank === 1 ? [{ run: [grown.output] }] : []),
        ];
      },
    }),
  ),
);
