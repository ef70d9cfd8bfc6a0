import { readdirSync, readlinkSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { frameRecord } from "../../../../worker-runtime/io/tfrecord/framing.js";
import {
  readTfRecords,
  recordsOf,
  recordsOfBytes,
  writeTfRecords,
} from "../../../../worker-runtime/io/tfrecord/records.js";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-records-"));
  path = join(folder, "a.tfrecord");
});
afterEach(() => rm(folder, { recursive: true }));

const bytes = (text: string) => new TextEncoder().encode(text);
const records = ["one", "", "three".repeat(100)].map(bytes);
const file = Buffer.concat(records.map(frameRecord));

async function all(source: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const read: Uint8Array[] = [];
  for await (const record of source) read.push(record);
  return read;
}

/** Pieces of a few bytes, so that every record is cut somewhere. */
async function* pieces(content: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

describe("TFRecord files", () => {
  test.each(["", "GZIP", "ZLIB"] as const)(
    "are written and read again (compression %j)",
    async (compression) => {
      expect(await writeTfRecords(path, records, { compression })).toBe(3);
      expect(await all(readTfRecords(path))).toEqual(records);
      expect(await all(readTfRecords(path, { compression }))).toEqual(records);
      expect([...recordsOfBytes(await readFile(path), "a")]).toEqual(records);
    },
  );

  test.each([1, 7, 16, 1000])("are read in pieces of %i bytes", async (size) => {
    expect(await all(recordsOf(pieces(file, size), "a"))).toEqual(records);
    expect(await all(recordsOf(pieces(gzipSync(file), size), "a"))).toEqual(records);
  });

  test("may be empty", async () => {
    expect(await writeTfRecords(path, [])).toBe(0);
    expect(await all(readTfRecords(path))).toEqual([]);
  });

  test("are read as far as they are wanted, and closed then", async () => {
    await writeTfRecords(path, records);
    for await (const record of readTfRecords(path)) {
      expect(record).toEqual(records[0]);
      break;
    }
    const open = () =>
      process.platform === "linux"
        ? readdirSync("/proc/self/fd").filter((fd) => {
            try {
              return readlinkSync(`/proc/self/fd/${fd}`) === path;
            } catch {
              return false;
            }
          })
        : [];
    await expect.poll(open).toEqual([]);
  });

  test("end the reading when it is cancelled", async () => {
    await writeTfRecords(path, records);
    const signal = AbortSignal.abort();
    await expect(all(readTfRecords(path, { signal }))).rejects.toMatchObject({ codeName: "CANCELLED" });
    await expect(writeTfRecords(path, records, { signal })).rejects.toMatchObject({ codeName: "CANCELLED" });
  });

  test("that do not exist say so; what makes the records may fail", async () => {
    await expect(all(readTfRecords(join(folder, "none")))).rejects.toMatchObject({ codeName: "NOT_FOUND" });
    await expect(writeTfRecords(join(folder, "none/a"), records)).rejects.toMatchObject({
      codeName: "NOT_FOUND",
    });
    const broken = (function* () {
      yield bytes("one");
      throw new Error("no more");
    })();
    await expect(writeTfRecords(path, broken)).rejects.toThrow("no more");
  });
});

describe("a TFRecord file that is not whole", () => {
  const changed = (at: number) => {
    const copy = new Uint8Array(file);
    copy[at] = (copy[at] ?? 0) ^ 1;
    return copy;
  };
  // Records begin at 0, 19 and 35.
  test.each([
    [
      changed(0),
      '"a", record 1 at byte 0: the checksum of its length does not match. This is no TFRecord file, or',
    ],
    [
      changed(13),
      '"a", record 1 at byte 0: the checksum of its 3 bytes does not match. The file is damaged.',
    ],
    [
      changed(20),
      '"a", record 2 at byte 19: the checksum of its length does not match. The file is damaged.',
    ],
    [changed(32), '"a", record 2 at byte 19: the checksum of its 0 bytes does not match.'],
    [file.subarray(0, -1), '"a", record 3 at byte 35: the file ends within it, after 515 of its bytes.'],
    [file.subarray(0, 25), '"a", record 2 at byte 19: the file ends within it, after 6 of its bytes.'],
    [
      gzipSync(file.subarray(0, -1)),
      '"a", record 3 at byte 35 of its unpacked content: the file ends within it',
    ],
    [
      deflateSync(changed(20)),
      '"a", record 2 at byte 19 of its unpacked content: the checksum of its length',
    ],
    [gzipSync(file).subarray(0, -12), "It is a GZIP file that is damaged or cut."],
  ])("says where (%#)", async (content, message) => {
    await expect(all(recordsOf(pieces(content, 16), "a"))).rejects.toMatchObject({
      codeName: "DATA_LOSS",
      message: expect.stringContaining(message),
    });
    expect(() => [...recordsOfBytes(content, "a")]).toThrow(
      expect.objectContaining({ codeName: "DATA_LOSS" }),
    );
  });

  test("is not one of anything else", async () => {
    await writeFile(path, "a,b\n1,2\n3,4\n");
    await expect(all(readTfRecords(path))).rejects.toThrow("This is no TFRecord file, or it is damaged.");
  });
});
