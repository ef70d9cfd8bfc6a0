import { BinaryReader } from "@bufbuild/protobuf/wire";
import type { AttrValue } from "../../../../../protos/generated/tensorflow/attr_value.js";
import { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";

/** The fields of a NodeDef as tags on the wire: each is a length and so many bytes. */
const Tag = { name: 10, op: 18, input: 26, device: 34, attr: 42 } as const;

/** Longer attributes are values of constants, which are hardly ever equal. */
const MAX_SHARED_BYTES = 256;
/** Different texts and attributes that are kept; graphs have a few dozen, and more would only take memory. */
const MAX_SHARED = 4096;

const NO_FIELDS = Object.freeze({});

/**
 * Decodes the nodes of one graph as `NodeDef.decode` does, in a fraction of its time and memory: equal names of ops and
 * devices are one string, and equal attributes one map. Neither may be changed afterwards.
 */
export class NodeDecoder {
  readonly #bytes: Uint8Array;
  /** The same bytes. */
  readonly #text: Buffer;
  readonly #reader: BinaryReader;
  /** Of the node that is being decoded, which gets a copy of them: a list that was pushed to has room for 17. */
  readonly #inputs: string[] = [];
  readonly #texts = new Map<string, string>();
  /** By their bytes, one character each. */
  readonly #attrs = new Map<string, Map<string, AttrValue>>();

  /** @param bytes that the nodes are in. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#reader = new BinaryReader(bytes);
  }

  /** The node in the bytes from `start` to before `end`. @throws Error if they are not a node. */
  decode(start: number, end: number): NodeDef {
    const reader = this.#reader;
    reader.pos = start;
    let [name, op, device] = ["", "", ""];
    let inputCount = 0;
    let [attrStart, attrEnd] = [end, end];
    while (reader.pos < end) {
      const fieldStart = reader.pos;
      const tag = reader.uint32();
      switch (tag) {
        case Tag.name:
          name = reader.string();
          continue;
        case Tag.op:
          op = this.#shared(reader.string());
          continue;
        case Tag.input:
          this.#inputs[inputCount] = reader.string();
          inputCount += 1;
          continue;
        case Tag.device:
          device = this.#shared(reader.string());
          continue;
        case Tag.attr:
          if (attrStart === end || attrEnd === fieldStart) {
            attrStart = Math.min(attrStart, fieldStart);
            const attrLength = reader.uint32();
            reader.pos += attrLength;
            attrEnd = reader.pos;
            continue;
          }
      }
      // A field that few nodes have, or attributes in several places.
      return NodeDef.decode(this.#bytes.subarray(start, end));
    }
    if (reader.pos !== end) {
      return NodeDef.decode(this.#bytes.subarray(start, end));
    }
    return {
      name,
      op,
      input: this.#inputs.slice(0, inputCount),
      device,
      attr: this.#attrsIn(attrStart, attrEnd),
      experimentalDebugInfo: undefined,
      experimentalType: undefined,
      _unknownFields: NO_FIELDS,
    };
  }

  #shared(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) {
      return known;
    }
    if (this.#texts.size < MAX_SHARED) {
      this.#texts.set(text, text);
    }
    return text;
  }

  #attrsIn(start: number, end: number): Map<string, AttrValue> {
    if (end - start > MAX_SHARED_BYTES) {
      return NodeDef.decode(this.#bytes.subarray(start, end)).attr;
    }
    const key = this.#text.toString("latin1", start, end);
    const known = this.#attrs.get(key);
    if (known !== undefined) {
      return known;
    }
    const { attr } = NodeDef.decode(this.#bytes.subarray(start, end));
    if (this.#attrs.size < MAX_SHARED) {
      this.#attrs.set(key, attr);
    }
    return attr;
  }
}
