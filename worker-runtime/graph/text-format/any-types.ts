import * as wrappers from "../../../protos/generated/google/protobuf/wrappers.js";
import * as attrValue from "../../../protos/generated/tensorflow/attr_value.js";
import * as cluster from "../../../protos/generated/tensorflow/cluster.js";
import * as config from "../../../protos/generated/tensorflow/config.js";
import * as functionDef from "../../../protos/generated/tensorflow/function.js";
import * as graph from "../../../protos/generated/tensorflow/graph.js";
import * as metaGraph from "../../../protos/generated/tensorflow/meta_graph.js";
import * as nodeDef from "../../../protos/generated/tensorflow/node_def.js";
import * as opDef from "../../../protos/generated/tensorflow/op_def.js";
import * as queueRunner from "../../../protos/generated/tensorflow/queue_runner.js";
import * as savedObjectGraph from "../../../protos/generated/tensorflow/saved_object_graph.js";
import * as saver from "../../../protos/generated/tensorflow/saver.js";
import * as struct from "../../../protos/generated/tensorflow/struct.js";
import * as tensor from "../../../protos/generated/tensorflow/tensor.js";
import * as tensorShape from "../../../protos/generated/tensorflow/tensor_shape.js";
import * as variable from "../../../protos/generated/tensorflow/variable.js";
import type { AnyMessage } from "./message-shape.js";

/** The generated code's encoder and decoder of one message. */
export interface MessageCodec {
  encode(message: AnyMessage): { finish(): Uint8Array };
  decode(bytes: Uint8Array): AnyMessage;
}

// The files whose messages occur inside an Any of a graph document (collections, meta information, saved objects).
const MODULES: readonly { readonly protobufPackage: string }[] = [
  wrappers,
  attrValue,
  cluster,
  config,
  functionDef,
  graph,
  metaGraph,
  nodeDef,
  opDef,
  queueRunner,
  savedObjectGraph,
  saver,
  struct,
  tensor,
  tensorShape,
  variable,
];

function isCodec(value: unknown): value is MessageCodec {
  return typeof value === "object" && value !== null && "encode" in value && "decode" in value;
}

/** The codec of a message that an Any may hold; undefined for an unknown type. */
export function codecOf(fullName: string): MessageCodec | undefined {
  for (const module of MODULES) {
    const prefix = `${module.protobufPackage}.`;
    if (!fullName.startsWith(prefix)) continue;
    // The generated code calls a nested message Outer_Inner.
    const exported = fullName.slice(prefix.length).replaceAll(".", "_");
    const value: unknown = (module as Readonly<Record<string, unknown>>)[exported];
    if (isCodec(value)) return value;
  }
  return undefined;
}
