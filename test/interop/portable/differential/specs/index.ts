/** Specs of the ops that are a function of their inputs. */
import type { OpSpec } from "../op-spec.js";
import { binarySpecs } from "./binary.js";
import { boxSpecs } from "./boxes.js";
import { byteImageSpecs } from "./byte-images.js";
import { complexSpecs } from "./complex.js";
import { complexFoldSpecs } from "./complex-folds.js";
import { complexMatrixSpecs } from "./complex-matrices.js";
import { convolutionSpecs } from "./convolution.js";
import { countingSpecs } from "./counting.js";
import { debuggingSpecs } from "./debugging.js";
import { decompositionSpecs } from "./decompositions.js";
import { distributionSpecs } from "./distributions.js";
import { featureCrossSpecs } from "./feature-crosses.js";
import { imageFileSpecs } from "./image-files.js";
import { imageTypeSpecs } from "./image-types.js";
import { imageSpecs } from "./images.js";
import { indexingSpecs } from "./indexing.js";
import { joiningSpecs } from "./joining.js";
import { linearAlgebraSpecs } from "./linear-algebra.js";
import { neuralSpecs } from "./neural.js";
import { otherDtypeSpecs } from "./other-dtypes.js";
import { parsingSpecs } from "./parsing.js";
import { raggedSpecs } from "./ragged.js";
import { recognitionSpecs } from "./recognition.js";
import { reductionSpecs } from "./reductions.js";
import { refusedSpecs } from "./refused.js";
import { rejectionDrawSpecs } from "./rejection-draws.js";
import { shapingSpecs } from "./shaping.js";
import { signalSpecs } from "./signal.js";
import { slicingSpecs } from "./slicing.js";
import { soundSpecs } from "./sounds.js";
import { sparseSpecs } from "./sparse.js";
import { statelessRandomSpecs } from "./stateless-random.js";
import { stringSpecs } from "./strings.js";
import { unarySpecs } from "./unary.js";
import { unicodeSpecs } from "./unicode.js";
import { volumeConvolutionSpecs } from "./volume-convolution.js";
import { volumeSpecs } from "./volumes.js";

export const specsByFamily: Readonly<Record<string, readonly OpSpec[]>> = {
  "one tensor, element by element": unarySpecs,
  "watched tensors": debuggingSpecs,
  "two tensors, element by element": binarySpecs,
  "complex numbers": complexSpecs,
  "sums and products of complex numbers": complexFoldSpecs,
  "reductions and segments": reductionSpecs,
  "other dtypes": otherDtypeSpecs,
  "shapes and order": shapingSpecs,
  "joining and taking apart": joiningSpecs,
  "cutting out and padding": slicingSpecs,
  "picking, placing and making elements": indexingSpecs,
  "matrices and neural networks": neuralSpecs,
  "matrices as a whole": linearAlgebraSpecs,
  "complex matrices": complexMatrixSpecs,
  "decompositions and diagonals": decompositionSpecs,
  images: imageSpecs,
  "images of other dtypes": imageTypeSpecs,
  "boxes in images": boxSpecs,
  "files of images": imageFileSpecs,
  "files of images of bytes": byteImageSpecs,
  "distributions and quantization": distributionSpecs,
  "recognition and dilation": recognitionSpecs,
  "signals and spectra": signalSpecs,
  "convolutions and pools": convolutionSpecs,
  "sparse sums, counts and blocks": countingSpecs,
  "sparse tensors and sets": sparseSpecs,
  "crosses of features": featureCrossSpecs,
  strings: stringSpecs,
  "unicode and ngrams": unicodeSpecs,
  "ragged tensors": raggedSpecs,
  "records and file names": parsingSpecs,
  "volumes, counts and sparse gradients": volumeSpecs,
  "convolutions of volumes": volumeConvolutionSpecs,
  sounds: soundSpecs,
  "random numbers of a seed": statelessRandomSpecs,
  "draws by rejection": rejectionDrawSpecs,
  "dtypes without a kernel": refusedSpecs,
};
