import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { GraphDef } from "../../../../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import type { MessageType } from "../../../../rpc/message-type.js";
import type { PausingWork } from "../../pauses.js";
import { readerOf } from "./budgeted-reader.js";
import { DecodingBudget } from "./decoding-budget.js";
import { type PackedElement, packedListsOf, partsOf, partWeight } from "./message-parts.js";
import { NodeDecoder } from "./node-decoding.js";

/** Bytes of fields decoded between two pauses: a few milliseconds of work even if each field has two bytes. */
const PIECE_BYTES = 16 * 1024;

/** Maximum fields and elements in an undivided part: more take too long, and no real message has them. */
const MAX_READS_AT_ONCE = 2 ** 18;

const noBytes = new Uint8Array(0);

/** GraphDef.node. */
const NODE_FIELD = 1;

/**
 * Decodes a message as `type.decode` does, but large ones field by field with pauses between: tens of thousands of
 * nodes, or as many strings of a tensor, take longer than others should wait. A part that cannot be divided (a large
 * message that `partsOf` does not know) is decoded at once, up to a number of fields.
 * @throws TensorFlowError RESOURCE_EXHAUSTED for more fields than there is memory for; Error for bytes that are not a
 *   message.
 */
export function decodeInPieces<T>(type: MessageType<T>, bytes: Uint8Array): PausingWork<T> {
  return new PiecewiseDecoder(new DecodingBudget(bytes.byteLength)).decode(type, bytes);
}

class PiecewiseDecoder {
  readonly #budget: DecodingBudget;

  constructor(budget: DecodingBudget) {
    this.#budget = budget;
  }

  *decode<T>(type: MessageType<T>, bytes: Uint8Array): PausingWork<T> {
    if (bytes.byteLength <= PIECE_BYTES) {
      const message = type.decode(bytes);
      this.#budget.addDecoded(bytes.byteLength);
      return message;
    }
    const message = type.decode(noBytes);
    const parts = partsOf(type);
    const packed = packedListsOf(type);
    const reader = new BinaryReader(bytes);
    const nodes = nodesOf(type, message);
    const nodeDecoder = nodes && new NodeDecoder(bytes);
    // The fields from here up to the reader's place are not decoded yet.
    let start = 0;
    const decodeTo = (end: number) => {
      if (end > start) {
        merge(message, type.decode(readerOf(bytes.subarray(start, end), MAX_READS_AT_ONCE)));
        this.#budget.addDecoded(end - start);
      }
    };
    let nodeBytes = 0;
    while (reader.pos < bytes.byteLength) {
      const fieldStart = reader.pos;
      const [field, wireType] = reader.tag();
      if (
        nodes !== undefined &&
        nodeDecoder !== undefined &&
        field === NODE_FIELD &&
        wireType === WireType.LengthDelimited
      ) {
        const lengthStart = reader.pos;
        const length = reader.uint32();
        if (length <= PIECE_BYTES && reader.pos + length <= bytes.byteLength) {
          decodeTo(fieldStart);
          this.#budget.addField(partWeight(type, field));
          start = reader.pos + length;
          nodes.push(nodeDecoder.decode(reader.pos, start));
          reader.pos = start;
          nodeBytes += length;
          if (nodeBytes > PIECE_BYTES) {
            this.#budget.addDecoded(nodeBytes);
            nodeBytes = 0;
            yield;
          }
          continue;
        }
        reader.pos = lengthStart;
      }
      reader.skip(wireType, field);
      this.#budget.addField(wireType === WireType.LengthDelimited ? partWeight(type, field) : 1);
      const isLarge = wireType === WireType.LengthDelimited && reader.pos - fieldStart > PIECE_BYTES;
      const part = isLarge ? parts.get(field) : undefined;
      const element = isLarge ? packed.get(field) : undefined;
      if (part !== undefined || element !== undefined) {
        const content = contentOf(bytes.subarray(fieldStart, reader.pos));
        decodeTo(fieldStart);
        start = reader.pos;
        yield;
        if (part !== undefined) {
          part.put(message, yield* this.decode(part.type, content));
        } else {
          yield* this.#decodePacked(type, message, field, content, element);
        }
      } else if (reader.pos - start > PIECE_BYTES) {
        decodeTo(reader.pos);
        yield;
        start = reader.pos;
      }
    }
    decodeTo(reader.pos);
    return message;
  }

  /** Decodes a packed list as several, none of which splits an element. */
  *#decodePacked<T>(
    type: MessageType<T>,
    message: T,
    field: number,
    content: Uint8Array,
    element: PackedElement | undefined,
  ): PausingWork<void> {
    for (let start = 0; start < content.byteLength; ) {
      let end = Math.min(content.byteLength, start + PIECE_BYTES);
      // The last byte of a varint is the one without its highest bit.
      while (element === "varint" && end < content.byteLength && (content[end - 1] ?? 0) >= 0x80) {
        end += 1;
      }
      const piece = new BinaryWriter()
        .tag(field, WireType.LengthDelimited)
        .bytes(content.subarray(start, end));
      merge(message, type.decode(piece.finish()));
      this.#budget.addPacked(weightOfPacked(content.subarray(start, end), element));
      yield;
      start = end;
    }
  }
}

/** The nodes of a message that is a graph. */
function nodesOf(type: unknown, message: unknown): NodeDef[] | undefined {
  return type === GraphDef ? (message as GraphDef).node : undefined;
}

/** The weight of the elements of a packed list: one for a number, two for a possible bigint, which is an object. */
function weightOfPacked(bytes: Uint8Array, element: PackedElement | undefined): number {
  if (element !== "varint") {
    return bytes.byteLength / 4;
  }
  let count = 0;
  for (const byte of bytes) {
    count += byte < 0x80 ? 2 : 0;
  }
  return count;
}

/** The bytes of a field without its tag and length. */
function contentOf(field: Uint8Array): Uint8Array {
  const reader = new BinaryReader(field);
  reader.tag();
  return reader.bytes();
}

/** Merges a later piece of a message: lists and maps are extended, other fields have the last value. */
function merge<T>(message: T, piece: T): void {
  const target = message as Record<string, unknown>;
  for (const [name, value] of Object.entries(piece as Record<string, unknown>)) {
    const known = target[name];
    if (Array.isArray(value) && Array.isArray(known)) {
      for (const element of value) {
        known.push(element);
      }
    } else if (value instanceof Map && known instanceof Map) {
      for (const [key, element] of value) {
        known.set(key, element);
      }
    } else if (!isDefault(value)) {
      target[name] = value;
    }
  }
}

/** Whether a field has its default value. */
function isDefault(value: unknown): boolean {
  return (
    value === undefined ||
    value === 0 ||
    value === 0n ||
    value === "" ||
    value === false ||
    (value instanceof Uint8Array && value.byteLength === 0)
  );
}
