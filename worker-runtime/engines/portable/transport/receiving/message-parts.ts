import { AttrValue, AttrValue_ListValue } from "../../../../../protos/generated/tensorflow/attr_value.js";
import { ConfigProto } from "../../../../../protos/generated/tensorflow/config.js";
import { FunctionDef, FunctionDefLibrary } from "../../../../../protos/generated/tensorflow/function.js";
import { GraphDef } from "../../../../../protos/generated/tensorflow/graph.js";
import { GraphDebugInfo } from "../../../../../protos/generated/tensorflow/graph_debug_info.js";
import {
  CreateSessionRequest,
  ExtendSessionRequest,
  RunCallableRequest,
  RunStepRequest,
} from "../../../../../protos/generated/tensorflow/master.js";
import { NamedTensorProto } from "../../../../../protos/generated/tensorflow/named_tensor.js";
import { NodeDef, NodeDef_AttrEntry } from "../../../../../protos/generated/tensorflow/node_def.js";
import { TensorProto } from "../../../../../protos/generated/tensorflow/tensor.js";
import { RegisterGraphRequest, RunGraphRequest } from "../../../../../protos/generated/tensorflow/worker.js";
import type { MessageType } from "../../../../rpc/message-type.js";

/** How the elements of a packed list are encoded. */
export type PackedElement = "varint" | "fixed32" | "fixed64";

/** The number of fields that a message counts as: roughly the objects that even an empty one requires. */
const weights = new Map<unknown, number>([
  // A quarter more than a graph may have.
  [NodeDef, 3],
  [NodeDef_AttrEntry, 4],
  [NamedTensorProto, 32],
  [TensorProto, 32],
  [FunctionDef, 32],
]);

/** The weight of an unknown field: a string, or a message of some size. */
const UNKNOWN_WEIGHT = 8;

/** A field of a message that is itself a message, and may be large. */
export interface MessagePart<Whole, Part = unknown> {
  /** The number of the field. */
  readonly field: number;
  readonly type: MessageType<Part>;
  /** Stores it where decoding the whole message would have. */
  put(whole: Whole, part: Part): void;
}

function part<Whole, Part>(
  field: number,
  type: MessageType<Part>,
  put: (whole: Whole, part: Part) => void,
): MessagePart<Whole> {
  return { field, type, put: (whole, decoded) => put(whole, decoded as Part) };
}

function graphAt(field: number): MessagePart<{ graphDef: GraphDef | undefined }> {
  return part(field, GraphDef, (whole, graph) => {
    whole.graphDef = graph;
  });
}

function parts<Whole>(type: MessageType<Whole>, ...list: readonly MessagePart<Whole>[]) {
  return [type, new Map(list.map((one) => [one.field, one as MessagePart<unknown>]))] as const;
}

const partsByType = new Map<unknown, ReadonlyMap<number, MessagePart<unknown>>>([
  // Graphs, from the requests that carry them down to the tensors in their nodes.
  parts<CreateSessionRequest>(
    CreateSessionRequest,
    graphAt(1),
    part(2, ConfigProto, (request, config) => {
      request.config = config;
    }),
  ),
  parts(ExtendSessionRequest, graphAt(2)),
  parts(RegisterGraphRequest, graphAt(2)),
  parts(
    GraphDef,
    part(1, NodeDef, ({ node }, one) => node.push(one)),
    part(2, FunctionDefLibrary, (graph, library) => {
      graph.library = library;
    }),
    part(5, GraphDebugInfo, (graph, info) => {
      graph.debugInfo = info;
    }),
  ),
  parts(
    FunctionDefLibrary,
    part(1, FunctionDef, (library, one) => library.function.push(one)),
  ),
  parts(
    FunctionDef,
    part(3, NodeDef, ({ nodeDef }, one) => nodeDef.push(one)),
  ),
  parts(
    NodeDef,
    part(5, NodeDef_AttrEntry, ({ attr }, { key, value }) => {
      if (value !== undefined) {
        attr.set(key, value);
      }
    }),
  ),
  parts(
    NodeDef_AttrEntry,
    part(2, AttrValue, (entry, value) => {
      entry.value = value;
    }),
  ),
  parts(
    AttrValue,
    part(1, AttrValue_ListValue, (attr, value) => {
      attr.value = { $case: "list", value };
    }),
    part(8, TensorProto, (attr, value) => {
      attr.value = { $case: "tensor", value };
    }),
  ),
  // Feeds of steps, and tensors sent between tasks.
  parts(
    RunStepRequest,
    part(2, NamedTensorProto, ({ feed }, one) => feed.push(one)),
  ),
  parts(
    RunCallableRequest,
    part(3, TensorProto, ({ feed }, one) => feed.push(one)),
  ),
  parts(
    RunGraphRequest,
    part(3, NamedTensorProto, ({ send }, one) => send.push(one)),
  ),
  parts(
    NamedTensorProto,
    part(2, TensorProto, (named, tensor) => {
      named.tensor = tensor;
    }),
  ),
]);

const noParts: ReadonlyMap<number, MessagePart<unknown>> = new Map();

/** The fields of a message type that are decoded in parts if they are large, by number. */
export function partsOf<Whole>(type: MessageType<Whole>): ReadonlyMap<number, MessagePart<Whole>> {
  return partsByType.get(type) ?? noParts;
}

/**
 * The weight of a length-delimited field in the budget of a message. Strings of the types known here count once: there
 * may be as many as a tensor or a node has.
 */
export function partWeight(type: MessageType<unknown>, field: number): number {
  const parts = partsByType.get(type);
  const part = parts?.get(field);
  if (part !== undefined) {
    return weights.get(part.type) ?? 1;
  }
  return parts !== undefined || packedByType.has(type) ? 1 : UNKNOWN_WEIGHT;
}

const packedByType = new Map<unknown, ReadonlyMap<number, PackedElement>>([
  [
    TensorProto,
    new Map<number, PackedElement>([
      [5, "fixed32"],
      [6, "fixed64"],
      [7, "varint"],
      [9, "fixed32"],
      [10, "varint"],
      [11, "varint"],
      [12, "fixed64"],
      [13, "varint"],
      [16, "varint"],
      [17, "varint"],
    ]),
  ],
  [
    AttrValue_ListValue,
    new Map<number, PackedElement>([
      [3, "varint"],
      [4, "fixed32"],
      [5, "varint"],
      [6, "varint"],
    ]),
  ],
]);

const noPacked: ReadonlyMap<number, PackedElement> = new Map();

/** The packed lists of a message type that may be long, by field number. */
export function packedListsOf(type: MessageType<unknown>): ReadonlyMap<number, PackedElement> {
  return packedByType.get(type) ?? noPacked;
}
