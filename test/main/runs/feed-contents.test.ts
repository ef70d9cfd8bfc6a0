import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zipSync } from "fflate";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { feedContents } from "../../../main/runs/feed-contents.js";
import { THIS_PROGRAM } from "../../../main/shared/caller.js";
import { writeNpy } from "../../../worker-runtime/io/npy.js";
import { encodeExample } from "../../../worker-runtime/io/tfrecord/example.js";
import { writeTfRecords } from "../../../worker-runtime/io/tfrecord/records.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";

const array = (...shape: number[]) =>
  writeNpy(
    new Tensor("float32", shape, new Float32Array(shape.reduce((product, size) => product * size, 1))),
  );
const ofBytes = (name: string, bytes: Uint8Array) =>
  feedContents({ kind: "content", name, bytes }, THIS_PROGRAM);
const text = (content: string) => new TextEncoder().encode(content);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-contents-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("what a file to be fed holds", () => {
  it("is the array of a .npy file, of which the head is enough", async () => {
    const whole = array(100, 28, 28);
    const path = join(folder, "x.npy");
    await writeFile(path, whole);
    const expected = { arrays: [{ dtype: "float32", shape: [100, 28, 28] }], columns: [] };
    expect(await feedContents({ kind: "file", path }, THIS_PROGRAM)).toEqual(expected);
    expect(await ofBytes("x.npy", whole.subarray(0, 1000))).toEqual(expected);
  });

  it.each([0, 6] as const)("is the arrays of a .npz file, compressed or not (level %i)", async (level) => {
    const bytes = zipSync({ "x.npy": array(100_000), "labels.npy": array(3) }, { level });
    const expected = [
      { name: "x", dtype: "float32", shape: [100_000] },
      { name: "labels", dtype: "float32", shape: [3] },
    ];
    expect(await ofBytes("data.npz", bytes)).toEqual({ arrays: expected, columns: [] });
    await writeFile(join(folder, "data.npz"), bytes);
    const path = join(folder, "data.npz");
    expect(await feedContents({ kind: "file", path }, THIS_PROGRAM)).toMatchObject({ arrays: expected });
  });

  it("is the features of a TFRecord file, with the first record of what differs", async () => {
    const path = join(folder, "a.tfrecord");
    await writeTfRecords(
      path,
      [{ x: [1, 2], y: 3n }, { x: [3, 4] }, { x: [5] }, { x: [6, 7], z: "late" }].map(encodeExample),
      { compression: "GZIP" },
    );
    const expected = {
      records: 4,
      isComplete: true,
      features: [
        {
          name: "x",
          kinds: [
            { dtype: "float32", length: 2, records: 3, first: 1 },
            { dtype: "float32", length: 1, records: 1, first: 3 },
          ],
        },
        {
          name: "y",
          kinds: [{ dtype: "int64", length: 1, records: 1, first: 1 }],
          missing: { records: 3, first: 2 },
        },
        {
          name: "z",
          kinds: [{ dtype: "string", length: 1, records: 1, first: 4 }],
          missing: { records: 3, first: 1 },
        },
      ],
    };
    expect(await feedContents({ kind: "file", path }, THIS_PROGRAM)).toEqual({
      arrays: [],
      columns: [],
      records: expected,
    });
    const bytes = await readFile(path);
    expect(await ofBytes("a.tfrecord", bytes)).toMatchObject({ records: expected });
    await writeFile(path, bytes.subarray(0, -9));
    expect(await feedContents({ kind: "file", path }, THIS_PROGRAM)).toMatchObject({
      problem: { code: "DATA_LOSS", message: expect.stringContaining("damaged or cut") },
    });
  });

  it("is the columns of a table, by name or number; the last line may be cut", async () => {
    expect(await ofBytes("t.csv", text('height,"name, full",x\n1,a,2\n3,"b'))).toMatchObject({
      columns: ["height", "name, full", "x"],
    });
    expect(await ofBytes("t.csv", text("1;2\n3;4"))).toMatchObject({ columns: ["0", "1"] });
  });

  it("is a problem in words where it cannot be fed", async () => {
    expect(await ofBytes("cat.jpg", text("JFIF"))).toMatchObject({
      problem: { message: expect.stringContaining("no file that can be fed") },
    });
    expect(await feedContents({ kind: "file", path: join(folder, "none.npy") }, THIS_PROGRAM)).toMatchObject({
      problem: { code: "NOT_FOUND" },
    });
    expect(await ofBytes("t.csv", new Uint8Array(0))).toMatchObject({
      problem: { message: expect.stringContaining("empty") },
    });
  });
});
