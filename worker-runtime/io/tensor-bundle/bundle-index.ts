import {
  BundleEntryProto,
  BundleHeaderProto,
  BundleHeaderProto_Endianness,
} from "../../../protos/generated/tensorflow/tensor_bundle.js";
import { dataLoss, invalidArgument, notFound, unimplemented } from "../../protocol/status.js";
import { readTable } from "./table-reader.js";
import { tableBytes } from "./table-writer.js";

/** kTensorBundleVersion of TensorFlow. */
const BUNDLE_VERSION = 1;

/** More shards than any cluster has tasks: a header with more is damaged. */
const MAX_SHARDS = 100_000;

/** Key of the header, before all others. */
const HEADER_KEY = "";

/** The entries of a checkpoint's index. Keys have one character per byte ("latin1"). */
export interface BundleIndex {
  readonly shards: number;
  readonly entries: ReadonlyMap<string, BundleEntryProto>;
}

/** A tensor's name as a key. */
export function keyOfName(name: string): string {
  return Buffer.from(name, "utf8").toString("latin1");
}

function nameOfKey(key: string): string {
  return Buffer.from(key, "latin1").toString("utf8");
}

/**
 * @throws TensorFlowError DATA_LOSS if it is not an index; UNIMPLEMENTED for an index of another kind of machine.
 */
export function parseIndex(bytes: Uint8Array, path: string): BundleIndex {
  const table = readTable(bytes, `The index ${path}`);
  const headerBytes = table.get(HEADER_KEY);
  const corrupt = (detail: string) =>
    dataLoss(
      `Unable to read file (${path}). Perhaps the file is corrupt or was produced by a newer version of TensorFlow with format changes (${detail})`,
    );
  if (headerBytes === undefined) {
    throw corrupt("failed to seek to header entry");
  }
  const header = decode(BundleHeaderProto, headerBytes);
  if (header === undefined) {
    throw corrupt("unable to parse header");
  }
  if (header.endianness !== BundleHeaderProto_Endianness.LITTLE) {
    throw unimplemented(
      `The checkpoint ${path} was written on a big-endian machine, which cannot be read here.`,
    );
  }
  if ((header.version?.minConsumer ?? 0) > BUNDLE_VERSION) {
    throw invalidArgument(
      `Checkpoint min consumer version ${header.version?.minConsumer} above current version ${BUNDLE_VERSION} for this reader: ${path}`,
    );
  }
  if (header.numShards < 0 || header.numShards > MAX_SHARDS) {
    throw corrupt(`${header.numShards} shards`);
  }
  table.delete(HEADER_KEY);
  const entries = new Map<string, BundleEntryProto>();
  for (const [key, value] of table) {
    const entry = decode(BundleEntryProto, value);
    if (entry === undefined) {
      throw dataLoss(`Entry for key ${nameOfKey(key)} not parseable.`);
    }
    entries.set(key, entry);
  }
  return { shards: header.numShards, entries };
}

/** The bytes of an index. */
export function indexBytes({ shards, entries }: BundleIndex): Uint8Array {
  const header = BundleHeaderProto.encode(
    BundleHeaderProto.fromPartial({
      numShards: shards,
      endianness: BundleHeaderProto_Endianness.LITTLE,
      version: { producer: BUNDLE_VERSION },
    }),
  ).finish();
  // Latin-1 characters sort like the bytes that they represent.
  const keys = [...entries.keys()].sort();
  return tableBytes(
    (function* () {
      yield [new Uint8Array(0), header] as const;
      for (const key of keys) {
        const entry = entries.get(key) ?? BundleEntryProto.create();
        yield [Buffer.from(key, "latin1"), BundleEntryProto.encode(entry).finish()] as const;
      }
    })(),
  );
}

/** @throws TensorFlowError NOT_FOUND */
export function entryOf(index: BundleIndex, key: string): BundleEntryProto {
  const entry = index.entries.get(key);
  if (entry === undefined) {
    throw notFound(`Key ${nameOfKey(key)} not found in checkpoint`);
  }
  return entry;
}

function decode<T>(type: { decode(bytes: Uint8Array): T }, bytes: Uint8Array): T | undefined {
  try {
    return type.decode(bytes);
  } catch {
    return undefined;
  }
}
