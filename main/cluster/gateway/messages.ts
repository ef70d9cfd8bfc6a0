/**
 * The few fields that the gateway reads and writes in the messages it passes on. Everything else stays unchanged, byte
 * for byte, including fields that a later TensorFlow may add.
 */
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { ClusterDef } from "../../../protos/generated/tensorflow/cluster.js";
import { ConfigProto_Experimental } from "../../../protos/generated/tensorflow/config.js";
import {
  isCompressedMessage,
  messagePrefix,
  PREFIX_BYTES,
  statedLength,
} from "../../../worker-runtime/rpc/message-prefix.js";
import type { GatewayCluster } from "./gateway-cluster.js";

/** Numbers of the fields that are read or written. */
const REQUEST_CONFIG = 2;
const REQUEST_TARGET = 3;
const CONFIG_CLUSTER_DEF = 14;
const CONFIG_EXPERIMENTAL = 16;
/** In all requests of a session and in CreateSessionResponse the handle is the first field. */
const SESSION_HANDLE_FIELD = 1;

/**
 * Bytes at the beginning of a body that are enough to contain the session handle, in any message that has
 * one.
 */
export const HANDLE_BYTES = 512;

/** The handle at the beginning of a body, which may be incomplete; undefined when there is none. */
export function sessionHandle(body: Uint8Array): string | undefined {
  if (body.byteLength <= PREFIX_BYTES || isCompressedMessage(body)) return undefined;
  try {
    const reader = new BinaryReader(body.subarray(PREFIX_BYTES));
    const [field, wireType] = reader.tag();
    if (field !== SESSION_HANDLE_FIELD || wireType !== WireType.LengthDelimited) return undefined;
    const handle = reader.string();
    return handle === "" ? undefined : handle;
  } catch {
    return undefined;
  }
}

/**
 * The body of a CreateSession with the cluster added, or the same body if it has a cluster of its own.
 *
 * @param target Address of the master as in the ClusterSpec, by which it identifies its own task.
 * @throws Error when the body is not a complete message.
 */
export function withCluster(body: Buffer, cluster: GatewayCluster, target: string): Buffer {
  const length = body.byteLength < PREFIX_BYTES ? -1 : statedLength(body);
  if (body.byteLength !== PREFIX_BYTES + length)
    throw new Error("The request of CreateSession is not complete.");
  const request = body.subarray(PREFIX_BYTES);
  const config = contents(request, REQUEST_CONFIG);
  if (hasField(config, CONFIG_CLUSTER_DEF)) return body;
  const experimental = [
    contents(config, CONFIG_EXPERIMENTAL),
    ConfigProto_Experimental.encode(
      ConfigProto_Experimental.fromPartial({
        // Variables then belong to the tasks, and the next session finds them.
        shareSessionStateInClusterspecPropagation: true,
      }),
    ).finish(),
  ];
  const configured = [
    without(config, [CONFIG_EXPERIMENTAL]),
    field(CONFIG_CLUSTER_DEF, [ClusterDef.encode(cluster.clusterDef).finish()]),
    field(CONFIG_EXPERIMENTAL, experimental),
  ];
  const completed = Buffer.concat([
    without(request, [REQUEST_CONFIG, REQUEST_TARGET]),
    field(REQUEST_CONFIG, configured),
    field(REQUEST_TARGET, [Buffer.from(target)]),
  ]);
  return Buffer.concat([messagePrefix(completed.byteLength), completed]);
}

/** The parts of a message, one field each, with the number of the field and its bytes with the tag. */
function* parts(message: Uint8Array): Generator<{ number: number; whole: Uint8Array; content: Uint8Array }> {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const [number, wireType] = reader.tag();
    const isBytes = wireType === WireType.LengthDelimited;
    const content = isBytes ? reader.bytes() : reader.skip(wireType, number);
    yield { number, whole: message.subarray(start, reader.pos), content };
  }
}

/** A field of a message: its content; if a sender wrote it in several parts, all of them concatenated. */
function contents(message: Uint8Array, number: number): Uint8Array {
  return Buffer.concat(
    [...parts(message)].filter((part) => part.number === number).map(({ content }) => content),
  );
}

function hasField(message: Uint8Array, number: number): boolean {
  return [...parts(message)].some((part) => part.number === number);
}

/** A message without some of its fields. */
function without(message: Uint8Array, numbers: readonly number[]): Uint8Array {
  return Buffer.concat(
    [...parts(message)].filter(({ number }) => !numbers.includes(number)).map(({ whole }) => whole),
  );
}

/** A field with its tag and length. */
function field(number: number, content: readonly Uint8Array[]): Uint8Array {
  return new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(Buffer.concat(content)).finish();
}
