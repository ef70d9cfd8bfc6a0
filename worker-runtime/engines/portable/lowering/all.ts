import { activationLowerings } from "./activations.js";
import { argmaxPoolingLowerings } from "./argmax-pooling.js";
import { arrangingLowerings } from "./arranging.js";
import { batchNormLowerings } from "./batch-norm.js";
import { biasLowerings } from "./bias.js";
import { colorLowerings } from "./colors.js";
import { comparisonLowerings } from "./comparisons.js";
import { conversionLowerings } from "./conversions.js";
import { convolutionLowerings } from "./convolution.js";
import { countingLowerings } from "./counting.js";
import { diagonalLowerings } from "./diagonals.js";
import { elementwiseLowerings } from "./elementwise.js";
import { fakeQuantizationLowerings } from "./fake-quantization.js";
import { gatheringLowerings } from "./gathering.js";
import { ofHalves, updateOfHalves } from "./halves.js";
import { joiningLowerings } from "./joining.js";
import { lossLowerings } from "./losses.js";
import type { Lowering, UpdateLowering } from "./lowering.js";
import { makingLowerings } from "./making.js";
import { matMulLowerings } from "./matmul.js";
import { paddingLowerings } from "./padding.js";
import { patchLowerings } from "./patches.js";
import { poolingLowerings } from "./pooling.js";
import { reductionLowerings } from "./reductions.js";
import { LoweringRegistry } from "./registry.js";
import { reshapingLowerings } from "./reshaping.js";
import { resizingLowerings } from "./resizing.js";
import { scatteringLowerings } from "./scattering.js";
import { segmentLowerings } from "./segments.js";
import { shapeLowerings } from "./shapes.js";
import { shiftLowerings } from "./shifts.js";
import { slicingLowerings } from "./slicing.js";
import { spaceBatchLowerings } from "./space-batch.js";
import { sparseLowerings } from "./sparse.js";
import { updateLowerings } from "./updates.js";
import { volumeLowerings } from "./volumes.js";
import { weightedResizingLowerings } from "./weighted-resizing.js";

const lowerings: readonly Lowering[] = [
  ...elementwiseLowerings,
  ...comparisonLowerings,
  ...conversionLowerings,
  ...reductionLowerings,
  ...reshapingLowerings,
  ...joiningLowerings,
  ...slicingLowerings,
  ...paddingLowerings,
  ...gatheringLowerings,
  ...scatteringLowerings,
  ...segmentLowerings,
  ...makingLowerings,
  ...arrangingLowerings,
  ...shapeLowerings,
  ...matMulLowerings,
  ...activationLowerings,
  ...biasLowerings,
  ...lossLowerings,
  ...convolutionLowerings,
  ...poolingLowerings,
  ...argmaxPoolingLowerings,
  ...volumeLowerings,
  ...batchNormLowerings,
  ...resizingLowerings,
  ...weightedResizingLowerings,
  ...spaceBatchLowerings,
  ...patchLowerings,
  ...sparseLowerings,
  ...shiftLowerings,
  ...fakeQuantizationLowerings,
  ...diagonalLowerings,
  ...countingLowerings,
  ...colorLowerings,
];

/** The registry of all ops that can be expressed in ONNX. */
export function createLoweringRegistry(): LoweringRegistry {
  const halves = lowerings.flatMap((lowering) => ofHalves(lowering) ?? []);
  return new LoweringRegistry().add(...lowerings, ...halves);
}

/** The registry of all ops that change variables and whose arithmetic can be expressed in ONNX. */
export function createUpdateRegistry(): LoweringRegistry<UpdateLowering> {
  const halves = updateLowerings.flatMap((lowering) => updateOfHalves(lowering) ?? []);
  return new LoweringRegistry<UpdateLowering>().add(...updateLowerings, ...halves);
}
