/** Specs of the ops that are a function of their inputs. */
import type { OpSpec } from "../op-spec.js";
import { binarySpecs } from "./binary.js";
import { convolutionSpecs } from "./convolution.js";
import { countingSpecs } from "./counting.js";
import { indexingSpecs } from "./indexing.js";
import { joiningSpecs } from "./joining.js";
import { linearAlgebraSpecs } from "./linear-algebra.js";
import { neuralSpecs } from "./neural.js";
import { parsingSpecs } from "./parsing.js";
import { reductionSpecs } from "./reductions.js";
import { shapingSpecs } from "./shaping.js";
import { slicingSpecs } from "./slicing.js";
import { sparseSpecs } from "./sparse.js";
import { statelessRandomSpecs } from "./stateless-random.js";
import { stringSpecs } from "./strings.js";
import { unarySpecs } from "./unary.js";

export const specsByFamily: Readonly<Record<string, readonly OpSpec[]>> = {
  "one tensor, element by element": unarySpecs,
  "two tensors, element by element": binarySpecs,
  "reductions and segments": reductionSpecs,
  "shapes and order": shapingSpecs,
  "joining and taking apart": joiningSpecs,
  "cutting out and padding": slicingSpecs,
  "picking, placing and making elements": indexingSpecs,
  "matrices and neural networks": neuralSpecs,
  "matrices as a whole": linearAlgebraSpecs,
  "convolutions and pools": convolutionSpecs,
  "sparse sums, counts and blocks": countingSpecs,
  "sparse tensors and sets": sparseSpecs,
  strings: stringSpecs,
  "records and file names": parsingSpecs,
  "random numbers of a seed": statelessRandomSpecs,
};
