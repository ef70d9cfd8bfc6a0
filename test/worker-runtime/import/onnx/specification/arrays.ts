import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { ALL, type Draw, type OpSpecification } from "./draw.js";

const product = (sizes: readonly number[]) => sizes.reduce((all, one) => all * one, 1);

/** The same elements in another shape, in which sizes may be 0 for "as it is" and one may be -1. */
const reshape: OpSpecification = {
  draw(draw) {
    const shape = draw.shape(1);
    const at = draw.int(0, shape.length);
    const target = [...shape.slice(0, at), ...(draw.flag() ? [product(shape.slice(at))] : shape.slice(at))];
    const kept = target.map((size, axis) => (axis < at && draw.seldom() ? 0 : size));
    const open = draw.int(0, kept.length);
    const sizes = kept.map((size, axis) => (axis === open && size !== 0 ? -1 : size));
    return { inputs: [draw.fed(draw.pick(ALL), shape), draw.ints(sizes)] };
  },
};

const flatten: OpSpecification = {
  draw(draw) {
    const shape = draw.shape(1);
    const axis = draw.maybe(() => draw.int(-shape.length, shape.length));
    return { inputs: [draw.fed(draw.pick(ALL), shape)], attributes: draw.attributes({ axis }) };
  },
};

const squeeze: OpSpecification = {
  draw(draw) {
    const shape = draw.shape(1).map((size) => (draw.flag() ? 1 : size));
    const ones = shape.flatMap((size, axis) =>
      size === 1 ? [axis - (draw.seldom() ? shape.length : 0)] : [],
    );
    const axes = ones.filter(() => !draw.seldom());
    return {
      inputs: [draw.fed(draw.pick(ALL), shape), axes.length > 0 && draw.flag() ? draw.ints(axes) : undefined],
    };
  },
};

const unsqueeze: OpSpecification = {
  draw(draw) {
    const shape = draw.shape(0, 3);
    const axes = draw.axes(shape.length + draw.int(1, 2)).slice(0, 2);
    // As many axes as the result has more dimensions.
    const rank = shape.length + axes.length;
    const fitting = axes.map((axis) => (axis >= rank || axis < -rank ? axis % rank : axis));
    const different = new Set(fitting.map((axis) => (axis + rank) % rank)).size === fitting.length;
    return {
      inputs: [draw.fed(draw.pick(ALL), shape), draw.ints(different ? fitting : axes.map((_, at) => at))],
    };
  },
};

const split: OpSpecification = {
  draw(draw) {
    const shape = draw.shape(1);
    const axis = draw.axis(shape.length);
    const size = shape.at(axis) ?? 1;
    const first = draw.int(0, size);
    const inputs = [draw.fed(draw.pick(ALL), shape)];
    const given = draw.maybe(() => axis) ?? 0;
    const length = shape.at(given) ?? 1;
    if (draw.flag() || length < 2) {
      const cut = Math.min(first, length);
      return { inputs: [...inputs, draw.ints([cut, length - cut])], outputs: 2, attributes: { axis: given } };
    }
    const parts = draw.opset < 18 ? length : 2;
    const attributes = draw.attributes({ axis: given, num_outputs: draw.opset < 18 ? undefined : parts });
    return { inputs, attributes, outputs: parts };
  },
};

const slice: OpSpecification = {
  draw(draw) {
    const shape = draw.shape(1);
    const axes = draw.maybe(() => draw.axes(shape.length));
    const count = axes?.length ?? draw.int(1, shape.length);
    const list = (make: () => number) => Array.from({ length: count }, make);
    const far = 2 ** 31 - 1;
    const place = () => (draw.seldom() ? draw.pick([far, -far, 100, -100]) : draw.int(-5, 5));
    const steps = draw.maybe(() => list(() => draw.pick([1, 2, 3, -1, -2])));
    // Backwards, ONNX Runtime takes the largest number for the beginning, and NumPy does not.
    const ends = list(place).map((end, at) => ((steps?.[at] ?? 1) < 0 && end === far ? -far : end));
    const dtype = draw.pick(["int32", "int64"] as const);
    return {
      inputs: [
        draw.fed(draw.pick(ALL), shape),
        draw.ints(list(place), dtype),
        draw.ints(ends, dtype),
        axes && draw.ints(axes, dtype),
        steps && draw.ints(steps, dtype),
      ],
    };
  },
};

const MODES = ["constant", "reflect", "edge"] as const;

const pad: OpSpecification = {
  draw(draw) {
    const isNegative = draw.seldom();
    // A reflection has no more elements than there are.
    const shape = draw.shape(1).map((size) => size + (isNegative ? 3 : 1));
    const axes = draw.opset >= 18 ? draw.maybe(() => draw.axes(shape.length)) : undefined;
    const count = axes?.length ?? shape.length;
    const mode = draw.maybe(() => draw.pick(draw.opset < 19 ? MODES : [...MODES, "wrap" as const]));
    const sizes = Array.from({ length: 2 * count }, () => (isNegative ? draw.int(-1, 1) : draw.int(0, 1)));
    const dtype = draw.pick(ALL);
    const value = draw.maybe(() => draw.either(dtype, []));
    return {
      inputs: [draw.fed(dtype, shape), draw.ints(sizes), value, axes && draw.ints(axes)],
      attributes: draw.attributes({ mode }),
    };
  },
};

