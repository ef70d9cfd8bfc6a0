/** Ops of sparse tensors, with respect to their values and to dense tensors. */
import { constant } from "../../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import { custom, flags, type GradientCase } from "./case.js";

const INDICES = [
  [0, 1],
  [0, 3],
  [1, 0],
  [2, 2],
];
const OTHER_INDICES = [
  [0, 0],
  [0, 3],
  [2, 1],
];
const indices = Tensor.of(INDICES, "int64");
const shape = Tensor.of([3, 4], "int64");

/** A sparse matrix with a dense one that is broadcast to its shape. */
function withDense(type: string, dense: readonly number[]): GradientCase {
  return custom(`${type} ${JSON.stringify(dense)}`, [[4], dense], (graph, [values, other]) => {
    const far = graph.op("AddV2", [other ?? 0, 4]);
    return graph.op(type, [indices, values ?? 0, shape, far]).output;
  });
}

export const SPARSE: readonly GradientCase[] = [
  ...flags.flatMap((adjoint_a) =>
    flags.map((adjoint_b) =>
      custom(
        `SparseTensorDenseMatMul ${adjoint_a} ${adjoint_b}`,
        [[4], adjoint_b ? [2, adjoint_a ? 3 : 4] : [adjoint_a ? 3 : 4, 2]],
        (graph, [values, dense]) =>
          graph.op("SparseTensorDenseMatMul", [indices, values ?? 0, shape, dense ?? 0], {
            adjoint_a,
            adjoint_b,
          }).output,
      ),
    ),
  ),
  custom("SparseReorder", [[4]], (graph, [values]) => {
    const mixed = Tensor.of(
      [2, 0, 3, 1].map((at) => INDICES[at] ?? []),
      "int64",
    );
    return graph.op("SparseReorder", [mixed, values ?? 0, shape]).outputAt(1);
  }),
  custom("SparseAdd", [[4], [3]], (graph, [values, others]) => {
    const other = Tensor.of(OTHER_INDICES, "int64");
    const threshold = constant(graph, 0, { dtype: "float64" });
    return graph
      .op("SparseAdd", [indices, values ?? 0, shape, other, others ?? 0, shape, threshold])
      .outputAt(1);
  }),
  custom(
    "SparseTensorDenseAdd",
    [[4], [3, 4]],
    (graph, [values, dense]) =>
      graph.op("SparseTensorDenseAdd", [indices, values ?? 0, shape, dense ?? 0]).output,
  ),
  ...[[0], [1], [-1], [0, 1]].flatMap((axes) =>
    flags.map((keep_dims) =>
      custom(
        `SparseReduceSum ${axes} ${keep_dims}`,
        [[4]],
        (graph, [values]) =>
          graph.op("SparseReduceSum", [indices, values ?? 0, shape, axes], { keep_dims }).output,
      ),
    ),
  ),
  ...["SparseDenseCwiseMul", "SparseDenseCwiseDiv"].flatMap((type) => [
    withDense(type, [3, 4]),
    withDense(type, [4]),
    withDense(type, [3, 1]),
  ]),
  custom(
    "SparseSoftmax",
    [[4]],
    (graph, [values]) => graph.op("SparseSoftmax", [indices, values ?? 0, shape]).output,
  ),
  custom("SparseFillEmptyRows", [[3], []], (graph, [values, filler]) => {
    const few = Tensor.of(
      [
        [0, 1],
        [2, 0],
        [2, 3],
      ],
      "int64",
    );
    return graph
      .op("SparseFillEmptyRows", [few, values ?? 0, Tensor.of([4, 4], "int64"), filler ?? 0])
      .outputAt(1);
  }),
  custom(
    "SparseToDense",
    [[4], []],
    (graph, [values, filler]) => graph.op("SparseToDense", [indices, shape, values ?? 0, filler ?? 0]).output,
  ),
];
