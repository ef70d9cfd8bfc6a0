import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { type Draw, FLOATS, LARGE, NUMBERS, type OpSpecification } from "./draw.js";

/** Attributes of a window, which fits into the image. */
function windowOf(draw: Draw, sides: readonly number[], { hasCeil }: { readonly hasCeil: boolean }) {
  const each = (from: number, to: number) => sides.map(() => draw.int(from, to));
  const auto = draw.maybe(() => draw.pick(["SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"] as const));
  const padded = auto === undefined || auto === "NOTSET";
  return {
    kernel_shape: sides,
    auto_pad: auto,
    // ONNX Runtime fails where such padding would be less than none.
    strides: draw.maybe(() =>
      auto?.startsWith("SAME") ? sides.map((side) => draw.int(1, side)) : each(1, 3),
    ),
    // Less than the window, so that each one has an element of the image.
    pads: padded
      ? draw.maybe(() => [...sides, ...sides].map((side) => draw.int(0, Math.min(2, side - 1))))
      : undefined,
    ceil_mode: hasCeil ? draw.maybe(() => draw.int(0, 1)) : undefined,
  };
}

function imageOf(draw: Draw, channels: number): readonly number[] {
  return [draw.int(1, 2), channels, ...Array.from({ length: draw.int(1, 2) }, () => draw.int(5, 8))];
}

const conv: OpSpecification = {
  draw(draw) {
    const groups = draw.pick([1, 1, 2, 3]);
    const channels = groups * draw.int(1, 2);
    const shape = imageOf(draw, channels);
    const sides = shape.slice(2).map(() => draw.int(1, 3));
    const filters = groups * draw.int(1, 2);
    const dtype = draw.pick(FLOATS);
    const { ceil_mode: _, kernel_shape, ...window } = windowOf(draw, sides, { hasCeil: false });
    const dilations = draw.seldom() ? sides.map(() => draw.int(1, 2)) : undefined;
    return {
      inputs: [
        draw.fed(dtype, shape),
        draw.either(dtype, [filters, channels / groups, ...sides]),
        draw.maybe(() => draw.weight(dtype, [filters])),
      ],
      attributes: draw.attributes({
        ...window,
        kernel_shape: draw.maybe(() => kernel_shape),
        group: groups === 1 ? draw.maybe(() => 1) : groups,
        dilations: window.auto_pad?.startsWith("SAME") ? undefined : dilations,
      }),
    };
  },
};

const pool = (dtypes: readonly DType[], isMean: boolean): OpSpecification => ({
  draw(draw) {
    const shape = imageOf(draw, draw.int(1, 3));
    const sides = shape.slice(2).map(() => draw.int(1, 3));
    const window = windowOf(draw, sides, { hasCeil: true });
    return {
      inputs: [draw.fed(draw.pick(dtypes), shape)],
      attributes: draw.attributes({
        ...window,
        count_include_pad: isMean ? draw.maybe(() => draw.int(0, 1)) : undefined,
        dilations:
          draw.flag() && !window.auto_pad?.startsWith("SAME") && (!isMean || draw.opset >= 19)
            ? sides.map(() => draw.int(1, 2))
            : undefined,
      }),
    };
  },
});

const globalPool: OpSpecification = {
  draw: (draw) => ({ inputs: [draw.fed(draw.pick(FLOATS), [...draw.shape(2, 2), ...draw.shape(1, 3)])] }),
};

const batchNormalization: OpSpecification = {
  draw(draw) {
    const [shape, dtype] = [[...draw.shape(2, 2), ...draw.shape(0, 2)], draw.pick(FLOATS)];
    const [, channels = 1] = shape;
    const weight = (from: number) => draw.weight(dtype, [channels], { from });
    const epsilon = draw.maybe(() => ({ float: 0.25 }));
    return {
      inputs: [draw.fed(dtype, shape), weight(-4), weight(-4), weight(-4), weight(0.25)],
      attributes: draw.attributes({ epsilon }),
    };
  },
};

const layerNormalization: OpSpecification = {
  since: 17,
  draw(draw) {
    const [shape, dtype] = [draw.shape(1), draw.pick(FLOATS)];
    const axis = draw.maybe(() => draw.axis(shape.length));
    const own = shape.slice(axis ?? -1);
    return {
      inputs: [draw.fed(dtype, shape), draw.either(dtype, own), draw.maybe(() => draw.either(dtype, own))],
      attributes: draw.attributes({ axis, epsilon: { float: 0.25 } }),
      outputs: draw.int(1, 3),
    };
  },
};

