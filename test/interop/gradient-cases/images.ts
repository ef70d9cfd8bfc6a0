/** Ops of images, and of ops that imitate numbers of few bits. */
import { custom, float32, type GradientCase, op } from "./case.js";

const twoRates = { strides: [1, 1, 1, 1], rates: [1, 2, 1, 1], padding: "SAME" } as const;

export const IMAGES: readonly GradientCase[] = [
  op("ResizeBicubic", [[1, 3, 4, 2]], { half_pixel_centers: true }, [[5, 6]], float32),
  op(
    "ScaleAndTranslate",
    [[1, 3, 4, 2]],
    {},
    [
      [5, 6],
      [1.5, 1.25],
      [0.25, -0.5],
    ],
    float32,
  ),
  custom(
    "CropAndResize",
    [
      [2, 4, 4, 1],
      [2, 4],
    ],
    (graph, [x, y]) => graph.op("CropAndResize", [x ?? 0, y ?? 0, [1, 0], [3, 3]]).output,
    { ...float32, range: [0.1, 0.8], notSmooth: true },
  ),
  op(
    "Dilation2D",
    [
      [1, 4, 5, 2],
      [2, 2, 2],
    ],
    twoRates,
    [],
    { notSmooth: true },
  ),
  op("ExtractImagePatches", [[2, 5, 4, 3]], {
    ...{ ksizes: [1, 2, 3, 1], strides: [1, 2, 1, 1], rates: [1, 2, 1, 1] },
    padding: "SAME",
  }),
  op("ExtractImagePatches", [[1, 4, 4, 1]], {
    ...{ ksizes: [1, 2, 2, 1], strides: [1, 1, 1, 1], rates: [1, 1, 1, 1] },
    padding: "VALID",
  }),
  op("RGBToHSV", [[4, 5, 3]], {}, [], { range: [0.05, 0.95] }),
  op("FakeQuantWithMinMaxArgs", [[3, 4]], { min: -1, max: 1 }, [], { ...float32, notSmooth: true }),
  op("FakeQuantWithMinMaxVars", [[3, 4]], {}, [-1, 1], { ...float32, notSmooth: true }),
  op(
    "FakeQuantWithMinMaxVarsPerChannel",
    [[3, 2]],
    {},
    [
      [-1, -0.5],
      [1, 1.5],
    ],
    { ...float32, notSmooth: true },
  ),
];
