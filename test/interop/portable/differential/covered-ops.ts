/** Which ops the differential tests prove, and of which dtypes. */
import { type DType, dtypeOf } from "../../../../worker-runtime/protocol/dtype.js";
import type { Attrs } from "./op-case.js";
import { typeChoices } from "./op-spec.js";
import { programsByFamily } from "./programs/index.js";
import { buildProgram } from "./programs/program.js";
import { specsByFamily } from "./specs/index.js";

/** Ops that several tasks run together. */
const collectives = ["Reduce", "Gather", "BcastSend", "BcastRecv"].flatMap((name) => [
  `Collective${name}`,
  `Collective${name}V2`,
]);

/** Ops of input pipelines, gradients of branches and event files, which Python makes and reads: its programs run on both. */
const inUserPrograms = [
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

/**
 * Registered ops that no case names, each with the reason.
 * A master or executor makes or takes these nodes itself: every case that is fed or fetched is one of them.
 */
export const exemptOps: Readonly<Record<string, string>> = {
  _Arg: "the parameter of a function: programs with functions",
  _Retval: "the result of a function: programs with functions",
  _Send: "every fetch and every edge between devices",
  _Recv: "every feed and every edge between devices",
  _HostSend: "as _Send",
  _HostRecv: "as _Recv",
  _ArrayToList: "only a worker's own rewriting makes it",
  _ListToArray: "only a worker's own rewriting makes it",
  _SwitchN: "only the lowering of Case makes it: programs with Case",
  _FusedBatchNormEx: "only a master's optimizer makes it",
  _ReadVariablesOp: "only a worker's own rewriting makes it",
  _VarHandlesOp: "only a worker's own rewriting makes it",
  Abort: "ends TensorFlow's process",
  DeviceIndex: "only the lowering of multi-device functions makes it",
  FakeParam: "stands for a value that nobody reads",
  RefNextIteration: "as NextIteration; no client of TensorFlow makes loops of references",
  TensorSummary:
    "writes the same fields as TensorFlow in another order of bytes: TensorSummaryV2 is compared",
  Timestamp: "tells the time",
  TopK: "TensorFlow removed it in GraphDef version 7: TopKV2 is compared",
  AudioSummary: "TensorFlow removed it in GraphDef version 15: AudioSummaryV2 is compared",
  PlaceholderV2: "TensorFlow removed it in GraphDef version 23: Placeholder is compared",
  RandomPoisson: "TensorFlow removed it in GraphDef version 25: RandomPoissonV2 is compared",
  ...Object.fromEntries(collectives.map((op) => [op, "compared by collectives.test.ts"])),
  ...Object.fromEntries(inUserPrograms.map((op) => [op, "compared by user-programs.test.ts"])),
};

/** What is proven of an op. */
export interface Coverage {
  readonly op: string;
  /** The dtypes that its type attributes are given, in the order of the list of dtypes; empty for an op without any. */
  readonly dtypes: readonly DType[];
  /** Whether it is proven by a program of several steps, as it keeps or changes something. */
  readonly byProgram: boolean;
  readonly notes: readonly string[];
}

/** Every op of a spec or a program, by name. */
export function coverage(): ReadonlyMap<string, Coverage> {
  const byOp = new Map<string, { dtypes: Set<DType>; byProgram: boolean; notes: Set<string> }>();
  const entry = (op: string) => {
    const found = byOp.get(op) ?? { dtypes: new Set<DType>(), byProgram: false, notes: new Set<string>() };
    byOp.set(op, found);
    return found;
  };
  for (const spec of Object.values(specsByFamily).flat()) {
    const { dtypes, notes } = entry(spec.op);
    for (const dtype of typeChoices(spec).flatMap((types) => mainDTypes(types))) dtypes.add(dtype);
    if (spec.note !== undefined) notes.add(spec.note);
  }
  const bySpec = new Set(byOp.keys());
  for (const program of Object.values(programsByFamily).flat()) {
    const { graph } = buildProgram(program, "");
    const functions = graph.library?.function.flatMap((one) => one.nodeDef) ?? [];
    for (const node of [...graph.node, ...functions]) {
      const one = entry(node.op);
      if (!bySpec.has(node.op)) one.byProgram = true;
      for (const dtype of dtypesOfAttrs(node.attr)) one.dtypes.add(dtype);
    }
  }
  return new Map(
    [...byOp].map(([op, { dtypes, byProgram, notes }]) => [
      op,
      { op, dtypes: [...dtypes], byProgram, notes: [...notes] },
    ]),
  );
}

/** The dtypes of the values; those of indices and shapes only where an op has no others. */
function mainDTypes(types: Readonly<Record<string, DType>>): DType[] {
  const named = ["dtype", "SrcT", "Tparams", "Ta", "T", "out_type"].find((name) => types[name] !== undefined);
  const main = named === undefined ? [] : [types[named] as DType];
  return main.length > 0 ? main : Object.values(types);
}

function dtypesOfAttrs(attrs: ReadonlyMap<string, { value?: Attrs[string] }>): DType[] {
  const types = Object.fromEntries(
    [...attrs].flatMap(([name, { value }]) =>
      value?.$case === "type" ? [[name, dtypeOf(value.value)] as const] : [],
    ),
  );
  return mainDTypes(types);
}
