import { BinaryReader, base64Decode, WireType } from "@bufbuild/protobuf/wire";
import { inflateSync } from "fflate";
import type { FunctionDefLibrary } from "../../protos/generated/tensorflow/function.js";
import { OpDef, type OpList } from "../../protos/generated/tensorflow/op_def.js";
import { notFound } from "../protocol/status.js";
import { OP_LIST_BASE64, OP_LIST_SIZE_BYTES } from "./op-list.js";
import { didYouMean } from "./similar-names.js";

/** The ops of a TensorFlow version, by name. Immutable. */
export class OpRegistry {
  // An entry is a serialized OpDef until it is first used: a list has about 1,900, a graph uses a few dozen.
  readonly #ops: Map<string, OpDef | Uint8Array>;

  private constructor(ops: Map<string, OpDef | Uint8Array>) {
    this.#ops = ops;
  }

  /** The ops of a list, for example the one that an engine returns for TF_GetAllOpList. */
  static fromOpList(list: OpList): OpRegistry {
    return new OpRegistry(new Map(list.op.map((op) => [op.name, op])));
  }

  /** The ops of a serialized tensorflow.OpList, each decoded on first use. The bytes must not change later. */
  static fromBytes(bytes: Uint8Array): OpRegistry {
    const ops = new Map<string, OpDef | Uint8Array>();
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [field, wireType] = reader.tag();
      if (field !== 1 || wireType !== WireType.LengthDelimited) {
        reader.skip(wireType, field);
        continue;
      }
      const op = reader.bytes();
      ops.set(nameOf(op), op);
    }
    return new OpRegistry(ops);
  }

  /** This registry and a graph's own functions, which nodes call like ops. */
  withFunctions(library: FunctionDefLibrary | undefined): OpRegistry {
    if (!library || library.function.length === 0) return this;
    const ops = new Map(this.#ops);
    for (const { signature } of library.function) if (signature) ops.set(signature.name, signature);
    return new OpRegistry(ops);
  }

  /** The definition of an op; undefined if there is none of that name. */
  get(name: string): OpDef | undefined {
    const op = this.#ops.get(name);
    if (!(op instanceof Uint8Array)) return op;
    const decoded = OpDef.decode(op);
    this.#ops.set(name, decoded);
    return decoded;
  }

  has(name: string): boolean {
    return this.#ops.has(name);
  }

  /** The definition of an op. @throws TensorFlowError NOT_FOUND, with similar names, if there is none. */
  require(name: string): OpDef {
    const op = this.get(name);
    if (op) return op;
    throw notFound(
      `Op type not registered '${name}': no TensorFlow op has this name.${didYouMean(name, this.#ops.keys())}`,
    );
  }

  /** The names of all ops, sorted. */
  names(): string[] {
    return [...this.#ops.keys()].sort();
  }
}

/** The name inside a serialized OpDef (field 1) without decoding the rest. */
function nameOf(op: Uint8Array): string {
  const reader = new BinaryReader(op);
  let name = "";
  while (reader.pos < reader.len && name === "") {
    const [field, wireType] = reader.tag();
    if (field === 1) name = reader.string();
    else reader.skip(wireType, field);
  }
  return name;
}

let bundled: OpRegistry | undefined;

/**
 * The ops of the TensorFlow version that Tensordeck is built for (see op-list.ts). Custom ops of a loaded library and
 * ops of other versions are only in the list of the engine.
 */
export function bundledOpRegistry(): OpRegistry {
  bundled ??= OpRegistry.fromBytes(
    inflateSync(base64Decode(OP_LIST_BASE64), { out: new Uint8Array(OP_LIST_SIZE_BYTES) }),
  );
  return bundled;
}
