/**
 * Input pipelines of tf.data as blocks: a source, shuffling, epochs, batches and prefetching, then an iterator with the
 * operation that begins it. Only ops that both engines have, and none that calls a function.
 */
import type { DType } from "../../protocol/dtype.js";
import { invalidArgument } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import type { Output } from "../operation.js";
import { constant } from "../ops/index.js";
import type { LayerBuilder, LayerField, LayerInput, LayerSpec } from "./layer.js";

/** One component of a dataset's elements. */
interface Component {
  readonly dtype: DType;
  /** The shape of one element. */
  readonly shape: readonly number[];
}

/** A dataset of elements that are not batched yet, or of batches. */
interface Stream {
  readonly dataset: Output;
  readonly components: readonly Component[];
}

const BATCHING: readonly LayerField[] = [
  { name: "batch", label: "Batch", kind: "int", initial: 32, min: 1 },
  { name: "dropLast", label: "Drop an incomplete batch", kind: "flag", initial: false },
  { name: "shuffle", label: "Shuffle buffer (0: in order)", kind: "int", initial: 0, min: 0 },
  { name: "seed", label: "Seed (0: another order in each run)", kind: "int", initial: 0, min: 0 },
  { name: "epochs", label: "Epochs (0: without end)", kind: "int", initial: 0, min: 0 },
  { name: "prefetch", label: "Prefetched batches", kind: "int", initial: 1, min: 0 },
];

const FILES: LayerField = {
  ...{ name: "files", label: "Files, on the machine of the task", kind: "text", initial: "" },
  ...{ hint: "/data/train-0.csv, /data/train-1.csv" },
};

/** As tf.data.experimental.CsvDataset has it by default. */
const CSV_BUFFER_BYTES = 4 << 20;

const int64 = (layer: LayerBuilder, value: number, name: string) =>
  constant(layer.graph, Tensor.of(value, "int64"), { name });
const strings = (layer: LayerBuilder, values: readonly string[], name: string) =>
  constant(layer.graph, Tensor.of(values, "string", [values.length]), { name });
const text = (layer: LayerBuilder, value: string, name: string) =>
  constant(layer.graph, Tensor.of(value), { name });
const flag = (layer: LayerBuilder, value: boolean, name: string) =>
  constant(layer.graph, Tensor.of(value), { name });

function typesOf(components: readonly Component[]) {
  return {
    output_types: components.map(({ dtype }) => dtype),
    output_shapes: components.map(({ shape }) => shape),
  };
}

