/** Parts of images by chance: the same seeds give the same parts, step after step. */
import type { Graph } from "../../../../../worker-runtime/graph/graph.js";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { integers } from "../arbitraries.js";
import type { Program, Step } from "./program.js";

const objects = Tensor.of([0.1, 0.2, 0.6, 0.9, 0, 0, 0.3, 0.3], "float32", [1, 2, 4]);
const none = Tensor.of([], "float32", [1, 0, 4]);
const limits = { aspect_ratio_range: [0.75, 1.5], area_range: [0.1, 0.9], max_attempts: 50 };
const seeds = { seed: 3, seed2: 11 };
const STEPS = 4;

type Attrs = Parameters<Graph["op"]>[2];

function drawn(g: Graph, op: string, inputs: readonly Tensor[], attrs: Attrs, steps = STEPS): Step[] {
  const node = g.op(op, inputs, attrs);
  return Array.from({ length: steps }, () => ({ run: [0, 1, 2].map((i) => node.outputAt(i)) }));
}

const size = (T: DType) => integers(T, [100, 120, 3]);
const share = (value: number) => Tensor.of(value, "float32");

/** Attributes and inputs that are refused. */
function refused(g: Graph): Step[] {
  const op = "SampleDistortedBoundingBoxV2";
  const sizes = size("int32");
  const one = share(0.1);
  const cases: readonly (readonly [readonly Tensor[], Attrs])[] = [
    [[sizes, none, one], {}],
    [[integers("int32", [3, 3]), objects, one], {}],
    [[integers("int32", [-1, 3, 3]), objects, one], {}],
    [[sizes, Tensor.of([0, 0, 1.5, 1], "float32", [1, 1, 4]), one], {}],
    [[sizes, Tensor.of([0, 0, 1, 1], "float32", [1, 4]), one], {}],
    [[sizes, objects, share(-1)], {}],
    [[sizes, objects, one], { aspect_ratio_range: [1] }],
    [[sizes, objects, one], { aspect_ratio_range: [0, 1] }],
    [[sizes, objects, one], { area_range: [0.5, 2] }],
    [[sizes, objects, one], { max_attempts: 0 }],
  ];
  return cases.flatMap(([inputs, attrs]) => drawn(g, op, inputs, { ...seeds, ...limits, ...attrs }, 1));
}

export const distortedBoxPrograms: readonly Program[] = [
  ...(["int32", "int64", "uint8"] as const).map(
    (T): Program => ({
      name: `distorted_boxes_${T}`,
      build: (g) => {
        const attrs = { ...seeds, ...limits };
        return [
          ...drawn(g, "SampleDistortedBoundingBox", [size(T), objects], {
            ...attrs,
            min_object_covered: 0.5,
          }),
          ...drawn(g, "SampleDistortedBoundingBoxV2", [size(T), objects, share(0.1)], attrs),
          ...drawn(g, "SampleDistortedBoundingBoxV2", [size(T), none, share(0.1)], {
            ...attrs,
            use_image_if_no_bounding_boxes: true,
          }),
          // Nothing covers it: the whole image.
          ...drawn(g, "SampleDistortedBoundingBoxV2", [size(T), objects, share(3)], attrs, 2),
          ...[1n, 2n, 3n].flatMap((seed) =>
            drawn(
              g,
              "StatelessSampleDistortedBoundingBox",
              [size(T), objects, share(0.1), Tensor.of([seed, 7n], "int64")],
              limits,
              1,
            ),
          ),
        ];
      },
    }),
  ),
  { name: "distorted_boxes_refused", build: refused },
];
