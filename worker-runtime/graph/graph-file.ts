import { BinaryWriter, getTextEncoding } from "@bufbuild/protobuf/wire";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { SavedModel } from "../../protos/generated/tensorflow/saved_model.js";
import { asUtf8 } from "../io/text-encoding.js";
import { invalidArgument } from "../protocol/status.js";
import { detectGraphFile, type GraphFileFormat, type GraphFileKind } from "./graph-file-detection.js";
import { formatText, parseText, TextFormatError } from "./text-format.js";

export type { GraphFileFormat, GraphFileKind } from "./graph-file-detection.js";

/** The parts of a SavedModel that `GraphFile.metaGraph` does not hold. */
export interface SavedModelSource {
  readonly savedModel: SavedModel;
  /** Which of its meta graphs was opened. */
  readonly index: number;
}

/** A file's graph and what is needed to write it back unchanged. */
export interface GraphFile {
  readonly kind: GraphFileKind;
  readonly format: GraphFileFormat;
  /** The graph; for a GraphDef file, a MetaGraphDef that holds nothing else. */
  readonly metaGraph: MetaGraphDef;
  /** The other parts of a SavedModel. */
  readonly original?: SavedModelSource | undefined;
}

export interface ReadGraphFile extends GraphFile {
  /** The serialized `metaGraph`, if the file holds it so: serializing a large one takes a while. */
  readonly encoded?: Uint8Array;
}

const FULL_NAMES: Readonly<Record<GraphFileKind, string>> = {
  graph: "tensorflow.GraphDef",
  meta_graph: "tensorflow.MetaGraphDef",
  saved_model: "tensorflow.SavedModel",
};

/** The maximum size of a serialized protobuf message: sizes are signed 32-bit integers. */
export const MAX_MESSAGE_BYTES = 2 ** 31 - 1;

/**
 * Checks that a message is not too large to be sent or written.
 * @param what names it in the error, for example "This graph"
 * @throws TensorFlowError INVALID_ARGUMENT for more than 2 GB
 */
export function checkMessageSize(sizeBytes: number, what: string): void {
  if (sizeBytes <= MAX_MESSAGE_BYTES) return;
  const gigabytes = (sizeBytes / 2 ** 30).toFixed(1);
  throw invalidArgument(
    `${what} takes ${gigabytes} GB, but TensorFlow's messages hold at most 2 GB. ` +
      "Keep large constants out of the graph: feed them, or load them into variables from a checkpoint.",
  );
}

/** The MetaGraphDef that stands for a file holding only a GraphDef. */
function metaGraphOf(graphDef: GraphDef): MetaGraphDef {
  // Assigned rather than passed to fromPartial, which copies only fields known to the .proto files.
  return { ...MetaGraphDef.fromPartial({}), graphDef };
}

/** The meta graph tagged for serving, otherwise the first. */
function chooseMetaGraph(savedModel: SavedModel, name: string): { index: number; metaGraph: MetaGraphDef } {
  const serving = savedModel.metaGraphs.findIndex((m) => m.metaInfoDef?.tags.includes("serve"));
  const index = Math.max(serving, 0);
  const metaGraph = savedModel.metaGraphs[index];
  if (!metaGraph) throw invalidArgument(`"${name}" is a SavedModel without a graph in it.`);
  return { index, metaGraph };
}

function fromMessage(
  kind: GraphFileKind,
  message: unknown,
  format: GraphFileFormat,
  name: string,
): GraphFile {
  switch (kind) {
    case "graph":
      return { kind, format, metaGraph: metaGraphOf(message as GraphDef) };
    case "meta_graph":
      return { kind, format, metaGraph: message as MetaGraphDef };
    case "saved_model": {
      const savedModel = message as SavedModel;
      const { index, metaGraph } = chooseMetaGraph(savedModel, name);
      return { kind, format, metaGraph, original: { savedModel, index } };
    }
  }
}