/** Words between commas. */
function listed(value: string): string[] {
  return value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function fileNames(layer: LayerBuilder): Output {
  const names = listed(layer.text("files"));
  if (names.length === 0) throw invalidArgument(`${layer.layer} needs the path of a file.`);
  return strings(layer, names, "files");
}

/** As `dataset.shuffle(buffer, seed).repeat(epochs).batch(size, drop_remainder)`. */
function batched(layer: LayerBuilder, { dataset, components }: Stream): Stream {
  const types = typesOf(components);
  const [buffer, seed, epochs] = [layer.number("shuffle"), layer.number("seed"), layer.number("epochs")];
  const shuffled =
    buffer === 0
      ? dataset
      : layer.op(
          "ShuffleDataset",
          [
            dataset,
            int64(layer, buffer, "buffer_size"),
            int64(layer, seed, "seed"),
            // Two zeros would stand for a seed of chance.
            int64(layer, seed, "seed2"),
          ],
          { reshuffle_each_iteration: true, ...types },
          "shuffle",
        );
  const repeated =
    epochs === 1
      ? shuffled
      : layer.op(
          "RepeatDataset",
          [shuffled, int64(layer, epochs === 0 ? -1 : epochs, "count")],
          types,
          "repeat",
        );
  const dropsLast = layer.flag("dropLast");
  const size = layer.number("batch");
  const batches = components.map(({ dtype, shape }) => ({ dtype, shape: [dropsLast ? size : -1, ...shape] }));
  const batch = layer.op(
    "BatchDatasetV2",
    [repeated, int64(layer, size, "batch_size"), flag(layer, dropsLast, "drop_remainder")],
    typesOf(batches),
    "batch",
  );
  return { dataset: batch, components: batches };
}

/** The next batch; `make_iterator` begins anew. */
function iterated(layer: LayerBuilder, stream: Stream): readonly Output[] {
  const types = typesOf(stream.components);
  const prefetched = layer.number("prefetch");
  const dataset =
    prefetched === 0
      ? stream.dataset
      : layer.op(
          "PrefetchDataset",
          [stream.dataset, int64(layer, prefetched, "prefetched")],
          types,
          "prefetch",
        );
  const iterator = layer.op("IteratorV2", [], { shared_name: "", container: "", ...types }, "iterator");
  layer.operation("MakeIterator", [dataset, iterator], {}, "make_iterator");
  return layer.operation("IteratorGetNext", [iterator], types, "next").outputs;
}

/** Datasets and what iterates over them are on the CPU on every engine. */
function onCpu<T>(layer: LayerBuilder, make: () => T): T {
  return layer.graph.withDevice("/device:CPU:*", make);
}

const LABELS: LayerInput = { name: "labels", dtype: "int32", shape: [-1] };

export const arrayPipeline: LayerSpec = {
  name: "ArrayPipeline",
  description:
    "Batches of the rows of an array that is fed or constant, as tf.data.Dataset.from_tensor_slices makes them.",
  takes: "any",
  others: [LABELS],
  fields: [
    { name: "labels", label: "With labels, an array of their own", kind: "flag", initial: true },
    ...BATCHING,
  ],
  build(layer, input) {
    const { shape } = input;
    if (shape === undefined || shape.length === 0) {
      throw invalidArgument("ArrayPipeline takes an array of rows, whose number of dimensions is known.");
    }
    const arrays = layer.flag("labels") ? [input, layer.other("labels")] : [input];
    const components = arrays.map((array) => ({ dtype: array.dtype, shape: (array.shape ?? []).slice(1) }));
    const [features = input, labels] = onCpu(layer, () => {
      const { output_types: Toutput_types, output_shapes } = typesOf(components);
      const dataset = layer.op("TensorSliceDataset", [arrays], { Toutput_types, output_shapes }, "slices");
      return iterated(layer, batched(layer, { dataset, components }));
    });
    return new Map([["features", features], ...(labels ? [["labels", labels] as const] : [])]);
  },
};

export const csvPipeline: LayerSpec = {
  name: "CsvPipeline",
  description:
    "Batches of the rows of CSV files of numbers: one column is the label, the others the features.",
  takes: "nothing",
  fields: [
    FILES,
    { name: "columns", label: "Columns", kind: "int", initial: 2, min: 1 },
    { name: "label", label: "Column of the label (0: none)", kind: "int", initial: 0, min: 0 },
    { name: "header", label: "The first line has names", kind: "flag", initial: true },
    { name: "delimiter", label: "Delimiter", kind: "text", initial: "," },
    ...BATCHING,
  ],
  build(layer) {
    const [count, label] = [layer.number("columns"), layer.number("label")];
    if (label > count || (label > 0 && count === 1)) {
      throw invalidArgument(`CsvPipeline reads ${count} columns; column ${label} cannot be their label.`);
    }
    const components = Array.from({ length: count }, () => ({ dtype: "float32" as const, shape: [] }));
    const values = onCpu(layer, () => {
      const dataset = layer.op(
        "CSVDatasetV2",
        [
          fileNames(layer),
          text(layer, "", "compression_type"),
          int64(layer, CSV_BUFFER_BYTES, "csv_buffer_size"),
          flag(layer, layer.flag("header"), "header"),
          text(layer, layer.text("delimiter"), "field_delim"),
          flag(layer, true, "use_quote_delim"),
          text(layer, "", "na_value"),
          constant(layer.graph, Tensor.of([], "int64", [0]), { name: "select_cols" }),
          // A field that is empty counts as 0.
          components.map((_, column) =>
            constant(layer.graph, Tensor.of([0], "float32", [1]), { name: `default_${column}` }),
          ),
          constant(layer.graph, Tensor.of([], "int64", [0]), { name: "exclude_cols" }),
        ],
        {
          output_types: components.map(({ dtype }) => dtype),
          output_shapes: components.map(({ shape }) => shape),
        },
        "rows",
      );
      return iterated(layer, batched(layer, { dataset, components }));
    });
    const features = values.filter((_, column) => column !== label - 1);
    const packed = layer.op("Pack", [features], { axis: 1 }, "columns");
    const labels = values[label - 1];
    return new Map([
      ["features", packed],
      ...(labels ? [["labels", layer.op("Cast", [labels], { DstT: "int32" })] as const] : []),
    ]);
  },
};

export const textPipeline: LayerSpec = {
  name: "TextPipeline",
  description: "Batches of the lines of text files, as strings.",
  takes: "nothing",
  fields: [FILES, ...BATCHING],
  build(layer) {
    const components = [{ dtype: "string" as const, shape: [] }];
    const [lines] = onCpu(layer, () => {
      const inputs = [fileNames(layer), text(layer, "", "compression_type"), int64(layer, 0, "buffer_size")];
      const dataset = layer.op("TextLineDataset", inputs, {}, "lines_of_files");
      return iterated(layer, batched(layer, { dataset, components }));
    });
    return lines ? new Map([["lines", lines]]) : new Map();
  },
};

/** "image:float32[784]", as tf.io.FixedLenFeature([784], tf.float32). */
const FEATURE = /^([^:]+?)\s*:\s*(float32|int64|string)\s*(?:\[([\d,\s]*)\])?$/;

interface Feature extends Component {
  readonly key: string;
}

/** @throws TensorFlowError INVALID_ARGUMENT that says how features are written */
function featuresIn(value: string): readonly Feature[] {
  const parts = value.split(/[;\n]|,(?![^[]*\])/).filter((part) => part.trim() !== "");
  const features = parts.map((part): Feature => {
    const [, key = "", dtype, sizes = ""] = FEATURE.exec(part.trim()) ?? [];
    if (dtype !== "float32" && dtype !== "int64" && dtype !== "string") {
      throw invalidArgument(
        `"${part.trim()}" is no feature. Write them as in "image:float32[784], label:int64"; types are float32, int64 and string.`,
      );
    }
    return { key, dtype, shape: listed(sizes).map(Number) };
  });
  const keys = new Set(features.map(({ key }) => key));
  if (features.length === 0) throw invalidArgument("TFRecordPipeline needs the features of its examples.");
  if (keys.size < features.length) throw invalidArgument("TFRecordPipeline takes each feature once.");
  // In the order in which parsed elements have them.
  return features.toSorted((one, other) => (one.key < other.key ? -1 : 1));
}

export const recordPipeline: LayerSpec = {
  name: "TFRecordPipeline",
  description:
    "Batches of the examples (tf.train.Example) of TFRecord files, parsed into a tensor for each feature.",
  takes: "nothing",
  fields: [
    FILES,
    {
      ...{ name: "features", label: "Features", kind: "text", initial: "" },
      hint: "image:float32[784], label:int64",
    },
    {
      ...{ name: "compression", label: "Compression", kind: "choice", initial: "none" },
      choices: ["none", "GZIP", "ZLIB"],
    },
    ...BATCHING,
  ],
  build(layer) {
    const features = featuresIn(layer.text("features"));
    const compression = layer.text("compression");
    const values = onCpu(layer, () => {
      const records = layer.op(
        "TFRecordDataset",
        [
          fileNames(layer),
          text(layer, compression === "none" ? "" : compression, "compression_type"),
          int64(layer, 0, "buffer_size"),
        ],
        {},
        "records",
      );
      const serialized = batched(layer, { dataset: records, components: [{ dtype: "string", shape: [] }] });
      const batch = serialized.components[0]?.shape[0] ?? -1;
      const parsed = features.map(({ dtype, shape }) => ({ dtype, shape: [batch, ...shape] }));
      const dataset = layer.op(
        "ParseExampleDatasetV2",
        [
          serialized.dataset,
          int64(layer, 1, "num_parallel_calls"),
          // Empty defaults: an example without the feature is an error.
          features.map(({ dtype }, at) =>
            constant(layer.graph, Tensor.of([], dtype, [0]), { name: `default_${at}` }),
          ),
        ],
        {
          ...{ sparse_keys: [], dense_keys: features.map(({ key }) => key), sparse_types: [] },
          dense_shapes: features.map(({ shape }) => shape),
          ...{ ragged_keys: [], ragged_value_types: [], ragged_split_types: [] },
          ...typesOf(parsed),
        },
        "parse",
      );
      return iterated(layer, { dataset, components: parsed });
    });
    return new Map(
      values.flatMap((value, at) => {
        const name = features[at]?.key.replace(/[^A-Za-z0-9_.-]+/g, "_").replace(/^[^A-Za-z0-9.]+/, "");
        return name ? [[name, value] as const] : [];
      }),
    );
  },
};
