/** Readers of records, with the queues that name their files. */
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { Graph } from "../../../../../worker-runtime/graph/graph.js";
import type { Output } from "../../../../../worker-runtime/graph/operation.js";
import { crc32c, maskCrc } from "../../../../../worker-runtime/io/tensor-bundle/crc32c.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { Program, Step } from "./program.js";

/** The bytes of a TFRecord file. */
function tfRecordFile(records: readonly string[]): Buffer {
  const checked = (bytes: Buffer): Buffer => {
    const crc = Buffer.alloc(4);
    crc.writeUInt32LE(maskCrc(crc32c(bytes)));
    return Buffer.concat([bytes, crc]);
  };
  return Buffer.concat(
    records.flatMap((record) => {
      const length = Buffer.alloc(8);
      length.writeBigUInt64LE(BigInt(Buffer.byteLength(record)));
      return [checked(length), checked(Buffer.from(record))];
    }),
  );
}

function changed(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

const plain = tfRecordFile(["one", "three", ""]);

const contents = {
  text: Buffer.from("a\rb\r\n\n\r\nx\r\r\nlast\r"),
  empty: Buffer.alloc(0),
  return: Buffer.from("\r"),
  fixed: Buffer.from("HaabbccFF"),
  short: Buffer.from("HaabbcFF"),
  tiny: Buffer.from("H"),
  "fixed.gz": gzipSync("HaabbccFF"),
  records: plain,
  "records.gz": gzipSync(plain),
  cut: plain.subarray(0, plain.length - 3),
  "cut.header": plain.subarray(0, 25),
  "changed.length": changed(plain, 0),
  "changed.record": changed(plain, 12),
} as const;

/** The ops without "V2" are for clients of GraphDef versions before 26. */
const LAST_WITH_OLD_READERS = 25;

type FileName = keyof typeof contents | "missing";

interface Case {
  readonly name: string;
  /** Without its version. */
  readonly reader: string;
  readonly version: "" | "V2";
  readonly attrs?: Readonly<Record<string, number | string>>;
  readonly units: readonly FileName[];
  readonly reads: number;
  /** Reads of as many records as this. */
  readonly upTo?: number;
}

/** Writes the files, reads so often, and asks for the counts after each time; at the end resets, saves and restores. */
function program({ name, reader, version: v, attrs = {}, units, reads, upTo }: Case): Program {
  return {
    name,
    ...(v === "" ? { producer: LAST_WITH_OLD_READERS } : {}),
    build: (g, folder) => {
      const pathOf = (file: FileName) => path.join(folder, name, file);
      const writes: Step[] = [...new Set(units)].flatMap((file) =>
        file === "missing"
          ? []
          : [{ run: [g.op("WriteFile", [Tensor.of(pathOf(file)), bytesTensor(contents[file])])] }],
      );
      const handle = g.op(reader + v, [], attrs).output;
      const queue = g.op(`FIFOQueue${v}`, [], { component_types: ["string"], shapes: [[]] }).output;
      const fill = g.op(`QueueEnqueueMany${v}`, [queue, [Tensor.of(units.map(pathOf))]]);
      const close = g.op(`QueueClose${v}`, [queue]);
      const read =
        upTo === undefined
          ? g.op(`ReaderRead${v}`, [handle, queue])
          : g.op(`ReaderReadUpTo${v}`, [handle, queue, Tensor.of(BigInt(upTo), "int64")]);
      const counts = {
        run: [
          g.op(`ReaderNumRecordsProduced${v}`, [handle]).output,
          g.op(`ReaderNumWorkUnitsCompleted${v}`, [handle]).output,
        ],
      };
      const once = { run: [withoutFolder(g, read.outputAt(0)), withoutFolder(g, read.outputAt(1))] };
      const save = { run: [withoutFolder(g, g.op(`ReaderSerializeState${v}`, [handle]).output)] };
      const restore = (state: Buffer) => ({
        run: [g.op(`ReaderRestoreState${v}`, [handle, bytesTensor(state)])],
      });
      return [
        ...writes,
        { run: [fill] },
        { run: [close] },
        ...Array.from({ length: reads }, () => [once, counts]).flat(),
        save,
        { run: [g.op(`ReaderReset${v}`, [handle])] },
        counts,
        restore(Buffer.from([8, 2, 16, 2, 24, 5])),
        counts,
        save,
        restore(Buffer.from([8, 3, 16, 2])),
        restore(Buffer.from([8, 255])),
        counts,
      ];
    },
  };
}

function bytesTensor(bytes: Buffer): Tensor {
  return new Tensor("string", [], [bytes]);
}

/** The two servers have folders of different names. */
function withoutFolder(g: Graph, text: Output): Output {
  // In a saved state the byte before a path is its length.
  return g.op("RegexReplace", [text, Tensor.of("(?s)[^/]?/.*/"), Tensor.of("")]).output;
}

const cases: readonly Case[] = [
  {
    name: "lines",
    reader: "TextLineReader",
    version: "V2",
    units: ["text", "empty", "missing", "return", "text"],
    reads: 9,
  },
  {
    name: "lines_ref",
    reader: "TextLineReader",
    version: "",
    attrs: { skip_header_lines: 2 },
    units: ["empty", "text"],
    reads: 5,
  },
  {
    name: "lines_up_to",
    reader: "TextLineReader",
    version: "V2",
    units: ["text", "empty", "text"],
    reads: 6,
    upTo: 3,
  },
  {
    name: "lines_up_to_ref",
    reader: "TextLineReader",
    version: "",
    units: ["text", "text"],
    reads: 3,
    upTo: 9,
  },
  { name: "no_lines", reader: "TextLineReader", version: "V2", units: ["text"], reads: 1, upTo: 0 },
  {
    name: "wrong_skip",
    reader: "TextLineReader",
    version: "V2",
    attrs: { skip_header_lines: -1 },
    units: ["text"],
    reads: 1,
  },
  {
    name: "fixed_length",
    reader: "FixedLengthRecordReader",
    version: "V2",
    attrs: { header_bytes: 1, record_bytes: 2, footer_bytes: 2 },
    units: ["fixed", "short", "tiny", "missing", "fixed"],
    reads: 11,
  },
  {
    name: "overlapping",
    reader: "FixedLengthRecordReader",
    version: "V2",
    attrs: { header_bytes: 1, record_bytes: 2, footer_bytes: 2, hop_bytes: 1 },
    units: ["fixed"],
    reads: 6,
  },
  {
    name: "long_header",
    reader: "FixedLengthRecordReader",
    version: "V2",
    attrs: { header_bytes: 3, record_bytes: 2 },
    units: ["tiny", "fixed"],
    reads: 4,
  },
  {
    name: "fixed_length_packed",
    reader: "FixedLengthRecordReader",
    version: "V2",
    attrs: { header_bytes: 1, record_bytes: 2, footer_bytes: 2, encoding: "GZIP" },
    units: ["fixed.gz"],
    reads: 4,
  },
  ...(["", "V2"] as const).map(
    (version): Case => ({
      name: `records${version}`,
      reader: "TFRecordReader",
      version,
      units: ["records", "empty", "missing", "cut.header", "records"],
      reads: 8,
    }),
  ),
  ...(["cut", "changed.length", "changed.record"] as const).map(
    (file): Case => ({
      name: `records_${file}`,
      reader: "TFRecordReader",
      version: "V2",
      units: [file, "records"],
      reads: 4,
    }),
  ),
  {
    name: "records_packed",
    reader: "TFRecordReader",
    version: "V2",
    attrs: { compression_type: "GZIP" },
    units: ["records.gz", "records"],
    reads: 5,
  },
  ...(["", "V2"] as const).flatMap((version): Case[] => [
    {
      name: `whole${version}`,
      reader: "WholeFileReader",
      version,
      units: ["fixed", "missing", "text"],
      reads: 4,
    },
    { name: `identity${version}`, reader: "IdentityReader", version, units: ["text", "missing"], reads: 3 },
  ]),
  {
    name: "identity_up_to",
    reader: "IdentityReader",
    version: "V2",
    units: ["text", "missing"],
    reads: 3,
    upTo: 5,
  },
];

/** A queue that no reader can work with. */
const wrongQueues: Program = {
  name: "wrong_queues",
  build: (g) => {
    const reader = g.op("IdentityReaderV2", []).output;
    const steps = ([["string", "string"], ["int32"], ["string"]] as const).map(
      (types, i): readonly Step[] => {
        const queue = g.op("FIFOQueueV2", [], {
          component_types: [...types],
          shared_name: `wrong${i}`,
        }).output;
        const elements = types.map((type) =>
          type === "int32" ? Tensor.of(1, "int32") : i === 2 ? Tensor.of(["a", "b"]) : Tensor.of("a"),
        );
        const read = g.op("ReaderReadV2", [reader, queue]);
        return [{ run: [g.op("QueueEnqueueV2", [queue, elements])] }, { run: [read.outputAt(0)] }];
      },
    );
    return steps.flat();
  },
};

export const readerPrograms: readonly Program[] = [...cases.map(program), wrongQueues];
