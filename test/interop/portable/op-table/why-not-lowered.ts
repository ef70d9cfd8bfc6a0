/** Why pure ops of numbers have no lowering. Those of strings and those that keep something need no reason. */
const reasons: Readonly<Record<string, readonly string[]>> = {
  "complex numbers": [
    "Angle Complex ComplexAbs Conj Imag Real FFT FFT2D FFT3D IFFT IFFT2D IFFT3D IRFFT IRFFT2D IRFFT3D RFFT RFFT2D RFFT3D",
  ],
  "ONNX has no such function": [
    "BesselI0 BesselI0e BesselI1 BesselI1e Betainc Digamma Erfinv Igamma IgammaGradA Igammac Lgamma Ndtri NextAfter Polygamma",
    "Zeta RandomGammaGrad",
  ],
  "ONNX has no decompositions": [
    "BandedTriangularSolve Cholesky CholeskyGrad LogMatrixDeterminant Lu MatrixDeterminant MatrixInverse MatrixSolve",
    "MatrixSolveLs MatrixTriangularSolve Qr SelfAdjointEigV2 Svd TridiagonalMatMul TridiagonalSolve",
  ],
  "random numbers": [
    "AllCandidateSampler ComputeAccidentalHits StatelessMultinomial StatelessRandomBinomial StatelessRandomGammaV2",
    "StatelessRandomGammaV3 StatelessRandomGetAlg StatelessRandomGetKeyCounter StatelessRandomGetKeyCounterAlg",
    "StatelessRandomNormal StatelessRandomNormalV2 StatelessRandomPoisson StatelessRandomUniform",
    "StatelessRandomUniformFullInt StatelessRandomUniformFullIntV2 StatelessRandomUniformInt StatelessRandomUniformIntV2",
    "StatelessRandomUniformV2 StatelessSampleDistortedBoundingBox StatelessTruncatedNormal StatelessTruncatedNormalV2",
  ],
  "not written: the sizes of its results depend on values": [
    "DenseCountSparseOutput DenseToDenseSetOperation DenseToSparseSetOperation DynamicPartition ListDiff NonMaxSuppression",
    "NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionV4 NonMaxSuppressionV5 NonMaxSuppressionWithOverlaps",
    "CombinedNonMaxSuppression RaggedGather RaggedRange RaggedTensorToSparse RaggedTensorToTensor SetSize SparseAdd",
    "SparseConcat SparseCountSparseOutput SparseCross SparseCrossHashed SparseFillEmptyRows",
    "SparseReduceMax SparseReduceSum SparseReorder SparseSlice SparseSparseMaximum SparseSparseMinimum SparseSplit SparseToSparseSetOperation",
    "Unique UniqueV2 UniqueWithCounts UniqueWithCountsV2 CTCBeamSearchDecoder CTCGreedyDecoder",
  ],
  "its loops over elements depend on each other": [
    "CTCLoss Cumprod CumulativeLogsumexp EditDistance NthElement",
  ],
  strings: ["UnicodeScript"],
  "its bits are those of another dtype": ["Bitcast"],
  "a value, not a computation": ["Const Empty"],
  "TensorFlow's optimizer makes it for GPUs alone": ["_FusedBatchNormEx"],
  "for statistics, written by the host": ["HistogramFixedWidth HistogramSummary"],
  "no client makes it any more": ["TopK"],
  "the host branches on it": ["ToBool"],
  "not written: it reads pixels at computed coordinates, in a dozen passes over the result": [
    "CropAndResize CropAndResizeGradBoxes CropAndResizeGradImage ImageProjectiveTransformV2 ImageProjectiveTransformV3",
  ],
  "not written: the weights of its pixels depend on values": ["ScaleAndTranslate ScaleAndTranslateGrad"],
  "not written: a pass over the images for each pixel of the filter": [
    "Dilation2D Dilation2DBackpropFilter Dilation2DBackpropInput",
  ],
  "not written: only in second gradients": ["MaxPool3DGradGrad"],
  "draws for people to look at": ["DrawBoundingBoxes DrawBoundingBoxesV2"],
  "not written: it looks indices up or changes them, and computes little": [
    "SparseAddGrad SparseReshape SparseSoftmax",
  ],
};

/** The reason by op. */
export const whyNotLowered: ReadonlyMap<string, string> = new Map(
  Object.entries(reasons).flatMap(([reason, lines]) =>
    lines.flatMap((line) => line.split(" ").map((op): [string, string] => [op, reason])),
  ),
);
