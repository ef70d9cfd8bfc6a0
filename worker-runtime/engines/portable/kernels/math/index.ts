import type { KernelDefinition } from "../kernel.js";
import { addNKernels } from "./add-n.js";
import { argReductionKernels } from "./arg-reduce.js";
import { arithmeticKernels } from "./arithmetic.js";
import { bitwiseKernels } from "./bitwise.js";
import { castKernels } from "./cast.js";
import { comparisonKernels } from "./comparison.js";
import { complexKernels } from "./complex.js";
import { complexFoldKernels } from "./complex-folds.js";
import { complexFunctionKernels } from "./complex-functions.js";
import { countingKernels } from "./counting.js";
import { cumulativeKernels } from "./cumulative.js";
import { distributionKernels } from "./distribution-kernels.js";
import { elementaryKernels } from "./elementary.js";
import { fakeQuantizationKernels } from "./fake-quantization.js";
import { functionGradientKernels } from "./function-gradients.js";
import { integerDivisionKernels } from "./integer-division.js";
import { nextAfterKernels } from "./next-after.js";
import { nthElementKernel } from "./nth-element.js";
import { reductionKernels } from "./reduce.js";
import { segmentKernels } from "./segment.js";
import { selectKernels } from "./select.js";
import { sequenceKernels } from "./sequences.js";
import { topKKernels } from "./top-k.js";

/** Element-wise ops, reductions, segments, sorting and counting. */
export const mathKernels: readonly KernelDefinition[] = [
  ...arithmeticKernels,
  ...integerDivisionKernels,
  ...bitwiseKernels,
  ...comparisonKernels,
  ...elementaryKernels,
  ...functionGradientKernels,
  ...nextAfterKernels,
  ...complexKernels,
  ...complexFunctionKernels,
  ...complexFoldKernels,
  ...addNKernels,
  ...castKernels,
  ...selectKernels,
  ...reductionKernels,
  ...argReductionKernels,
  ...cumulativeKernels,
  ...segmentKernels,
  ...sequenceKernels,
  ...topKKernels,
  ...countingKernels,
  ...distributionKernels,
  ...fakeQuantizationKernels,
  nthElementKernel,
];
