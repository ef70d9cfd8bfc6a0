/** Specs of the ops that are a function of their inputs. */
import type { OpSpec } from "../op-spec.js";
import { binarySpecs } from "./binary.js";
import { boxSpecs } from "./boxes.js";
import { convolutionSpecs } from "./convolution.js";
import { countingSpecs } from "./counting.js";
import { decompositionSpecs } from "./decompositions.js";
import { distributionSpecs } from "./distributions.js";
import { imageFileSpecs } from "./image-files.js";
import { imageSpecs } from "./images.js";
import { indexingSpecs } from "./indexing.js";
import { joiningSpecs } from "./joining.js";
import { linearAlgebraSpecs } from "./linear-algebra.js";
import { neuralSpecs } from "./neural.js";
import { parsingSpecs } from "./parsing.js";
import { raggedSpecs } from "./ragged.js";
import { recognitionSpecs } from "./recognition.js";
import { reductionSpecs } from "./reductions.js";
import { shapingSpecs } from "./shaping.js";
import { signalSpecs } from "./signal.js";
import { slicingSpecs } from "./slicing.js";
import { soundSpecs } from "./sounds.js";
import { sparseSpecs } from "./sparse.js";
import { statelessRandomSpecs } from "./stateless-random.js";
import { stringSpecs } from "./strings.js";
import { unarySpecs } from "./unary.js";
import { unicodeSpecs } from "./unicode.js";
import { volumeSpecs } from "./volumes.js";

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
  "decompositions and diagonals": decompositionSpecs,
  images: imageSpecs,
  "boxes in images": boxSpecs,
  "files of images": imageFileSpecs,
  "distributions and quantization": distributionSpecs,
  "recognition and dilation": recognitionSpecs,
  "signals and spectra": signalSpecs,
  "convolutions and pools": convolutionSpecs,
  "sparse sums, counts and blocks": countingSpecs,
  "sparse tensors and sets": sparseSpecs,
  strings: stringSpecs,
  "unicode and ngrams": unicodeSpecs,
  "ragged tensors": raggedSpecs,
  "records and file names": parsingSpecs,
  "volumes, counts and sparse gradients": volumeSpecs,
  sounds: soundSpecs,
  "random numbers of a seed": statelessRandomSpecs,
};
