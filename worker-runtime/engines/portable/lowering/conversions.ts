import type { DType } from "../../../protocol/dtype.js";
import { Tensor } from "../../../protocol/tensor.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { floats, indices, moved } from "./dtypes.js";
import type { Lowering } from "./lowering.js";
import { inputAt, scalarTensor, Writer } from "./writer.js";

/** An op that returns its input unchanged. */
function unchanged(op: string): Pick<Lowering, "op" | "types" | "lower"> {
  return { op, types: { T: moved }, lower: (_, inputs) => [inputAt(inputs, 0)] };
}

function constantLike(op: string, value: number): Lowering {
  return {
    op,
    types: { T: moved },
    lower: (node, inputs, context) => {
      const write = new Writer(context);
      return [write.filled(write.shape(inputAt(inputs, 0)), scalarTensor(node.type("T"), value))];
    },
  };
}

function sizesOf(write: Writer, value: OnnxValue, dtype: DType): OnnxValue {
  const sizes = write.shape(value);
  return { ...write.cast(sizes, dtype), sizes };
}

const castable = [...moved, "float16"] as const satisfies readonly DType[];

export const conversionLowerings: readonly Lowering[] = [
  { ...unchanged("Identity"), isTrivial: true },
  { ...unchanged("Snapshot"), isTrivial: true },
  { ...unchanged("StopGradient"), isTrivial: true },
  { ...unchanged("PreventGradient"), isTrivial: true },
  // Not trivial: their kernels do not accept tensors that are on a GPU.
  unchanged("GuaranteeConst"),
  unchanged("DeepCopy"),
  { op: "IdentityN", types: { T: moved }, isTrivial: true, lower: (_, inputs) => inputs },
  {
    op: "Cast",
    // For floats outside the range of uint32 or uint64 the result differs from TensorFlow's.
    types: { SrcT: castable, DstT: castable.filter((dtype) => dtype !== "uint32" && dtype !== "uint64") },
    // ONNX cannot truncate instead of rounding.
    fits: (node) => !node.bool("Truncate"),
    lower: (node, inputs, context) => [new Writer(context).cast(inputAt(inputs, 0), node.type("DstT"))],
  },
  ...["CheckNumerics", "CheckNumericsV2"].map(
    (op): Lowering => ({
      op,
      types: { T: floats },
      lower: (_, inputs, context) => {
        const write = new Writer(context);
        const x = inputAt(inputs, 0);
        const isWrong = write.any(write.test("Or", write.test("IsNaN", x), write.test("IsInf", x)));
        return [write.checked(x, isWrong)];
      },
    }),
  ),
  constantLike("ZerosLike", 0),
  constantLike("OnesLike", 1),
  {
    op: "Shape",
    types: { T: moved, out_type: indices },
    tells: "shape",
    isTrivial: true,
    lower: (node, inputs, context) => {
      const write = new Writer(context);
      return [sizesOf(write, inputAt(inputs, 0), node.type("out_type"))];
    },
  },
  {
    op: "ShapeN",
    types: { T: moved, out_type: indices },
    tells: "shape",
    isTrivial: true,
    lower: (node, inputs, context) => {
      const write = new Writer(context);
      return inputs.map((input) => sizesOf(write, input, node.type("out_type")));
    },
  },
  {
    op: "Size",
    types: { T: moved, out_type: indices },
    tells: "shape",
    isTrivial: true,
    lower: (node, inputs, context) => {
      const write = new Writer(context);
      const size = context.model.node("Size", [inputAt(inputs, 0)], "int64");
      return [write.cast(size, node.type("out_type"))];
    },
  },
  {
    op: "Rank",
    types: { T: moved },
    tells: "rank",
    isTrivial: true,
    lower: (_, inputs, context) => [
      context.model.constant(Tensor.of(context.rank(inputAt(inputs, 0)), "int32")),
    ],
  },
];
