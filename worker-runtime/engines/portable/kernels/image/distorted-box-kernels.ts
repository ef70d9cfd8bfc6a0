import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { type Philox, PhiloxSamples } from "../random/philox.js";
import { generatorOf } from "../random/seeded-generator.js";
import { streamOfSeed } from "../random/stateless-ops.js";
import { pureKernel } from "../support/define.js";
import { indexTypes, isLong, longTypes, shortIntTypes } from "../support/dtypes.js";
import { inputAt, integersOf, newLongs, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { type CropLimits, drawCrop, type Rectangle } from "./distorted-box.js";

/** How many random numbers TensorFlow reserves for each attempt. */
const SAMPLES_PER_ATTEMPT = 4;

/** More attempts than this are never needed; each takes a microsecond or so. */
const MOST_ATTEMPTS = 1_000_000;

const INT32_MAX = 2 ** 31 - 1;

interface BoxRules extends CropLimits {
  readonly takesWholeImage: boolean;
}

/** @throws TensorFlowError INVALID_ARGUMENT for invalid attributes. */
function rulesOf(node: KernelNode): BoxRules {
  const pair = (attr: string, what: string): readonly [number, number] => {
    const [least, greatest, more] = node.floats(attr);
    if (least === undefined || greatest === undefined || more !== undefined) {
      throw invalidArgument(`${what} field must specify 2 dimensions`);
    }
    if (!(least > 0 && greatest > 0)) {
      throw invalidArgument(`${what} must be non-negative: [${least}, ${greatest}]`);
    }
    return [least, greatest];
  };
  const areas = pair("area_range", "Area range");
  if (areas.some((area) => area > 1)) {
    throw invalidArgument(`Area range must be less then or equal to 1.0: [${areas.join(", ")}]`);
  }
  const maxAttempts = node.int("max_attempts");
  if (maxAttempts <= 0) {
    throw invalidArgument(`Max attempts must be non-negative: ${maxAttempts}`);
  }
  return {
    aspectRatios: pair("aspect_ratio_range", "Aspect ratio range"),
    areas,
    maxAttempts: Math.min(maxAttempts, MOST_ATTEMPTS),
    takesWholeImage: node.bool("use_image_if_no_bounding_boxes"),
  };
}

/** @throws TensorFlowError INVALID_ARGUMENT */
function imageSize(size: Tensor): { readonly width: number; readonly height: number } {
  if (size.shape.length !== 1) {
    throw invalidArgument(`image_size must be 1-dimensional${cppShapeText(size.shape)}`);
  }
  if (size.size !== 3) {
    throw invalidArgument(`image_size must contain 3 elements${cppShapeText(size.shape)}`);
  }
  const [height = 0, width = 0] = integersOf(size);
  for (const [what, pixels] of [["height", height] as const, ["width", width] as const]) {
    if (pixels < 0 || pixels >= INT32_MAX) {
      throw invalidArgument(`image ${what} cannot be >= int32 max`);
    }
  }
  return { width, height };
}

/** Objects in pixels from relative boxes: ymin, xmin, ymax, xmax. @throws TensorFlowError INVALID_ARGUMENT */
function objectsOf(boxes: Tensor, width: number, height: number): Rectangle[] {
  if (boxes.shape.length !== 3) {
    throw invalidArgument(
      `input boxes must be 3-dimensional [batch, num_boxes, coords]: ${cppShapeText(boxes.shape)}`,
    );
  }
  if (boxes.shape[2] !== 4) {
    throw invalidArgument(`bounding boxes must have shape [4] or [*, 4], got ${cppShapeText(boxes.shape)}`);
  }
  const corners = numbersOf(boxes);
  const wrong = corners.find((corner) => !(corner >= 0 && corner <= 1));
  if (wrong !== undefined) {
    throw invalidArgument(`All bounding box coordinates must be in [0.0, 1.0]: ${wrong}`);
  }
  const pixel = (at: number, size: number) => Math.trunc(Math.fround((corners[at] ?? 0) * size));
  return Array.from({ length: corners.length / 4 }, (_, box) => ({
    minY: pixel(4 * box, height),
    minX: pixel(4 * box + 1, width),
    maxY: pixel(4 * box + 2, height),
    maxX: pixel(4 * box + 3, width),
  }));
}

function integers(dtype: DType, values: readonly number[]): Tensor {
  const data = isLong(dtype)
    ? newLongs(dtype, [values.length]).map((_, i) => BigInt(values[i] ?? 0))
    : newNumbers(dtype, [values.length]).map((_, i) => values[i] ?? 0);
  return new Tensor(dtype, [values.length], data);
}

/** The begin and size of the crop, as Slice accepts them, and the crop as a box. */
function outputs(dtype: DType, crop: Rectangle, width: number, height: number): readonly Tensor[] {
  const { minX, minY, maxX, maxY } = crop;
  const box = Float32Array.of(minY / height, minX / width, maxY / height, maxX / width);
  return [
    integers(dtype, [minY, minX, 0]),
    integers(dtype, [maxY - minY, maxX - minX, -1]),
    new Tensor("float32", [1, 1, 4], box),
  ];
}

/** @param share of an object that must be covered. @throws TensorFlowError INVALID_ARGUMENT */
function sample(
  [size, boxes]: readonly [size: Tensor, boxes: Tensor],
  share: number,
  rules: BoxRules,
  stream: () => Philox,
): readonly Tensor[] {
  const { width, height } = imageSize(size);
  if (!(share >= 0)) {
    throw invalidArgument(`Min object covered must be non-negative: ${share}`);
  }
  const given = objectsOf(boxes, width, height);
  if (given.length === 0 && !rules.takesWholeImage) {
    throw invalidArgument(
      "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you wish to not provide " +
        "any bounding boxes.",
    );
  }
  const objects = given.length === 0 ? [{ minX: 0, minY: 0, maxX: width, maxY: height }] : given;
  const crop = drawCrop({ width, height }, objects, share, rules, new PhiloxSamples(stream()));
  return outputs(size.dtype, crop, width, height);
}

/** The input min_object_covered. @throws TensorFlowError INVALID_ARGUMENT */
function shareOf(input: Tensor): number {
  if (input.shape.length !== 0) {
    throw invalidArgument(`min_object_covered must be 0-D, got shape ${cppShapeText(input.shape)}`);
  }
  return numbersOf(input)[0] ?? 0;
}

const types = { T: [...shortIntTypes, ...longTypes] } as const;

/** The first version has min_object_covered as an attribute, the second one as an input. */
function statefulForm(op: string, isSecond: boolean): KernelDefinition {
  return {
    kind: "stateful",
    op,
    types,
    create(node) {
      const rules = rulesOf(node);
      const generator = generatorOf(node);
      return (context) => {
        const { inputs } = context;
        const share = isSecond ? shareOf(tensorAt(inputs, 2)) : node.float("min_object_covered");
        return sample([tensorAt(inputs, 0), tensorAt(inputs, 1)], share, rules, () =>
          generator(context).reserveSamples(SAMPLES_PER_ATTEMPT * rules.maxAttempts),
        );
      };
    },
  };
}

/** Random crops of images that show enough of an object, for data augmentation. */
export const distortedBoxKernels: readonly KernelDefinition[] = [
  statefulForm("SampleDistortedBoundingBox", false),
  statefulForm("SampleDistortedBoundingBoxV2", true),
  pureKernel(
    "StatelessSampleDistortedBoundingBox",
    (node) => {
      const rules = rulesOf(node);
      return (inputs) =>
        sample([inputAt(inputs, 0), inputAt(inputs, 1)], shareOf(inputAt(inputs, 2)), rules, () =>
          streamOfSeed(inputAt(inputs, 3)),
        );
    },
    { types: { ...types, Tseed: indexTypes }, cost: (node) => node.int("max_attempts") * 1_000 },
  ),
];
