import { invalidArgument, outOfRange } from "../../../../../protocol/status.js";
import type { KernelNode } from "../../kernel-node.js";
import { compressionOf, FileBytes, type FileStep } from "../files/file-bytes.js";
import { type FixedLayout, nextFixed, nextRecord, withoutReturn } from "../files/records.js";
import type { RecordFormat, UnitRecords } from "./reader.js";

const utf8 = new TextDecoder();

/** "path:7" as bytes: paths need not be UTF-8. */
function numberedKey(unit: Uint8Array, number: number): Uint8Array {
  return Buffer.concat([unit, Buffer.from(`:${number}`)]);
}

/** The records of a file, which `next` reads one by one; undefined after the last one. */
function unitRecords(
  unit: Uint8Array,
  next: (step: FileStep) => Promise<{ readonly number: number; readonly value: Uint8Array } | undefined>,
): UnitRecords {
  return {
    async next(step) {
      const found = await next(step);
      return found === undefined
        ? { isLast: true }
        : { record: { key: numberedKey(unit, found.number), value: found.value }, isLast: false };
    },
  };
}

/** An attribute that must not be negative. @throws TensorFlowError INVALID_ARGUMENT */
function natural(node: KernelNode, attr: string): number {
  const value = node.int(attr);
  if (value < 0) {
    throw invalidArgument(`${attr} must be >= 0 not ${value}`);
  }
  return value;
}

/** Lines; the first ones of each file may be skipped. Keys count lines from 1, including skipped ones. */
function textLines(node: KernelNode): RecordFormat {
  const skipped = natural(node, "skip_header_lines");
  return {
    kind: "TextLineReader",
    isSavable: false,
    async begin(unit, step) {
      const bytes = new FileBytes(utf8.decode(unit));
      let number = 0;
      await bytes.fileSize(step);
      while (number < skipped && (await bytes.line(step, withoutReturn)) !== undefined) {
        number += 1;
      }
      return unitRecords(unit, async (next) => {
        const value = await bytes.line(next, withoutReturn);
        number += 1;
        return value && { number, value };
      });
    },
  };
}

/** Fixed-length records between a header and a footer. Keys count them from 0. */
function fixedLength(node: KernelNode): RecordFormat {
  const record = natural(node, "record_bytes");
  const hop = natural(node, "hop_bytes");
  const layout: FixedLayout = {
    header: natural(node, "header_bytes"),
    record,
    footer: natural(node, "footer_bytes"),
    hop: hop === 0 ? record : hop,
  };
  const compression = compressionOf(node.string("encoding"));
  return {
    kind: "FixedLengthRecordReader",
    isSavable: false,
    async begin(unit, step) {
      const bytes = new FileBytes(utf8.decode(unit), compression);
      await bytes.fileSize(step);
      const header = await bytes.peek(layout.header, step);
      if (header.length < layout.header) {
        throw outOfRange(`reached end of file: ${bytes.path} has no header of ${layout.header} bytes`);
      }
      bytes.skip(layout.header);
      let number = -1;
      return unitRecords(unit, async (next) => {
        const value = await nextFixed(bytes, layout, next);
        number += 1;
        return value && { number, value };
      });
    },
  };
}

/** TFRecord files. A key has the byte offset of its record. */
function tfRecords(node: KernelNode): RecordFormat {
  const name = node.string("compression_type");
  // Like TensorFlow, treats an unknown name as no compression.
  const compression = name === "GZIP" || name === "ZLIB" ? name : "";
  return {
    kind: "TFRecordReader",
    isSavable: false,
    async begin(unit, step) {
      const bytes = new FileBytes(utf8.decode(unit), compression);
      await bytes.fileSize(step);
      return unitRecords(unit, async (next) => {
        const number = bytes.position;
        const value = await nextRecord(bytes, next);
        return value && { number, value };
      });
    },
  };
}

/** Whole files. The key is the path. */
function wholeFiles(): RecordFormat {
  return {
    kind: "WholeFileReader",
    isSavable: true,
    begin: async (unit) => ({
      // The file is opened with its only record: if it is missing, the next read tries again.
      next: async (step) => ({
        record: { key: unit, value: await new FileBytes(utf8.decode(unit)).rest(step) },
        isLast: true,
      }),
    }),
  };
}

/** The work units themselves, as keys and values. */
function identities(): RecordFormat {
  return {
    kind: "IdentityReader",
    isSavable: true,
    begin: async (unit) => ({ next: async () => ({ record: { key: unit, value: unit }, isLast: true }) }),
  };
}

/** The record format of each reader op, from the node's attributes. */
export const formats: Readonly<Record<string, (node: KernelNode) => RecordFormat>> = {
  TextLineReader: textLines,
  TextLineReaderV2: textLines,
  // The older op has no attribute "encoding", which TensorFlow's kernel requires, so it does not work there either.
  FixedLengthRecordReaderV2: fixedLength,
  TFRecordReader: tfRecords,
  TFRecordReaderV2: tfRecords,
  WholeFileReader: wholeFiles,
  WholeFileReaderV2: wholeFiles,
  IdentityReader: identities,
  IdentityReaderV2: identities,
};
