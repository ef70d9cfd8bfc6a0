/** Registered (op, dtype) pairs that no case compares, each with the reason and what covers it instead. */
import type { DType } from "../../../../worker-runtime/protocol/dtype.js";
import { dataTypes } from "./arbitraries.js";
import type { Exceptions } from "./coverage.js";
import { pairText } from "./registered-pairs.js";

/** Pairs of some ops. Each of them must be registered, and none of them compared. */
interface Entry {
  readonly ops: readonly string[];
  /** The attribute's dtypes; every dtype of every attribute unless given. */
  readonly of?: Readonly<Record<string, readonly DType[]>>;
  readonly why: string;
}

const except = (...some: readonly DType[]): DType[] => dataTypes.filter((dtype) => !some.includes(dtype));

/** Ops that several tasks run together. */
const collectives = ["Reduce", "Gather", "BcastSend", "BcastRecv"].flatMap((name) => [
  `Collective${name}`,
  `Collective${name}V2`,
]);

/** Ops of input pipelines, of optional values and of event files, which Python makes and reads. */
const inPythonPrograms = [
  "AnonymousMemoryCache",
  "AssertCardinalityDataset",
  "BatchDataset",
  "BatchDatasetV2",
  "CSVDatasetV2",
  "CacheDataset",
  "CacheDatasetV2",
  "CloseSummaryWriter",
  "ConcatenateDataset",
  "CreateSummaryFileWriter",
  "DatasetCardinality",
  "DatasetToSingleElement",
  "DenseToSparseBatchDataset",
  "DeserializeManySparse",
  "DeserializeSparse",
  "DirectedInterleaveDataset",
  "DummyMemoryCache",
  "ExperimentalDatasetCardinality",
  "FilterDataset",
  "FinalizeDataset",
  "FixedLengthRecordDatasetV2",
  "FlatMapDataset",
  "FlushSummaryWriter",
  "GroupByWindowDataset",
  "IgnoreErrorsDataset",
  "ImageSummary",
  "ImportEvent",
  "InterleaveDataset",
  "Iterator",
  "IteratorFromStringHandle",
  "IteratorFromStringHandleV2",
  "IteratorGetNext",
  "IteratorGetNextAsOptional",
  "IteratorGetNextSync",
  "IteratorToStringHandle",
  "IteratorV2",
  "LegacyParallelInterleaveDatasetV2",
  "ListDataset",
  "MakeIterator",
  "MapAndBatchDataset",
  "MapDataset",
  "MaxIntraOpParallelismDataset",
  "ModelDataset",
  "OneShotIterator",
  "OptimizeDataset",
  "OptionalFromValue",
  "OptionalGetValue",
  "OptionalHasValue",
  "OptionalNone",
  "OptionsDataset",
  "PaddedBatchDatasetV2",
  "ParallelBatchDataset",
  "ParallelInterleaveDatasetV4",
  "ParallelMapDataset",
  "ParallelMapDatasetV2",
  "ParseExampleDatasetV2",
  "ParseSequenceExampleV2",
  "PrefetchDataset",
  "PrivateThreadPoolDataset",
  "RandomDataset",
  "RangeDataset",
  "RebatchDatasetV2",
  "ReduceDataset",
  "RepeatDataset",
  "RewriteDataset",
  "ScanDataset",
  "SerializeManySparse",
  "SerializeSparse",
  "ShardDataset",
  "ShuffleAndRepeatDataset",
  "ShuffleDataset",
  "ShuffleDatasetV3",
  "SkipDataset",
  "SparseTensorSliceDataset",
  "SummaryWriter",
  "TFRecordDataset",
  "TakeDataset",
  "TakeWhileDataset",
  "TensorDataset",
  "TensorSliceDataset",
  "TextLineDataset",
  "UnbatchDataset",
  "UniqueDataset",
  "WindowDataset",
  "WriteAudioSummary",
  "WriteGraphSummary",
  "WriteHistogramSummary",
  "WriteImageSummary",
  "WriteRawProtoSummary",
  "WriteScalarSummary",
  "WriteSummary",
  "ZipDataset",
];

const generators = [
  "StatefulUniform",
  "StatefulStandardNormalV2",
  "StatefulTruncatedNormal",
  "StatefulUniformFullInt",
  "StatefulUniformInt",
];

/** By whom an op is used whose nodes no client makes. */
const madeWithin = (why: string, ...ops: string[]): Entry => ({ ops, why });

/** The dtypes of tables. */
const keyTypes: readonly DType[] = ["int32", "int64", "string"];
const valueTypes: readonly DType[] = ["float32", "float64", "int32", "int64", "bool", "string"];
const noSuchTable = "no table is of this dtype";
const toBoolLacks: readonly DType[] = ["float16", "bfloat16", "uint16", "uint32", "uint64"];