const expand: OpSpecification = {
  draw(draw) {
    const whole = draw.shape(1);
    const own = draw.narrower(whole);
    const target = draw.flag()
      ? whole
      : whole.map((size, at) => (own.at(at - whole.length) === size ? 1 : size));
    return { inputs: [draw.fed(draw.pick(ALL), own), draw.ints(target)] };
  },
};

const constantOfShape: OpSpecification = {
  draw(draw) {
    const value = draw.maybe(() => draw.tensor(draw.pick(ALL), [1]));
    return {
      inputs: [{ ...draw.ints(draw.shape(1)), isConstant: draw.flag() }],
      attributes: draw.attributes({ value }),
    };
  },
};

const transpose: OpSpecification = {
  draw(draw) {
    const shape = draw.shape(1);
    const perm = draw.maybe(() => draw.order(shape.length));
    return { inputs: [draw.fed(draw.pick(ALL), shape)], attributes: draw.attributes({ perm }) };
  },
};

const concat: OpSpecification = {
  draw(draw) {
    const [shape, dtype] = [draw.shape(1), draw.pick(ALL)];
    const axis = draw.axis(shape.length);
    const more = Array.from({ length: draw.int(0, 2) }, () => {
      const own = [...shape];
      own[(axis + shape.length) % shape.length] = draw.int(1, 3);
      return draw.either(dtype, own);
    });
    return { inputs: [draw.fed(dtype, shape), ...more], attributes: { axis } };
  },
};

const gather: OpSpecification = {
  draw(draw) {
    const shape = draw.shape(1);
    const given = draw.maybe(() => draw.axis(shape.length));
    const size = shape.at(given ?? 0) ?? 1;
    const dtype = draw.pick(["int32", "int64"] as const);
    return {
      inputs: [
        draw.fed(draw.pick(ALL), shape),
        draw.either(dtype, draw.shape(0, 2), { from: -size, to: size - 1 }),
      ],
      attributes: draw.attributes({ axis: given }),
    };
  },
};

const shapeOf: OpSpecification = {
  draw(draw) {
    const shape = draw.shape();
    const edge = () => (draw.opset < 15 ? undefined : draw.maybe(() => draw.int(-5, 5)));
    const attributes = draw.attributes({ start: edge(), end: edge() });
    return { inputs: [draw.fed(draw.pick(ALL), shape)], attributes };
  },
};

const tile: OpSpecification = {
  draw(draw) {
    const shape = draw.shape(1);
    return { inputs: [draw.fed(draw.pick(ALL), shape), draw.ints(shape.map(() => draw.int(1, 3)))] };
  },
};

/** Indices from the start, from the end, and of no place. */
const oneHot: OpSpecification = {
  draw(draw) {
    const shape = draw.shape(1, 3);
    const depth = draw.int(1, 4);
    const dtype = draw.pick(["int64", "int32", "float32"] as const);
    const indices = draw.tensor("int64", shape, { from: -6, to: 6 });
    const list = Array.from({ length: indices.size }, (_, at) => Number(indices.at(at)));
    const whole = Tensor.of(dtype === "int64" ? list.map(BigInt) : list, dtype, shape);
    return {
      inputs: [
        { value: whole, isConstant: false },
        draw.flag() ? draw.ints([depth]) : draw.scalar(depth, "int64"),
        draw.either(draw.pick(["float32", "int32", "int64"] as const), [2]),
      ],
      attributes: draw.attributes({ axis: draw.maybe(() => draw.axis(shape.length + 1)) }),
    };
  },
};

function rangeOf(draw: Draw) {
  const dtype = draw.pick(["float32", "float64", "int16", "int32", "int64"] as const);
  const [start, step] = [draw.int(-5, 5), draw.pick([1, 2, 3, -1, -2])];
  const limit = start + step * draw.int(0, 4) + draw.int(0, 1);
  return { inputs: [start, limit, step].map((value) => draw.scalar(value, dtype)) };
}

/** A value, as each of the attributes that can have it. */
const constantNode: OpSpecification = {
  draw(draw) {
    const value = draw.pick([
      () => ({ value: draw.tensor(draw.pick(ALL), draw.shape()) }),
      () => ({ value_int: draw.int(-5, 5) }),
      () => ({ value_float: { float: draw.int(-5, 5) / 4 } }),
      () => ({ value_ints: [draw.int(-5, 5), draw.int(-5, 5)] }),
      () => ({ value: Tensor.of([], "float32", [0]) }),
    ]);
    return { inputs: [], attributes: value() };
  },
};

export const ARRAYS: Readonly<Record<string, OpSpecification>> = {
  ...{
    Reshape: reshape,
    Flatten: flatten,
    Squeeze: squeeze,
    Unsqueeze: unsqueeze,
    Split: split,
    Slice: slice,
  },
  ...{ Pad: pad, Expand: expand, ConstantOfShape: constantOfShape, Transpose: transpose, Concat: concat },
  ...{
    OneHot: oneHot,
    Gather: gather,
    Shape: shapeOf,
    Tile: tile,
    Range: { draw: rangeOf },
    Constant: constantNode,
  },
};
