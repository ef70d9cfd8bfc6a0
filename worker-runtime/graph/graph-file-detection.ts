import { BinaryReader, getTextEncoding, WireType } from "@bufbuild/protobuf/wire";
import { invalidArgument } from "../protocol/status.js";
import { shapeOf } from "./text-format/message-shape.js";

export type GraphFileKind = "graph" | "meta_graph" | "saved_model";
export type GraphFileFormat = "text" | "binary";

/** How much of a file is examined to distinguish text from binary data. */
const SAMPLE_BYTES = 64 * 1024;

const WANTED = "A graph is a GraphDef, MetaGraphDef or SavedModel, binary (.pb) or text (.pbtxt).";

/** Files that people open by mistake, by their first bytes. */
const SIGNATURES: readonly {
  readonly bytes: readonly number[];
  readonly offset?: number;
  readonly what: string;
}[] = [
  { bytes: [0x50, 0x4b, 0x03, 0x04], what: "a zip archive (.keras, .npz or .zip)" },
  { bytes: [0x89, 0x48, 0x44, 0x46], what: "an HDF5 file (Keras weights, .h5)" },
  { bytes: [0x1f, 0x8b], what: "a gzip archive; unpack it first" },
  {
    bytes: [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59],
    what: "a NumPy array (.npy); feed it to a placeholder instead",
  },
  { bytes: [0x54, 0x46, 0x4c, 0x33], offset: 4, what: "a TensorFlow Lite model" },
  { bytes: [0x89, 0x50, 0x4e, 0x47], what: "a PNG picture" },
  { bytes: [0xff, 0xd8, 0xff], what: "a JPEG picture" },
  { bytes: [0x25, 0x50, 0x44, 0x46], what: "a PDF document" },
  { bytes: [0x7f, 0x45, 0x4c, 0x46], what: "a program or library" },
];

/** TensorFlow's names for the data files of a checkpoint, whose bytes are arbitrary. */
const CHECKPOINT_DATA = /\.data-\d{5}-of-\d{5}$/;

/** The last bytes of a LevelDB-style table, which a checkpoint's .index file is. */
const TABLE_MAGIC = [0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb];

function hasBytes(bytes: Uint8Array, wanted: readonly number[], offset: number): boolean {
  return offset >= 0 && wanted.every((byte, i) => bytes[offset + i] === byte);
}

/**
 * Detects the kind of graph in a file by its content.
 * @throws TensorFlowError INVALID_ARGUMENT that names what the file is instead
 */
export function detectGraphFile(
  bytes: Uint8Array,
  name: string,
): { kind: GraphFileKind; format: GraphFileFormat } {
  if (bytes.length === 0) throw invalidArgument(`"${name}" is empty. ${WANTED}`);
  if (CHECKPOINT_DATA.test(name)) {
    throw invalidArgument(
      `"${name}" is the data of a checkpoint: values of variables, not a graph. Open its .meta file instead.`,
    );
  }
  for (const { bytes: wanted, offset = 0, what } of SIGNATURES) {
    if (hasBytes(bytes, wanted, offset))
      throw invalidArgument(`"${name}" is ${what}, not a graph. ${WANTED}`);
  }
  if (hasBytes(bytes, TABLE_MAGIC, bytes.length - TABLE_MAGIC.length)) {
    throw invalidArgument(
      `"${name}" is the index of a checkpoint: values of variables, not a graph. Open its .meta file instead.`,
    );
  }
  if (looksLikeText(bytes)) return { kind: detectTextKind(bytes, name), format: "text" };
  return { kind: detectBinaryKind(bytes, name), format: "binary" };
}

function looksLikeText(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  // Binary graphs have lengths and field tags throughout, which are control characters.
  if (sample.some((byte) => byte < 9 || (byte > 13 && byte < 32) || byte === 127)) return false;
  // A few bytes of binary data may have none; text has few non-ASCII bytes at its beginning.
  const head = String.fromCharCode(...sample.subarray(0, 256));
  return decodeText(bytes) !== undefined || /^\s*(#|[A-Za-z_]\w*\s*[:{<])/.test(head);
}

function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return getTextEncoding().decodeUtf8(bytes, true);
  } catch {
    return undefined;
  }
}

/** The messages that a file may hold; their top-level fields have distinct names. */
const KIND_BY_FULL_NAME: readonly (readonly [GraphFileKind, string])[] = [
  ["graph", "tensorflow.GraphDef"],
  ["meta_graph", "tensorflow.MetaGraphDef"],
  ["saved_model", "tensorflow.SavedModel"],
];