const entries: readonly Entry[] = [
  madeWithin("every fetch and every edge between devices", "_Send", "_HostSend"),
  madeWithin("every feed and every edge between devices", "_Recv", "_HostRecv"),
  madeWithin(
    "only a worker's own rewriting makes it",
    "_ArrayToList",
    "_ListToArray",
    "_ReadVariablesOp",
    "_VarHandlesOp",
  ),
  madeWithin("only the lowering of Case makes it: programs with Case", "_SwitchN"),
  madeWithin("only the lowering of functions on several devices makes it", "DeviceIndex"),
  madeWithin("stands for a value that nobody reads", "FakeParam"),
  madeWithin("no client makes loops of references; NextIteration is compared", "RefNextIteration"),
  { ops: ["Abort"], why: "ends TensorFlow's process" },
  { ops: ["Timestamp"], why: "tells the time" },
  { ops: ["Placeholder", "PlaceholderV2"], why: "is always fed, so that it never runs" },
  {
    ops: ["TensorSummary"],
    why: "writes the fields of TensorFlow in another order of bytes: TensorSummaryV2 is compared",
  },
  { ops: collectives, why: "several tasks run them together: collectives.test.ts" },
  { ops: inPythonPrograms, why: "whole Python programs run on both engines: user-programs.test.ts" },
  {
    ops: ["ConjugateTranspose"],
    of: { T: ["string"] },
    why: "TensorFlow's process ends",
  },
  {
    ops: ["UnicodeDecodeWithOffsets"],
    of: { Tsplits: ["int32"] },
    why: "TensorFlow's process ends",
  },
  { ops: ["StatefulRandomBinomial"], of: { S: ["int64"] }, why: "TensorFlow's process ends" },
  {
    ops: ["If", "StatelessIf"],
    of: { Tcond: [...toBoolLacks, "complex64", "complex128"] },
    why: "TensorFlow's process ends",
  },
  { ops: ["ToBool"], of: { T: toBoolLacks }, why: "both engines refuse it when it runs" },
  {
    ops: ["Round"],
    of: { T: ["int32", "int64"] },
    why: "TensorFlow 2.21 makes 0 of every whole number",
  },
  {
    ops: ["ArgMax"],
    of: { Tidx: ["int16"] },
    why: "TensorFlow reads an axis of int16 as if it was of int32",
  },
  {
    ops: ["DecodeRaw"],
    of: { out_type: ["bool"] },
    why: "TensorFlow keeps bytes that are no bool as they are",
  },
  {
    ops: ["StatelessRandomUniformFullInt"],
    of: { Tseed: ["uint32", "uint64"] },
    why: "both engines refuse such seeds when they run",
  },
  {
    ops: generators,
    of: { shape_dtype: except("int32", "int64") },
    why: "both engines refuse such shapes when they run",
  },
  {
    ops: ["Accumulator", "ResourceAccumulator", "SparseAccumulator"].flatMap((kind) => [
      `${kind}ApplyGradient`,
      `${kind}TakeGradient`,
    ]),
    of: { dtype: except("float16", "float32", "float64", "bool", "string") },
    why: "no accumulator has this dtype",
  },
  {
    ops: ["", "V2"].flatMap((v) => [`LookupTableFind${v}`, `LookupTableInsert${v}`, `LookupTableImport${v}`]),
    of: { Tin: except(...keyTypes), Tout: except(...valueTypes) },
    why: noSuchTable,
  },
  {
    ops: ["InitializeTable", "InitializeTableV2"],
    of: { Tkey: except(...keyTypes), Tval: except(...valueTypes) },
    why: noSuchTable,
  },
  {
    ops: ["LookupTableExport", "LookupTableExportV2"],
    of: { Tkeys: except(...keyTypes), Tvalues: except(...valueTypes) },
    why: noSuchTable,
  },
  { ops: ["LookupTableRemoveV2"], of: { Tin: except(...keyTypes) }, why: noSuchTable },
  { ops: ["TopK"], why: "TensorFlow can no longer make its own kernel: TopKV2 is compared" },
  { ops: ["Where"], of: { T: ["float16"] }, why: "both engines refuse it when it runs" },
  {
    ops: ["SparseAdd"],
    of: { Treal: ["float16", "bfloat16", "int64", "uint8", "uint16", "uint32", "uint64"] },
    why: "TensorFlow reads a threshold of it as if it was of T",
  },
  {
    ops: ["_FusedConv2D"],
    of: { T: ["float16", "float64"], TArgs: except("float32") },
    why: "only a master's optimizer makes it; of float32 it is compared",
  },
];

export const coveredOtherwise: Exceptions = Object.fromEntries(
  entries.flatMap(({ ops, of, why }) =>
    ops.flatMap((op) =>
      of === undefined
        ? [[`${op} *`, why]]
        : Object.entries(of).flatMap(([attr, list]) => list.map((dtype) => [pairText(op, attr, dtype), why])),
    ),
  ),
);
