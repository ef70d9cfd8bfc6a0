/** Decodes a MetaGraphDef in slices: as `MetaGraphDef.decode`, which would block the page for a large graph. Pure. */
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { FunctionDef, FunctionDefLibrary } from "../../protos/generated/tensorflow/function.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { paused, type Sliced, STEPS_AT_ONCE } from "../../worker-runtime/graph/slices.js";
import { joined } from "./joined-bytes.js";

/** Field numbers in meta_graph.proto, graph.proto and function.proto. */
const META_GRAPH_DEF = 2;
const GRAPH_NODE = 1;
const GRAPH_LIBRARY = 2;
const LIBRARY_FUNCTION = 1;

export interface DecodedGraph {
  /** With a graph without nodes. */
  readonly metaGraph: MetaGraphDef;
  /** In the order of the file. */
  readonly nodes: readonly NodeDef[];
}

/**
 * Bytes in the result are views of the argument.
 *
 * @throws Error if the message is damaged.
 */
export function* decodeMetaGraph(bytes: Uint8Array): Sliced<DecodedGraph> {
  const outer = yield* parted(bytes, [META_GRAPH_DEF]);
  const metaGraph = MetaGraphDef.decode(outer.rest);
  // If a field is there more than once, the last one counts.
  const graphBytes = outer.of(META_GRAPH_DEF).at(-1) ?? new Uint8Array(0);
  const graph = yield* parted(graphBytes, [GRAPH_NODE, GRAPH_LIBRARY]);
  const nodes: NodeDef[] = [];
  yield* paused(graph.of(GRAPH_NODE), (node) => nodes.push(NodeDef.decode(node)));
  const libraryBytes = graph.of(GRAPH_LIBRARY).at(-1);
  const library = libraryBytes && (yield* decodeLibrary(libraryBytes));
  const graphDef = { ...GraphDef.decode(graph.rest), library };
  return { metaGraph: { ...metaGraph, graphDef }, nodes };
}

function* decodeLibrary(bytes: Uint8Array): Sliced<FunctionDefLibrary> {
  const library = yield* parted(bytes, [LIBRARY_FUNCTION]);
  const definitions: FunctionDef[] = [];
  for (const definition of library.of(LIBRARY_FUNCTION)) {
    definitions.push(FunctionDef.decode(definition));
    yield;
  }
  return { ...FunctionDefLibrary.decode(library.rest), function: definitions };
}

interface Parted {
  /** The messages in a field. */
  of(field: number): readonly Uint8Array[];
  /** All other fields. */
  readonly rest: Uint8Array;
}

/** Takes the messages in some fields out of a serialized message. */
function* parted(message: Uint8Array, fields: readonly number[]): Sliced<Parted> {
  const reader = new BinaryReader(message);
  const messages = new Map(fields.map((field): [number, Uint8Array[]] => [field, []]));
  const others: Uint8Array[] = [];
  for (let count = 1; reader.pos < reader.len; count++) {
    if (count % STEPS_AT_ONCE === 0) yield;
    const start = reader.pos;
    const [field, wireType] = reader.tag();
    const list = wireType === WireType.LengthDelimited ? messages.get(field) : undefined;
    if (list) {
      list.push(reader.bytes());
      continue;
    }
    reader.skip(wireType, field);
    others.push(message.subarray(start, reader.pos));
  }
  return { of: (field) => messages.get(field) ?? [], rest: joined(others) };
}
