/** The op list as the panel shows it, with categories. Pure. */
import { texts } from "../texts/texts.js";

export const CATEGORIES = [
  "math",
  "linearAlgebra",
  "array",
  "neuralNet",
  "random",
  "reduction",
  "logic",
  "state",
  "training",
  "controlFlow",
  "text",
  "media",
  "sparse",
  "data",
  "lookup",
  "quantised",
  "distributed",
  "compiler",
  "debugging",
  "boostedTrees",
  "other",
] as const;
export type Category = (typeof CATEGORIES)[number];

export interface OpEntry {
  readonly name: string;
  readonly lower: string;
  readonly category: Category;
}

/** Tried in order; the first that matches the op's name decides. */
const RULES: readonly (readonly [RegExp, Category])[] = [
  [/^(Quantize|Dequantize|Requantiz|Quantized|FakeQuant|Uniform(Quant|Dequant|Requant))/, "quantised"],
  [/^(Sparse|Ragged|Deserialize.*Sparse|Serialize.*Sparse|.*SparseTensor)/, "sparse"],
  [/^BoostedTrees|BoostedTrees(Ensemble|Quantile)/, "boostedTrees"],
  [
    /^(Risc|Infeed|Outfeed|Prelinearize|KernelLabel|GlobalIterId)|TPU|Tpu|Xla|XLA|SparseCore|Minibatch|DedupData/,
    "compiler",
  ],
  [
    /^(Collective|Nccl|Send$|Recv$|CrossReplica|AllToAll|DTensor|Relayout|Rpc|WorkerHeartbeat|SyncDevice|Device)/,
    "distributed",
  ],
  [/Summary|^(Debug|Print|Assert|DumpTensor|Timestamp|StatsAggregator|CheckPinned|ImportEvent)/, "debugging"],
  [
    /(Dataset|Iterator|Reader|^Read|^Write|^Save|^Restore|^MergeV2Checkpoints|^SerializeTensor|^CompressElement|^UncompressElement|Calibration|Checkpoint|File|Record|^Decode(CSV|JSON|Proto|Raw|Padded|Compressed)|^Parse|^Encode(Proto))/,
    "data",
  ],
  [
    /(Queue|Barrier|HashTable|LookupTable|^Lookup|^Stage|Stage$|Unstage|^MapPeek|^MapSize|^OrderedMap|Stack(V2)?$(?<!^Pack)|TensorArray|TensorList|TensorMap|Accumulator|InitializeTable|^Optional|Mutex|SessionTensor|SessionHandle|^MapClear|^MapIncomplete|MemoryCache)/,
    "lookup",
  ],
  [
    /^(Resource(Sparse)?Apply|(Sparse)?Apply|.*(GradientDescent|Adagrad|Adadelta|Adam|Ftrl|RMSProp|Momentum))/,
    "training",
  ],
  [
    /^(Variable|VarHandle|VarIsInit|Assign|ReadVariable|Resource(Scatter|Gather|Strided|CountUpTo)|Scatter(Add|Sub|Mul|Div|Update|Min|Max|Nd(Add|Sub|Update))|IsVariableInitialized|DestroyResource|DestroyTemporary|TemporaryVariable|CountUpTo|.*VariableOp|DisableCopyOnRead)/,
    "state",
  ],
  [
    /^(If|While|Case|Switch|Merge|Enter|Exit|NextIteration|LoopCond|For|Abort|NoOp|ControlTrigger|PartitionedCall|StatefulPartitionedCall|RemoteCall|SymbolicGradient|StatelessIf|StatelessWhile|StatelessCase|Ref(Switch|Merge|Enter|Exit|NextIteration|Select)|ToBool|FakeParam|PyFunc|EagerPyFunc|BatchFunction|Batch$|Unbatch)/,
    "controlFlow",
  ],
  [
    /(Random|TruncatedNormal|^Stateful(Standard|Uniform)|StatelessShuffle|SeedGenerator|SobolSample|Multinomial|ShuffleSeed|Stateless.*(Uniform|Normal|Gamma|Poisson|Binomial)|^Rng|Sampler$)/,
    "random",
  ],
  [
    /^(MatMul|BatchMatMul|Matrix|BatchMatrix|Cholesky|BatchCholesky|Qr|Svd|BatchSvd|SelfAdjoint|BatchSelfAdjoint|Einsum|Eig|Lu$|Logm?Matrix|LogMatrixDeterminant|Cross$|Tridiagonal|BandedTriangular|Diag|Trace|FFT|IFFT|RFFT|IRFFT|BatchFFT|BatchIFFT)/,
    "linearAlgebra",
  ],
  [
    /(Conv|Pool|Relu|Elu$|EluGrad|Selu|Softmax|Softplus|Softsign|BiasAdd|BatchNorm|LRN|Dropout|CTC|GRU|LSTM|Rnn|RNN|TopK|InTopK|NthElement|Dilation|L2Loss|XentropyLoss|CrossEntropy|Data(Format)|FusedPad|FusedResize|Cudnn|NegTrain|Skipgram)/,
    "neuralNet",
  ],
  [
    /^(Sum|Mean|Prod|Max|Min|All|Any|ArgMax|ArgMin|Segment|UnsortedSegment|EuclideanNorm|Cum|Bincount|DenseBincount|Histogram|AddN|AccumulateN)/,
    "reduction",
  ],
  [
    /^(Equal|NotEqual|Less|Greater|Logical|Select|Where|Bitwise|Invert$|LeftShift|RightShift|Is(Finite|Inf|Nan)|ApproximateEqual)/,
    "logic",
  ],
  [
    /^(String|Regex|StaticRegex|AsString|Unicode|Substr|ReduceJoin|Base64|EncodeBase64|DecodeBase64|ToHashBucket|StringTo|Unsorted.*Join)/,
    "text",
  ],
  [
    /(Image|Jpeg|Png|Gif|Bmp|WebP|Resize(Area|Bicubic|Bilinear|Nearest|$)|CropAndResize|Glimpse|NonMax|RGBToHSV|HSVToRGB|AdjustContrast|AdjustHue|AdjustSaturation|Wav|Audio|Mfcc|DrawBounding|ScaleAndTranslate|BoundingBox)/,
    "media",
  ],
  [
    /^(Add|Sub|Mul|Div|Real|FloorDiv|FloorMod|Mod|TruncateDiv|TruncateMod|Pow|Sq|Rsqrt|Sqrt|Exp|Log|Abs|Neg|Sign|Sin|Cos|Tan|Asin|Acos|Atan|Erf|Lgamma|Digamma|Polygamma|Zeta|Igamma|Betainc|Bessel|Ceil|Floor|Round|Rint|Reciprocal|Inv|Maximum|Minimum|Complex|Conj|Real|Imag|Angle|Xlog|Xdivy|Ndtri|Dawsn|Spence|Fresnel|Expint|NextAfter|Cast|Clip|Tanh|Sigmoid|LinSpace|Range|Population|Bucketize)/,
    "math",
  ],
  [
    /^(Const|Placeholder|Identity|Shape|Size|Rank|Reshape|Squeeze|ExpandDims|Concat|Split|Pack|Unpack|Stack|Slice|StridedSlice|Gather|Tile|Transpose|Pad|MirrorPad|Fill|Zeros|Ones|Reverse|Roll|Broadcast|OneHot|Unique|Unravel|Invert|ScatterNd|TensorScatter|TensorStrided|SpaceTo|BatchTo|DepthTo|Extract|HostConst|RefIdentity|MakeUnique|Fingerprint|DenseToDense|Edit|ListDiff|Parallel|Empty|Inplace|DeepCopy|Copy|Snapshot|StopGradient|PreventGradient|CheckNumerics|Ensure|Bitcast|Dynamic|Lower|Upper|SearchSorted|Guarantee|Conjugate|ImmutableConst|Set)/,
    "array",
  ],
];

/** "Linear algebra", as the panel shows it. */
export function categoryText(category: Category): string {
  return texts.document.opEntries.categories[category];
}

export function categoryOf(op: string): Category {
  return RULES.find(([pattern]) => pattern.test(op))?.[1] ?? "other";
}

/** Ops that begin with an underscore are TensorFlow's own and not for graphs made by hand. */
export function opEntries(names: readonly string[]): OpEntry[] {
  return names
    .filter((name) => !name.startsWith("_"))
    .map((name) => ({ name, lower: name.toLowerCase(), category: categoryOf(name) }))
    .sort((one, other) => (one.lower < other.lower ? -1 : 1));
}
