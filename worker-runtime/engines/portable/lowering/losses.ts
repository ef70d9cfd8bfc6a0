import type { DType } from "../../../protocol/dtype.js";
import { int } from "../onnx/attributes.js";
import type { ModelBuilder, OnnxValue } from "../onnx/model-builder.js";
import { int64s, scalar } from "./constants.js";
import type { Lowering } from "./lowering.js";

const floats = ["float32", "float64"] as const satisfies readonly DType[];

function alongRows(model: ModelBuilder, op: string, logits: OnnxValue): OnnxValue {
  return model.node(op, [logits], logits.dtype, { attributes: { axis: int(-1) } });
}

/** Softmax and LogSoftmax, which TensorFlow computes along the last dimension. */
function rowFunction(op: string): Lowering {
  return {
    op,
    types: { T: floats },
    lower: (_, [logits], { model, rank }) =>
      logits === undefined || rank(logits) === 0 ? undefined : [alongRows(model, op, logits)],
  };
}

/** Loss and gradient of classes given by their probabilities. Both inputs broadcast to [batch, classes]. */
const crossEntropy: Lowering = {
  op: "SoftmaxCrossEntropyWithLogits",
  types: { T: floats },
  lower: (_, [features, labels], { model, rank }) => {
    if (features === undefined || labels === undefined || Math.max(rank(features), rank(labels)) !== 2) {
      return undefined;
    }
    const { dtype } = features;
    const shape = model.node("Shape", [labels], "int64");
    const logits = model.node("Expand", [features, shape], dtype);
    const product = model.node("Mul", [labels, alongRows(model, "LogSoftmax", logits)], dtype);
    const sum = model.node("ReduceSum", [product, int64s(model, [1])], dtype, {
      attributes: { keepdims: int(0) },
    });
    return [
      model.node("Neg", [sum], dtype),
      model.node("Sub", [alongRows(model, "Softmax", logits), labels], dtype),
    ];
  },
};

/**
 * Loss and gradient for classes given by index. An index out of range makes the model fail, including a negative one,
 * which ONNX would count from the end.
 */
const sparseCrossEntropy: Lowering = {
  op: "SparseSoftmaxCrossEntropyWithLogits",
  types: { T: floats, Tlabels: ["int32", "int64"] },
  lower: (_, [features, labels], { model, rank }) => {
    if (features === undefined || labels === undefined || rank(features) !== 2 || rank(labels) !== 1) {
      return undefined;
    }
    const { dtype } = features;
    const isNegative = model.node("Less", [labels, scalar(model, labels.dtype, 0)], "bool");
    const none = scalar(model, labels.dtype, 2 ** 31 - 1);
    const classes = model.node("Where", [isNegative, none, labels], labels.dtype);
    // The batch size of the logits; labels with a different one are an error.
    const batch = model.node("Shape", [features], "int64", { attributes: { end: int(1) } });
    const column = model.node("Concat", [batch, int64s(model, [1])], "int64", {
      attributes: { axis: int(0) },
    });
    const indices = model.node("Reshape", [classes, column], labels.dtype);
    const along = { attributes: { axis: int(1) } };
    const logProbability = model.node(
      "GatherElements",
      [alongRows(model, "LogSoftmax", features), indices],
      dtype,
      along,
    );
    const probabilities = alongRows(model, "Softmax", features);
    const probability = model.node("GatherElements", [probabilities, indices], dtype, along);
    const changed = model.node("Sub", [probability, scalar(model, dtype, 1)], dtype);
    const loss = model.node("Neg", [logProbability], dtype);
    return [
      model.node("Squeeze", [loss, int64s(model, [1])], dtype),
      model.node("ScatterElements", [probabilities, indices, changed], dtype, along),
    ];
  },
};

/** Half the sum of the squares. */
const l2Loss: Lowering = {
  op: "L2Loss",
  types: { T: floats },
  lower: (_, [value], { model }) => {
    if (value === undefined) {
      return undefined;
    }
    const sum = model.node("ReduceSumSquare", [value], value.dtype, { attributes: { keepdims: int(0) } });
    return [model.node("Mul", [sum, scalar(model, value.dtype, 0.5)], value.dtype)];
  },
};

export const lossLowerings: readonly Lowering[] = [
  rowFunction("Softmax"),
  rowFunction("LogSoftmax"),
  crossEntropy,
  sparseCrossEntropy,
  l2Loss,
];