const gemm: OpSpecification = {
  draw(draw) {
    const [rows, inner, columns] = [draw.int(1, 4), draw.int(1, 4), draw.int(1, 4)];
    const dtype = draw.pick(LARGE);
    const [transA, transB] = [draw.maybe(() => draw.int(0, 1)), draw.maybe(() => draw.int(0, 1))];
    const factor = () => draw.maybe(() => ({ float: draw.int(-4, 8) / 2 }));
    return {
      inputs: [
        draw.fed(dtype, transA === 1 ? [inner, rows] : [rows, inner]),
        draw.either(dtype, transB === 1 ? [columns, inner] : [inner, columns]),
        draw.maybe(() => draw.either(dtype, draw.narrower([rows, columns]))),
      ],
      attributes: draw.attributes({ transA, transB, alpha: factor(), beta: factor() }),
    };
  },
};

const softmax: OpSpecification = {
  draw(draw) {
    const shape = draw.shape(1);
    const axis = draw.maybe(() => draw.axis(shape.length));
    return { inputs: [draw.fed(draw.pick(FLOATS), shape)], attributes: draw.attributes({ axis }) };
  },
};

/** The greatest of equals counts, and so does which. */
const argMax: OpSpecification = {
  draw(draw) {
    const shape = draw.shape(1);
    return {
      inputs: [draw.fed(draw.pick(NUMBERS), shape, { from: -1, to: 1 })],
      attributes: draw.attributes({
        axis: draw.maybe(() => draw.axis(shape.length)),
        keepdims: draw.maybe(() => draw.int(0, 1)),
        select_last_index: draw.maybe(() => draw.int(0, 1)),
      }),
    };
  },
};

const topK: OpSpecification = {
  draw(draw) {
    const shape = draw.shape(1);
    const axis = draw.maybe(() => draw.axis(shape.length));
    return {
      inputs: [
        draw.fed(draw.pick(NUMBERS), shape, { from: -2, to: 2 }),
        draw.ints([draw.int(1, shape.at(axis ?? -1) ?? 1)]),
      ],
      attributes: draw.attributes({ axis, largest: draw.maybe(() => draw.int(0, 1)) }),
      outputs: 2,
    };
  },
};

const cumSum: OpSpecification = {
  since: 14,
  draw(draw) {
    const [shape, flag] = [draw.shape(1), () => draw.maybe(() => draw.int(0, 1))];
    const axis = draw.axis(shape.length);
    const dtype = draw.pick(["int32", "int64"] as const);
    return {
      inputs: [draw.fed(draw.pick(LARGE), shape), { ...draw.scalar(axis, dtype), isConstant: draw.flag() }],
      attributes: draw.attributes({ exclusive: flag(), reverse: flag() }),
    };
  },
};

const matMul: OpSpecification = {
  draw(draw) {
    const dtype = draw.pick(LARGE);
    const [rows, inner, columns] = [draw.int(1, 3), draw.int(1, 3), draw.int(1, 3)];
    const batch = draw.shape(0, 2);
    return {
      inputs: [
        draw.fed(dtype, draw.seldom() ? [inner] : [...batch, rows, inner]),
        draw.either(dtype, draw.seldom() ? [inner] : [...draw.narrower(batch), inner, columns]),
      ],
    };
  },
};

/** @param inputFrom the operator set from which on the axes are an input */
const reduction = (inputFrom: number, dtypes: readonly DType[]): OpSpecification => ({
  draw(draw) {
    const shape = draw.shape();
    const axes =
      shape.length > 0
        ? draw.maybe(() => draw.axes(shape.length, draw.opset >= inputFrom ? 0 : 1))
        : undefined;
    const isInput = draw.opset >= inputFrom;
    return {
      inputs: [
        draw.fed(draw.pick(dtypes), shape, { from: -3, to: 3 }),
        isInput && axes ? draw.ints(axes) : undefined,
      ],
      attributes: draw.attributes({
        axes: isInput ? undefined : axes,
        keepdims: draw.maybe(() => draw.int(0, 1)),
        noop_with_empty_axes: isInput ? draw.maybe(() => draw.int(0, 1)) : undefined,
      }),
    };
  },
});

const SMALL: readonly DType[] = ["int8", "uint8"];

export const NETWORKS: Readonly<Record<string, OpSpecification>> = {
  ...{ Conv: conv, MaxPool: pool([...FLOATS, ...SMALL], false), AveragePool: pool(FLOATS, true) },
  ...{ GlobalMaxPool: globalPool, GlobalAveragePool: globalPool, BatchNormalization: batchNormalization },
  ...{ LayerNormalization: layerNormalization, Gemm: gemm, Softmax: softmax, LogSoftmax: softmax },
  ...{ TopK: topK, CumSum: cumSum },
  ...{ ArgMax: argMax, MatMul: matMul, ReduceSum: reduction(13, LARGE), ReduceMean: reduction(18, LARGE) },
  ...{ ReduceProd: reduction(18, LARGE), ReduceMax: reduction(18, [...LARGE, ...SMALL]) },
  ReduceMin: reduction(18, [...LARGE, ...SMALL]),
};