function detectTextKind(bytes: Uint8Array, name: string): GraphFileKind {
  const head = decodeText(bytes);
  if (head === undefined)
    throw invalidArgument(`"${name}" looks like text but is not valid UTF-8. ${WANTED}`);
  const body = head.replace(/^\uFEFF/, "").replace(/^(\s+|#[^\n]*(\n|$))+/, "");
  if (body === "")
    throw invalidArgument(`"${name}" has nothing in it but blank lines and comments. ${WANTED}`);
  if (/^<(!doctype|html|head|body|\?xml|svg)/i.test(body)) {
    throw invalidArgument(
      `"${name}" is a web page (HTML or XML), perhaps an error page that was saved. ${WANTED}`,
    );
  }
  if (/^(all_)?model_checkpoint_path/.test(body)) {
    throw invalidArgument(
      `"${name}" is the list of a folder's checkpoints, not a graph. Open the .meta file beside it instead.`,
    );
  }
  if (/^[{[]\s*("|[{[\]}]|-?\d)/.test(body))
    throw invalidArgument(`"${name}" is JSON, not a graph. ${WANTED}`);
  if (/^version https:\/\/git-lfs/.test(body)) {
    throw invalidArgument(`"${name}" is a Git LFS pointer: fetch the file itself with "git lfs pull".`);
  }
  const field = /^[A-Za-z_]\w*(?=\s*[:{<[])/.exec(body)?.[0];
  for (const [kind, fullName] of KIND_BY_FULL_NAME) {
    if (field !== undefined && shapeOf(fullName).byName.has(field)) return kind;
  }
  const found = field === undefined ? "no field of one" : `"${field}", which none of them has`;
  throw invalidArgument(`"${name}" is not a graph: its text begins with ${found}. ${WANTED}`);
}

interface WireField {
  readonly number: number;
  readonly wireType: number;
  /** Content of a length-delimited field. */
  readonly bytes: Uint8Array | undefined;
}

/** The fields of a serialized message; `whole` is false if the bytes end within one or are invalid. */
function scan(bytes: Uint8Array, limit = Number.POSITIVE_INFINITY): { fields: WireField[]; whole: boolean } {
  const reader = new BinaryReader(bytes);
  const fields: WireField[] = [];
  try {
    while (reader.pos < reader.len && fields.length < limit) {
      const [number, wireType] = reader.tag();
      if (wireType === WireType.LengthDelimited) fields.push({ number, wireType, bytes: reader.bytes() });
      else {
        reader.skip(wireType, number);
        fields.push({ number, wireType, bytes: undefined });
      }
    }
    return { fields, whole: true };
  } catch {
    return { fields, whole: false };
  }
}

function stringField(fields: readonly WireField[], number: number): string | undefined {
  const bytes = fields.find((f) => f.number === number)?.bytes;
  return bytes && bytes.length <= 4096 ? decodeText(bytes) : undefined;
}

/** Whether the bytes are a NodeDef: valid names of a node (1) and an op (2). */
function isNode(bytes: Uint8Array): boolean {
  const { fields, whole } = scan(bytes);
  if (!whole) return false;
  const name = stringField(fields, 1);
  const op = stringField(fields, 2);
  return name !== undefined && op !== undefined && /^[\w.\\/>-]+$/.test(name) && /^[\w.>-]+$/.test(op);
}

function firstField(fields: readonly WireField[], number: number): Uint8Array | undefined {
  return fields.find((f) => f.number === number)?.bytes;
}

/** Whether the fields can be a GraphDef's: node (1), library (2), version (3), versions (4), debug_info (5). */
function isGraph(fields: readonly WireField[]): boolean {
  for (const { number, wireType } of fields) {
    const wanted = number === 3 ? WireType.Varint : WireType.LengthDelimited;
    if (number <= 5 && wireType !== wanted) return false;
  }
  const node = firstField(fields, 1);
  if (node) return isNode(node);
  const versions = firstField(fields, 4);
  return (
    versions !== undefined &&
    scan(versions).fields.every((f) => f.number <= 2 && f.wireType === WireType.Varint)
  );
}

/** Whether the fields can be a MetaGraphDef's: all are messages, and graph_def (2), if present, is a graph. */
function isMetaGraph(fields: readonly WireField[]): boolean {
  if (fields.some((f) => f.number <= 7 && f.wireType !== WireType.LengthDelimited)) return false;
  const graph = firstField(fields, 2);
  if (graph && graph.length > 0) return isGraph(scan(graph).fields);
  return fields.some((f) => f.number >= 1 && f.number <= 7);
}

/** Whether the fields can be a SavedModel's: saved_model_schema_version (1) a number, meta_graphs (2) messages. */
function isSavedModel(fields: readonly WireField[]): boolean {
  return (
    fields.some((f) => f.number === 2) &&
    fields.every(
      (f) => f.number > 2 || f.wireType === (f.number === 1 ? WireType.Varint : WireType.LengthDelimited),
    ) &&
    fields.filter((f) => f.number === 1).length === 1
  );
}

function detectBinaryKind(bytes: Uint8Array, name: string): GraphFileKind {
  const { fields, whole } = scan(bytes);
  let kind: GraphFileKind | undefined;
  if (isSavedModel(fields)) kind = "saved_model";
  else if (isGraph(fields)) kind = "graph";
  else if (isMetaGraph(fields)) kind = "meta_graph";
  if (!whole && (kind || startsLikeGraph(bytes))) {
    throw invalidArgument(
      `"${name}" is not whole: it ends in the middle of a graph after ${bytes.length} bytes. Copy or download it again.`,
    );
  }
  if (!kind || !whole) throw invalidArgument(`"${name}" is not a graph, or it is damaged. ${WANTED}`);
  return kind;
}

/** Whether a file truncated within its first field may be the beginning of a graph. */
function startsLikeGraph(bytes: Uint8Array): boolean {
  const reader = new BinaryReader(bytes);
  try {
    const [number, wireType] = reader.tag();
    if (number < 1 || number > 7 || wireType !== WireType.LengthDelimited) return false;
    return reader.uint32() > reader.len - reader.pos;
  } catch {
    return false;
  }
}
