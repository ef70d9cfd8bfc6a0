/** Products of matrices. */
import { custom, flags, type GradientCase, op } from "./case.js";

export const MATRICES: readonly GradientCase[] = [
  ...flags.flatMap((transpose_a) =>
    flags.map((transpose_b) =>
      op("MatMul", [transpose_a ? [3, 2] : [2, 3], transpose_b ? [4, 3] : [3, 4]], {
        transpose_a,
        transpose_b,
      }),
    ),
  ),
  ...flags.flatMap((adj_x) =>
    flags.map((adj_y) =>
      op("BatchMatMulV2", [adj_x ? [2, 3, 2] : [2, 2, 3], adj_y ? [1, 4, 3] : [1, 3, 4]], { adj_x, adj_y }),
    ),
  ),
  op("BatchMatMul", [
    [2, 2, 3],
    [2, 3, 2],
  ]),
  op("BatchMatMulV2", [
    [2, 3],
    [2, 3, 2],
  ]),
  ...(
    [
      ["ij,jk->ik", [2, 3], [3, 4]],
      ["abc,cd->abd", [2, 3, 4], [4, 2]],
      ["bqhd,bkhd->bhqk", [2, 3, 2, 4], [2, 5, 2, 4]],
      ["...x,xy->...y", [2, 3, 4], [4, 2]],
      ["ijk,k->i", [2, 3, 4], [4]],
    ] as const
  ).map(([equation, a, b]) =>
    custom(
      `Einsum ${equation}`,
      [a, b],
      (graph, [x, y]) => graph.op("Einsum", [[x ?? 0, y ?? 0]], { equation }).output,
    ),
  ),
];
