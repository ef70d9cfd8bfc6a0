/** The search for ops and layers by their names, by what people call them, and by what their help says. Pure. */
import { LAYER_NAMES, type LayerName } from "../../worker-runtime/graph/layers/layer-names.js";
import type { OpEntry } from "./op-entries.js";
import { opHelp } from "./op-help.js";

export interface OpMatch {
  readonly entry: OpEntry;
  /** The positions of the searched words in the name; empty without a search. */
  readonly ranges: readonly (readonly [start: number, end: number])[];
}

/** Other names of ops that people type: signs, Python's and NumPy's functions. The best op comes first. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    "+": ["AddV2", "Add", "AddN"],
    "-": ["Sub", "Neg"],
    "*": ["Mul", "MatMul"],
    "×": ["Mul", "MatMul"],
    "·": ["Mul", "MatMul"],
    "/": ["RealDiv", "Div"],
    "÷": ["RealDiv", "Div"],
    "//": ["FloorDiv"],
    "%": ["FloorMod"],
    "@": ["MatMul", "BatchMatMulV2"],
    "**": ["Pow"],
    "^": ["Pow", "BitwiseXor"],
    "==": ["Equal"],
    "=": ["Equal"],
    "!=": ["NotEqual"],
    "≠": ["NotEqual"],
    "<": ["Less", "LessEqual"],
    "<=": ["LessEqual"],
    "≤": ["LessEqual"],
    ">": ["Greater", "GreaterEqual"],
    ">=": ["GreaterEqual"],
    "≥": ["GreaterEqual"],
    "&": ["LogicalAnd", "BitwiseAnd"],
    "&&": ["LogicalAnd"],
    "|": ["LogicalOr", "BitwiseOr"],
    "||": ["LogicalOr"],
    "!": ["LogicalNot"],
    "~": ["LogicalNot", "Invert"],
    "<<": ["LeftShift"],
    ">>": ["RightShift"],
    "√": ["Sqrt"],
    Σ: ["Sum"],
    "∑": ["Sum"],
    plus: ["AddV2", "Add", "AddN"],
    addition: ["AddV2", "Add", "AddN"],
    minus: ["Sub", "Neg"],
    subtract: ["Sub"],
    subtraction: ["Sub"],
    difference: ["Sub", "SquaredDifference"],
    times: ["Mul", "MatMul"],
    multiply: ["Mul", "MatMul"],
    multiplication: ["Mul", "MatMul"],
    product: ["Mul", "MatMul", "Prod"],
    dot: ["MatMul", "Einsum"],
    divide: ["RealDiv", "Div", "FloorDiv"],
    division: ["RealDiv", "Div", "FloorDiv"],
    remainder: ["FloorMod", "Mod"],
    modulo: ["FloorMod", "Mod"],
    power: ["Pow"],
    root: ["Sqrt"],
    absolute: ["Abs"],
    negative: ["Neg"],
    negate: ["Neg"],
    average: ["Mean"],
    total: ["Sum"],
    logarithm: ["Log"],
    exponential: ["Exp"],
    convert: ["Cast"],
    astype: ["Cast"],
    flatten: ["Reshape"],
    permute: ["Transpose"],
    stack: ["Pack"],
    unstack: ["Unpack"],
    join: ["ConcatV2", "StringJoin"],
    append: ["ConcatV2"],
    crop: ["Slice", "StridedSlice"],
    sort: ["TopKV2"],
    length: ["Size", "Shape", "StringLength"],
    convolution: ["Conv2D", "Conv3D"],
    bias: ["BiasAdd"],
    loss: ["SparseSoftmaxCrossEntropyWithLogits", "SoftmaxCrossEntropyWithLogits", "L2Loss"],
    input: ["Placeholder", "PlaceholderWithDefault"],
    feed: ["Placeholder"],
    constant: ["Const"],
    reduce_sum: ["Sum"],
    reduce_mean: ["Mean"],
    reduce_max: ["Max"],
    reduce_min: ["Min"],
    reduce_prod: ["Prod"],
    reduce_all: ["All"],
    reduce_any: ["Any"],
  }),
);

/** The ops that have synonyms. */
export const SYNONYM_OPS: readonly string[] = [...new Set([...SYNONYMS.values()].flat())];

/** The lowest ranks are those of synonyms: who types "stack" means Pack rather than Stack, an op of queues. */
const EXACT = 10;
const BEGINS = 100;
const CONTAINS = 1000;

/**
 * Finds ops of which every searched word is in the name or in what people call them: those that people call so
 * first, then the op of this name, names that begin with the first word, and the rest. If there are none, finds those whose
 * help has the words.
 */
export function searchOps(entries: readonly OpEntry[], query: string): OpMatch[] {
  const words = wordsOf(query);
  if (words.length === 0) return entries.map((entry) => ({ entry, ranges: [] }));
  const matches: (OpMatch & { rank: number })[] = [];
  for (const entry of entries) {
    const found = words.map((word) => findWord(entry, word));
    if (!found.every((one) => one !== undefined)) continue;
    const ranges = found.map(({ range }) => range).sort((one, other) => one[0] - other[0]);
    matches.push({ entry, ranges, rank: found[0]?.rank ?? 0 });
  }
  return matches.length > 0
    ? matches.sort((one, other) => one.rank - other.rank)
    : entries.filter(({ name }) => helpHas(name, words)).map((entry) => ({ entry, ranges: [] }));
}

function wordsOf(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean);
}

interface FoundWord {
  readonly range: readonly [start: number, end: number];
  readonly rank: number;
}

function findWord({ name, lower }: OpEntry, word: string): FoundWord | undefined {
  const called = SYNONYMS.get(word)?.indexOf(name) ?? -1;
  if (called >= 0) return { range: [0, name.length], rank: called };
  for (const wanted of new Set([word, word.replaceAll("_", "")])) {
    const start = wanted === "" ? -1 : lower.indexOf(wanted);
    if (start < 0) continue;
    const rank = lower === wanted ? EXACT : name.length + (start === 0 ? BEGINS : CONTAINS);
    return { range: [start, start + wanted.length], rank };
  }
  return undefined;
}

/** Tells that each word begins one of the help's. */
function helpHas(op: string, words: readonly string[]): boolean {
  const help = ` ${opHelp(op)?.toLowerCase() ?? ""}`;
  return words.every((word) => help.includes(` ${word}`));
}

/** Other names of layers that people type. */
const LAYER_SYNONYMS: Readonly<Partial<Record<LayerName, string>>> = {
  Dense: "linear fullyconnected",
  BatchNorm: "batchnormalization",
  LayerNorm: "layernormalization",
  MultiHeadAttention: "transformer",
  CrossEntropyLoss: "categoricalcrossentropy",
  MeanSquaredError: "mse loss",
  ArrayPipeline: "dataset",
  CsvPipeline: "dataset",
  TextPipeline: "dataset",
  TFRecordPipeline: "dataset",
};

/** Shorter queries are in most names. */
const SHORTEST_OF_LAYERS = 3;

/** The layers of *Add a layer* that are called so. */
export function searchLayers(query: string): LayerName[] {
  const wanted = query.toLowerCase().replaceAll(/[\s_-]+/g, "");
  if (wanted.length < SHORTEST_OF_LAYERS) return [];
  return LAYER_NAMES.filter((name) => `${name.toLowerCase()} ${LAYER_SYNONYMS[name] ?? ""}`.includes(wanted));
}
