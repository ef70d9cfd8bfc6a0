/** The slice spec, and that shapes and known integers are inferred by it. Values are compared with TensorFlow's elsewhere. */
import { describe, expect, it } from "vitest";
import type { AttrValue } from "../../../../protos/generated/tensorflow/attr_value.js";
import { intsOfTensor, type KnownInts } from "../../../../worker-runtime/graph/known-ints.js";
import {
  resolveSlice,
  slicedRank,
  sliceMasks,
} from "../../../../worker-runtime/graph/op-specs/strided-slice.js";
import type { Shape } from "../../../../worker-runtime/graph/shape.js";
import type { OutputFacts } from "../../../../worker-runtime/graph/shape-context.js";
import { inferOutputs } from "../../../../worker-runtime/graph/shape-inference.js";
import { Tensor } from "../../../../worker-runtime/protocol/tensor.js";

type Masks = Readonly<Record<string, number>>;

const masks = (values: Masks) => sliceMasks({ int: (attr) => values[attr] ?? 0 });

/** One of each entry, or undefined where only a run knows it. */
type Entries = readonly (number | undefined)[];

interface Input {
  readonly shape: Shape | undefined;
  readonly ints?: KnownInts | undefined;
}

function inferred(input: Input, entries: readonly [Entries, Entries, Entries], values: Masks): OutputFacts {
  const known = entries.map((elements): KnownInts => ({ rank: 1, elements }));
  const attrOf = (name: string): AttrValue => ({ value: { $case: "i", value: BigInt(values[name] ?? 0) } });
  const [facts] = inferOutputs({
    node: "part",
    op: "StridedSlice",
    attr: attrOf,
    inputShapes: [input.shape, ...entries.map((list) => [list.length])],
    constantInput: () => undefined,
    knownInts: (index) => (index === 0 ? input.ints : known[index - 1]),
    handleShape: () => undefined,
    outputCount: 1,
  });
  if (facts === undefined) throw new Error("StridedSlice has one output.");
  return facts;
}

describe("a slice spec", () => {
  it("has one ellipsis at most, for the sizes that are inferred as for those of a run", () => {
    const two = { ellipsis_mask: 3 };
    const message = /Multiple ellipses in slice spec not allowed/;
    expect(() => resolveSlice([2, 3], [0, 0], [0, 0], [1, 1], masks(two))).toThrow(message);
    const entries = [
      [0, 0],
      [0, 0],
      [1, 1],
    ] as const;
    expect(() => inferred({ shape: [2, 3] }, entries, two)).toThrow(/^StridedSlice node "part": Multiple/);
  });

  it("has no bits for entries from 32 on", () => {
    const ones = new Array<number>(33).fill(1);
    const zeros = new Array<number>(33).fill(0);
    const shape = new Array<number>(33).fill(4);
    // Bit 0 opens the first entry alone, not the one with index 32.
    const first = { begin_mask: 1, end_mask: 1 };
    const sizes = [4, ...new Array<number>(32).fill(1)];
    expect(resolveSlice(shape, zeros, ones, ones, masks(first)).sizes).toEqual(sizes);
    expect(inferred({ shape }, [zeros, ones, ones], first).shape).toEqual(sizes);
  });

  it("tells the rank of a tensor by that of its slice", () => {
    // x[..., newaxis, 3] of rank 3; the new axis and the ellipsis are not indices, whatever the last mask says.
    const values = { ellipsis_mask: 1, new_axis_mask: 2, shrink_axis_mask: 7 };
    expect(slicedRank(3, 3, masks(values))).toBe(3);
    expect(resolveSlice([2, 5, 7], [0, 0, 3], [0, 0, 0], [1, 1, 1], masks(values)).shape).toEqual([2, 5, 1]);
  });
});

describe("integers of a slice", () => {
  const vector: Input = { shape: [5], ints: intsOfTensor(Tensor.of([10, 11, 12, 13, 14], "int32")) };
  const intsOf = (entries: readonly [Entries, Entries, Entries], values: Masks = {}) =>
    inferred(vector, entries, values).ints;

  it.each([
    { title: "every second", entries: [[1], [5], [2]], values: {}, elements: [11, 13] },
    {
      title: "in reverse",
      entries: [[0], [0], [-1]],
      values: { begin_mask: 1, end_mask: 1 },
      elements: [14, 13, 12, 11, 10],
    },
    {
      title: "a mask of other entries",
      entries: [[3], [5], [1]],
      values: { begin_mask: 2 },
      elements: [13, 14],
    },
    {
      title: "beside an ellipsis",
      entries: [
        [0, 1],
        [0, 3],
        [1, 1],
      ],
      values: { ellipsis_mask: 1 },
      elements: [11, 12],
    },
    {
      title: "one of them, as a vector",
      entries: [
        [0, -2],
        [0, 0],
        [1, 1],
      ],
      values: { new_axis_mask: 1, shrink_axis_mask: 2 },
      elements: [13],
    },
  ] as const)("are known: $title", ({ entries, values, elements }) => {
    const [begin, end, strides] = entries;
    expect(intsOf([begin, end, strides], values)).toEqual({ rank: 1, elements });
  });

  it("are a scalar for an index, and unknown in a matrix", () => {
    expect(intsOf([[-1], [0], [1]], { shrink_axis_mask: 1 })).toEqual({ rank: 0, elements: [14] });
    expect(
      intsOf(
        [
          [0, 0],
          [0, 2],
          [1, 1],
        ],
        { new_axis_mask: 1 },
      ),
    ).toBeUndefined();
  });
});

describe("sizes of a slice", () => {
  it("are known as far as the entries are", () => {
    const shape = [6, -1, 4];
    const some: readonly [Entries, Entries, Entries] = [
      [undefined, 0, 1],
      [4, 1, undefined],
      [1, 1, 2],
    ];
    expect(inferred({ shape }, some, {}).shape).toEqual([-1, -1, -1]);
    // Open at both ends where an entry is unknown.
    expect(inferred({ shape }, some, { begin_mask: 1, end_mask: 4 }).shape).toEqual([4, -1, 2]);
    expect(inferred({ shape }, some, { shrink_axis_mask: 2, begin_mask: 1, end_mask: 5 }).shape).toEqual([
      6, 2,
    ]);
  });

  it("name the index that is outside, and too many entries", () => {
    const index = [[4], [5], [1]] as const;
    expect(() => inferred({ shape: [3] }, index, { shrink_axis_mask: 1 })).toThrow(
      /node "part": slice index 4 of dimension 0 out of bounds/,
    );
    expect(() => inferred({ shape: [] }, index, {})).toThrow(/input has only 0 dims/);
  });
});