/**
 * Reads a GraphDef, MetaGraphDef or SavedModel, binary or text. Its kind is detected by content; the name is only used
 * in errors. Bytes in the result are views of the argument, which must not change later.
 * @throws TensorFlowError INVALID_ARGUMENT that names what the file is instead, or where it is damaged
 */
export function readGraphFile(given: Uint8Array, name: string): ReadGraphFile {
  const bytes = asUtf8(given);
  const { kind, format } = detectGraphFile(bytes, name);
  if (format === "text") {
    const text = getTextEncoding().decodeUtf8(bytes, true);
    try {
      return fromMessage(kind, parseText(FULL_NAMES[kind], text), format, name);
    } catch (error) {
      if (error instanceof TextFormatError) {
        throw invalidArgument(`"${name}" cannot be read. ${error.message.replace(/\.$/, "")}.`, {
          cause: error,
        });
      }
      throw error;
    }
  }
  const codec = { graph: GraphDef, meta_graph: MetaGraphDef, saved_model: SavedModel }[kind];
  let message: unknown;
  try {
    message = codec.decode(bytes);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const whole = FULL_NAMES[kind].slice(11);
    throw invalidArgument(`"${name}" is damaged: it is not a complete ${whole} (${reason}).`, {
      cause: error,
    });
  }
  const file = fromMessage(kind, message, format, name);
  if (kind === "saved_model") return file;
  return { ...file, encoded: kind === "graph" ? metaGraphBytes(bytes) : bytes };
}

/** The serialized MetaGraphDef that holds nothing but a serialized GraphDef. */
function metaGraphBytes(graphDef: Uint8Array): Uint8Array {
  // `bytes` and an embedded message are encoded alike; a writer would copy large ones more than once.
  const head = new BinaryWriter().uint32(META_GRAPH_GRAPH_DEF_TAG).uint32(graphDef.length).finish();
  const bytes = new Uint8Array(head.length + graphDef.length);
  bytes.set(head);
  bytes.set(graphDef, head.length);
  return bytes;
}

/** The field "graph_def" of MetaGraphDef, number 2, of wire type 2. */
const META_GRAPH_GRAPH_DEF_TAG = 18;

/**
 * The bytes of a file of the given kind and format. A SavedModel keeps everything of `original` except the meta graph
 * that was opened.
 * @throws TensorFlowError INVALID_ARGUMENT for more than 2 GB
 */
export function writeGraphFile(file: GraphFile): Uint8Array {
  const { kind, format, metaGraph, original } = file;
  let bytes: Uint8Array;
  try {
    bytes =
      kind === "graph"
        ? writeMessage(GraphDef, kind, format, metaGraph.graphDef ?? GraphDef.fromPartial({}))
        : kind === "meta_graph"
          ? writeMessage(MetaGraphDef, kind, format, metaGraph)
          : writeMessage(SavedModel, kind, format, savedModelWith(metaGraph, original));
  } catch (error) {
    // JavaScript throws RangeError at its limits on strings and arrays.
    if (!(error instanceof RangeError)) throw error;
    throw invalidArgument(
      "This graph is too large to be written in this format. Save it in binary form (.pb).",
      {
        cause: error,
      },
    );
  }
  checkMessageSize(bytes.length, "This graph");
  return bytes;
}

interface Encoder<T> {
  encode(message: T): { finish(): Uint8Array };
}

function writeMessage<T extends object>(
  codec: Encoder<T>,
  kind: GraphFileKind,
  format: GraphFileFormat,
  message: T,
): Uint8Array {
  if (format === "binary") return codec.encode(message).finish();
  return getTextEncoding().encodeUtf8(formatText(FULL_NAMES[kind], message));
}

function savedModelWith(metaGraph: MetaGraphDef, original: SavedModelSource | undefined): SavedModel {
  if (!original)
    return { ...SavedModel.fromPartial({ savedModelSchemaVersion: 1n }), metaGraphs: [metaGraph] };
  const metaGraphs = original.savedModel.metaGraphs.map((m, i) => (i === original.index ? metaGraph : m));
  return { ...original.savedModel, metaGraphs };
}
