import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodePng } from "../../../worker-runtime/engines/portable/kernels/image/png-encoder.js";
import { shapeAsFed } from "../../../worker-runtime/graph/feed-shape.js";
import { feedFromBytes, feedFromFile } from "../../../worker-runtime/io/feed.js";
import { describeFeedFile } from "../../../worker-runtime/io/feed-contents.js";
import { decodeImage } from "../../../worker-runtime/io/image/decode-image.js";
import { writeNpy } from "../../../worker-runtime/io/npy.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-images-"));
  for (const [name, gray] of [
    ["b/0.png", 255],
    ["a/1.png", 51],
    ["a/0.PNG", 0],
    ["a/notes.txt", 0],
  ] as const) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    const pixels = new Uint8Array(4).fill(gray);
    await writeFile(join(folder, name), encodePng({ width: 2, height: 2, channels: 1, bits: 8, pixels }, 1));
  }
});
afterAll(() => rm(folder, { recursive: true }));

describe("a folder of images", () => {
  test("is fed as images in the size and range that are wanted, and as labels", async () => {
    const images = await feedFromFile(folder, {
      column: "images",
      dtype: "float32",
      shape: [-1, 1, 3, 1],
      range: "unit",
    });
    expect(images.shape).toEqual([3, 1, 3, 1]);
    expect(images.toArray()).toEqual(
      [0, 0.2, 1].map((value) => [Array.from({ length: 3 }, () => [Math.fround(value)])]),
    );
    const labels = await feedFromFile(folder, { column: "labels", dtype: "int64", shape: [-1] });
    expect(labels.toArray()).toEqual([0n, 0n, 1n]);
    // The first image's size, and colors, unless something else is wanted.
    expect((await feedFromFile(folder, { column: "images" })).shape).toEqual([3, 2, 2, 3]);
  });

  test("is divided among workers", async () => {
    const shard = (index: number) =>
      feedFromFile(folder, { column: "labels", shard: { count: 2, index } }).then((labels) =>
        labels.toArray(),
      );
    expect(await shard(0)).toEqual([0, 1]);
    expect(await shard(1)).toEqual([0]);
  });

  test("tells what it has", async () => {
    expect((await describeFeedFile(folder)).arrays).toEqual([
      { name: "images", dtype: "uint8", shape: [3, -1, -1, -1] },
      { name: "labels", dtype: "int32", shape: [3] },
    ]);
    await expect(feedFromFile(folder)).rejects.toThrow("has the arrays images and labels");
  });

  test("may be a single image, with or without a batch, which is no CSV file", async () => {
    const path = join(folder, "b", "0.png");
    expect((await describeFeedFile(path)).arrays).toEqual([{ dtype: "uint8", shape: [1, -1, -1, -1] }]);
    const options = { dtype: "float32", range: "unit" } as const;
    const inBatch = await feedFromFile(path, { ...options, shape: [-1, 1, 3, 1] });
    expect(inBatch.toArray()).toEqual([[[[1], [1], [1]]]]);
    const alone = await feedFromFile(path, { ...options, shape: [1, 3, 1] });
    expect(alone.toArray()).toEqual([[[1], [1], [1]]]);
    expect((await feedFromFile(path, { column: "images" })).shape).toEqual([1, 2, 2, 3]);
    await expect(feedFromFile(path, { column: "labels" })).rejects.toThrow(
      'The image "0.png" has no array labels.',
    );
  });

  test("a damaged image is named", () => {
    expect(() => decodeImage(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 2), 3, "cut.jpg")).toThrow(
      '"cut.jpg": The JPEG image is damaged: it ends early.',
    );
    expect(() => decodeImage(Uint8Array.of(1, 2), 0, "text.png")).toThrow('"text.png": It is not an image.');
  });
});

describe("rows of a file", () => {
  test("become vectors, or get a dimension of size 1, but are never turned around", () => {
    expect(shapeAsFed([10, 28, 28], [-1, 784])).toEqual([10, 784]);
    expect(shapeAsFed([10, 28, 28], [-1, 28, 28, 1])).toEqual([10, 28, 28, 1]);
    expect(shapeAsFed([10, 3, 8, 8], [-1, 8, 8, 3])).toBeUndefined();
    expect(shapeAsFed([10, 28, 28], [-1, 783])).toBeUndefined();
    expect(shapeAsFed([10], [-1, -1])).toEqual([10, 1]);
    expect(shapeAsFed([10, 1], [10])).toEqual([10]);
    expect(shapeAsFed([1, -1, -1, -1], [224, 224, 3])).toEqual([-1, -1, -1]);
    expect(shapeAsFed([2, 8, 8, 3], [8, 8, 3])).toBeUndefined();
    expect(shapeAsFed([3], [])).toBeUndefined();
  });

  test("of bytes are fed to a network that takes vectors from 0 to 1", () => {
    const pixels = new Tensor("uint8", [2, 1, 2], Uint8Array.of(0, 255, 51, 0));
    const fed = feedFromBytes(writeNpy(pixels), "x.npy", { dtype: "float32", shape: [-1, 2], range: "unit" });
    expect(fed.data).toEqual(Float32Array.of(0, 1, 0.2, 0));
  });
});
