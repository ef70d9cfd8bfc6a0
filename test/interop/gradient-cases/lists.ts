/** Lists of tensors, and the TensorArrays of TensorFlow 1. */
import type { Graph, OpInput, Output } from "../../../worker-runtime/graph/graph.js";
import { constant } from "../../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import { custom, type GradientCase } from "./case.js";

const float64 = { element_dtype: "float64" } as const;

/** The rows of a matrix as a list. */
function listOf(graph: Graph, x: OpInput): Output {
  return graph.op("TensorListFromTensor", [x, [3]], float64).output;
}

function stacked(graph: Graph, list: OpInput): Output {
  return graph.op("TensorListStack", [list, [3]], float64).output;
}

const TENSOR_LISTS: readonly GradientCase[] = [
  custom(
    "TensorListStack of TensorListFromTensor",
    [[4, 3]],
    (graph, [x]) => graph.op("Square", [stacked(graph, listOf(graph, x ?? 0))]).outputs,
  ),
  custom("TensorListGetItem and TensorListSetItem", [[4, 3], [3]], (graph, [x, row]) => {
    const list = graph.op("TensorListSetItem", [listOf(graph, x ?? 0), 2, row ?? 0], float64).output;
    const second = graph.op("TensorListGetItem", [list, 1, [3]], float64);
    return graph.op("Mul", [stacked(graph, list), second]).output;
  }),
  custom("TensorListPushBack and TensorListPopBack", [[4, 3], [3]], (graph, [x, row]) => {
    const longer = graph.op("TensorListPushBack", [listOf(graph, x ?? 0), row ?? 0], float64).output;
    const [rest = longer, last = longer] = graph.op("TensorListPopBack", [longer, [3]], float64).outputs;
    const popped = graph.op("TensorListPopBack", [rest, [3]], float64).outputAt(1);
    return graph.op("Mul", [popped, last]).output;
  }),
  custom(
    "TensorListGather",
    [[4, 3]],
    (graph, [x]) =>
      graph.op("Square", [graph.op("TensorListGather", [listOf(graph, x ?? 0), [3, 1], [3]], float64)])
        .outputs,
  ),
  custom("TensorListScatterV2", [[2, 3]], (graph, [x]) => {
    const list = graph.op("TensorListScatterV2", [x ?? 0, [2, 0], [3], 4], float64).output;
    return graph.op("TensorListGather", [list, [0, 2], [3]], float64).outputs;
  }),
  custom(
    "TensorListScatter and TensorListScatterIntoExistingList",
    [
      [2, 3],
      [1, 3],
    ],
    (graph, [x, row]) => {
      const list = graph.op("TensorListScatter", [x ?? 0, [1, 0], [3]], float64).output;
      const more = graph.op("TensorListScatterIntoExistingList", [list, row ?? 0, [1]], float64).output;
      return graph.op("Square", [stacked(graph, more)]).output;
    },
  ),
  ...["TensorListConcat", "TensorListConcatV2"].map((type) =>
    custom(`TensorListSplit and ${type}`, [[5, 3]], (graph, [x]) => {
      const lengths = constant(graph, Tensor.of([1, 4], "int64"));
      const list = graph.op("TensorListSplit", [x ?? 0, [-1, 3], lengths], float64).output;
      const leading = constant(graph, Tensor.of([], "int64", [0]));
      const joined =
        type === "TensorListConcat"
          ? graph.op(type, [list], { ...float64, element_shape: "unknown rank" })
          : graph.op(type, [list, [-1, 3], leading], float64);
      return graph.op("Square", [joined.outputAt(0)]).output;
    }),
  ),
  custom(
    "TensorListResize",
    [[4, 3]],
    (graph, [x]) =>
      graph.op("Square", [stacked(graph, graph.op("TensorListResize", [listOf(graph, x ?? 0), 2]))]).outputs,
  ),
];

/** An array for the rows of a matrix, with its handle and its flow. */
function arrayFor(graph: Graph): readonly [Output, Output] {
  const { outputs } = graph.op("TensorArrayV3", [4], { dtype: "float64", clear_after_read: false });
  const [handle, flow] = outputs;
  if (!handle || !flow) throw new Error("TensorArrayV3 has two outputs.");
  return [handle, flow];
}

const float = { dtype: "float64" } as const;

const TENSOR_ARRAYS: readonly GradientCase[] = [
  custom("TensorArrayWriteV3 and TensorArrayReadV3", [[3]], (graph, [x]) => {
    const [handle, flow] = arrayFor(graph);
    const written = graph.op("TensorArrayWriteV3", [handle, 1, x ?? 0, flow]);
    const read = graph.op("TensorArrayReadV3", [handle, 1, written], float);
    return graph.op("Mul", [read, x ?? 0]).output;
  }),
  custom("TensorArrayScatterV3 and TensorArrayGatherV3", [[4, 3]], (graph, [x]) => {
    const [handle, flow] = arrayFor(graph);
    const written = graph.op("TensorArrayScatterV3", [handle, [3, 2, 1, 0], x ?? 0, flow]);
    return graph.op("Square", [graph.op("TensorArrayGatherV3", [handle, [0, 2], written], float)]).output;
  }),
  custom("TensorArraySplitV3 and TensorArrayConcatV3", [[8, 3]], (graph, [x]) => {
    const [handle, flow] = arrayFor(graph);
    const lengths = constant(graph, Tensor.of([1, 3, 2, 2], "int64"));
    const written = graph.op("TensorArraySplitV3", [handle, x ?? 0, lengths, flow]);
    return graph.op("Square", [graph.op("TensorArrayConcatV3", [handle, written], float)]).output;
  }),
];

export const LISTS: readonly GradientCase[] = [...TENSOR_LISTS, ...TENSOR_ARRAYS];
