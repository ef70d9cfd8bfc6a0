import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

const CHUNK_BYTES = 64 * 1024 * 1024;
/** No descriptor is longer; chunks overlap by so much. */
const OVERLAP_BYTES = 512 * 1024;
const LONGEST_NAME_BYTES = 127;
const SUFFIX = Buffer.from(".proto");

/** Field number to wire type of google.protobuf.FileDescriptorProto: all that a descriptor may begin a field with. */
const FIELD_TYPES = new Map<number, WireType>([
  [1, WireType.LengthDelimited],
  [2, WireType.LengthDelimited],
  [3, WireType.LengthDelimited],
  [4, WireType.LengthDelimited],
  [5, WireType.LengthDelimited],
  [6, WireType.LengthDelimited],
  [7, WireType.LengthDelimited],
  [8, WireType.LengthDelimited],
  [9, WireType.LengthDelimited],
  [10, WireType.Varint],
  [11, WireType.Varint],
  [12, WireType.LengthDelimited],
  [14, WireType.Varint],
]);

/**
 * The descriptor that begins where the bytes do. Nothing says where it ends, so fields are read until something comes
 * that no descriptor has: another name (the next descriptor), or a field of an unknown number or type.
 */
function descriptorAt(bytes: Buffer): FileDescriptorProto | undefined {
  const reader = new BinaryReader(bytes);
  let end = 0;
  try {
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      if (FIELD_TYPES.get(number) !== wireType || (number === 1 && end > 0)) break;
      reader.skip(wireType, number);
      end = reader.pos;
    }
  } catch {
    // The bytes behind a descriptor need not be protobuf.
  }
  try {
    const file = fromBinary(FileDescriptorProtoSchema, bytes.subarray(0, end));
    return file.messageType.length + file.enumType.length + file.service.length > 0 ? file : undefined;
  } catch {
    return undefined;
  }
}

/** Where a length-prefixed name that ends at `end` begins: the tag of field 1, then the length, then the name. */
function startOfName(bytes: Buffer, end: number): number | undefined {
  for (let length = SUFFIX.length + 1; length <= Math.min(LONGEST_NAME_BYTES, end - 2); length++) {
    const at = end - length;
    if (bytes[at - 1] === length && bytes[at - 2] === 0x0a) return at - 2;
  }
  return undefined;
}

/** Reads a file piece by piece; the pieces overlap, so that nothing is cut in two. */
function forEachChunk(file: string, visit: (bytes: Buffer) => void): void {
  const handle = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(CHUNK_BYTES + OVERLAP_BYTES);
    for (let offset = 0; ; offset += CHUNK_BYTES) {
      const length = readSync(handle, buffer, 0, buffer.length, offset);
      if (length > 0) visit(buffer.subarray(0, length));
      if (length <= CHUNK_BYTES) return;
    }
  } finally {
    closeSync(handle);
  }
}

function librariesOf(packageDir: string): string[] {
  const names = readdirSync(packageDir).filter((name) =>
    /^libtensorflow_(cc|framework)\.(so|\d+\.dylib)/.test(name),
  );
  return names.sort().map((name) => join(packageDir, name));
}

/** The descriptors of .proto files that a TensorFlow package's libraries have in them, by file name. */
export function libraryDescriptors(packageDir: string): Map<string, FileDescriptorProto> {
  const out = new Map<string, FileDescriptorProto>();
  for (const file of librariesOf(packageDir)) {
    forEachChunk(file, (bytes) => {
      for (let i = bytes.indexOf(SUFFIX); i >= 0; i = bytes.indexOf(SUFFIX, i + 1)) {
        const start = startOfName(bytes, i + SUFFIX.length);
        if (start === undefined) continue;
        const descriptor = descriptorAt(bytes.subarray(start, start + OVERLAP_BYTES));
        if (descriptor && !out.has(descriptor.name)) out.set(descriptor.name, descriptor);
      }
    });
  }
  return out;
}

/** The gRPC methods that a TensorFlow package's libraries name, as "/tensorflow.MasterService/RunStep". */
export function libraryMethods(packageDir: string): Set<string> {
  const out = new Set<string>();
  for (const file of librariesOf(packageDir)) {
    forEachChunk(file, (bytes) => {
      const prefix = Buffer.from("/tensorflow.");
      for (let i = bytes.indexOf(prefix); i >= 0; i = bytes.indexOf(prefix, i + 1)) {
        const path = /^\/tensorflow\.\w*Service\/\w+(?=\0)/.exec(
          bytes.toString("latin1", i, i + LONGEST_NAME_BYTES),
        );
        if (path) out.add(path[0]);
      }
    });
  }
  return out;
}
