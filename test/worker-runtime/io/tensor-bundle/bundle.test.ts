import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BundleReader } from "../../../../worker-runtime/io/tensor-bundle/bundle-reader.js";
import { BundleWriter } from "../../../../worker-runtime/io/tensor-bundle/bundle-writer.js";
import { crc32c, maskCrc, unmaskCrc } from "../../../../worker-runtime/io/tensor-bundle/crc32c.js";
import { mergeBundles } from "../../../../worker-runtime/io/tensor-bundle/merge-bundles.js";
import { orderedSigned } from "../../../../worker-runtime/io/tensor-bundle/ordered-code.js";
import { parseShapeAndSlice } from "../../../../worker-runtime/io/tensor-bundle/tensor-slice.js";
import { TensorFlowError } from "../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../worker-runtime/protocol/tensor.js";

const files = { resolve: async (path: string) => path };
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-bundle-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function save(prefix: string, tensors: Readonly<Record<string, Tensor>>): Promise<void> {
  const writer = await BundleWriter.create(prefix, files);
  for (const [name, tensor] of Object.entries(tensors)) {
    await writer.add(name, tensor);
  }
  await writer.finish();
}

async function restore(prefix: string, ...names: string[]): Promise<Tensor[]> {
  const reader = await BundleReader.open(prefix, files);
  try {
    return await Promise.all(names.map((name) => reader.read(name)));
  } finally {
    await reader.close();
  }
}

describe("CRC-32C", () => {
  test("is that of RFC 3720", () => {
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(crc32c(Buffer.from("123456789"))).toBe(0xe3069283);
    expect(crc32c(Buffer.from("456789"), crc32c(Buffer.from("123")))).toBe(0xe3069283);
  });

  test("is masked as in LevelDB", () => {
    const crc = crc32c(Buffer.from("foo"));
    expect(maskCrc(crc)).not.toBe(crc);
    expect(unmaskCrc(maskCrc(crc))).toBe(crc);
  });
});

test("numbers with a sign sort as bytes", () => {
  const numbers = [-(2 ** 40), -8193, -8192, -65, -64, -1, 0, 1, 63, 64, 8191, 8192, 2 ** 40];
  const coded = numbers.map((number) => Buffer.from(orderedSigned(number)));
  expect([...coded].sort(Buffer.compare)).toEqual(coded);
  expect(orderedSigned(0)).toEqual([0x80]);
  expect(orderedSigned(-1)).toEqual([0x7f]);
});

describe("a checkpoint", () => {
  test("gives back what was saved", async () => {
    const tensors = {
      scalar: Tensor.of(1.5),
      empty: Tensor.of([], "float32", [0, 3]),
      strings: Tensor.of(["", "a", "ä".repeat(200)]),
      none: Tensor.of([], "string", [0]),
      bools: Tensor.of([true, false]),
      longs: Tensor.of([[1n, -(2n ** 63n)]], "int64"),
      halfs: Tensor.of([1, 2], "float16"),
      complex: Tensor.of([{ re: 1, im: -2 }], "complex64"),
    };
    await save(join(folder, "new/model"), tensors);
    const restored = await restore(join(folder, "new/model"), ...Object.keys(tensors));
    for (const [index, tensor] of Object.values(tensors).entries()) {
      expect(restored[index]?.dtype).toBe(tensor.dtype);
      expect(restored[index]?.shape).toEqual(tensor.shape);
      expect(restored[index]?.toArray()).toEqual(tensor.toArray());
    }
    expect((await readdir(join(folder, "new"))).sort()).toEqual(["model.data-00000-of-00001", "model.index"]);
  });

  test("of more tensors than fit into a block of the index", async () => {
    const tensors = Object.fromEntries(
      Array.from({ length: 12_000 }, (_, index) => [`layer/${index}/kernel`, Tensor.of(index)]),
    );
    await save(join(folder, "model"), tensors);
    expect((await readFile(join(folder, "model.index"))).length).toBeGreaterThan(256 * 1024);
    const [last] = await restore(join(folder, "model"), "layer/11999/kernel");
    expect(last?.item()).toBe(11999);
    const reader = await BundleReader.open(join(folder, "model"), files);
    expect(reader.names()).toHaveLength(12_000);
  });

  test("that was given up leaves nothing", async () => {
    const writer = await BundleWriter.create(join(folder, "model"), files);
    await writer.add("x", Tensor.of(1));
    await expect(writer.add("x", Tensor.of(2))).rejects.toThrow("Adding duplicate key: x");
    await writer.abandon();
    expect(await readdir(folder)).toEqual([]);
  });

  test("of parts is put together", async () => {
    const whole = Tensor.of(
      Array.from({ length: 24 }, (_, index) => index),
      "int32",
      [4, 3, 2],
    );
    const first = await BundleWriter.create(join(folder, "a"), files);
    await first.addSlice(
      "v",
      parseShapeAndSlice("4 3 2 0,2:-:-"),
      whole.data instanceof Int32Array ? new Tensor("int32", [2, 3, 2], whole.data.subarray(0, 12)) : whole,
    );
    await first.finish();
    const second = await BundleWriter.create(join(folder, "b"), files);
    await second.addSlice(
      "v",
      parseShapeAndSlice("4 3 2 2,2:-:-"),
      whole.data instanceof Int32Array ? new Tensor("int32", [2, 3, 2], whole.data.subarray(12)) : whole,
    );
    await second.add("w", Tensor.of(7));
    await second.finish();
    await mergeBundles([join(folder, "a"), join(folder, "b")], join(folder, "model"), files, {
      deleteOldFolders: true,
      allowMissing: false,
    });
    expect((await readdir(folder)).sort()).toEqual([
      "model.data-00000-of-00002",
      "model.data-00001-of-00002",
      "model.index",
    ]);
    const reader = await BundleReader.open(join(folder, "model"), files);
    expect(reader.names()).toEqual(["v", "w"]);
    expect((await reader.read("v")).toArray()).toEqual(whole.toArray());
    const { slice } = parseShapeAndSlice("4 3 2 1,2:1,2:0,1");
    expect((await reader.read("v", slice)).toArray()).toEqual([
      [[8], [10]],
      [[14], [16]],
    ]);
    await reader.close();
  });
});

describe("a damaged checkpoint", () => {
  async function failure(run: Promise<unknown>): Promise<TensorFlowError> {
    return run.then(
      () => {
        throw new Error("It was read without an error.");
      },
      (error: unknown) => {
        if (!(error instanceof TensorFlowError)) {
          throw error;
        }
        return error;
      },
    );
  }

  test("is told by its checksums", async () => {
    const prefix = join(folder, "model");
    await save(prefix, { x: Tensor.of([1, 2, 3]), s: Tensor.of(["abc", "d"]) });
    const data = await readFile(`${prefix}.data-00000-of-00001`);
    data[5] = (data[5] ?? 0) ^ 1;
    data[data.length - 1] = (data[data.length - 1] ?? 0) ^ 1;
    await writeFile(`${prefix}.data-00000-of-00001`, data);
    expect((await failure(restore(prefix, "x"))).codeName).toBe("DATA_LOSS");
    expect((await failure(restore(prefix, "s"))).codeName).toBe("DATA_LOSS");
    await writeFile(`${prefix}.data-00000-of-00001`, data.subarray(0, 8));
    expect((await failure(restore(prefix, "x"))).codeName).toBe("DATA_LOSS");
    expect((await failure(restore(prefix, "y"))).message).toBe("Key y not found in checkpoint");
    expect((await failure(restore(join(folder, "other"), "x"))).codeName).toBe("NOT_FOUND");
  });

  test("never does more than fail, whatever its index says", async () => {
    const prefix = join(folder, "model");
    await save(prefix, {
      x: Tensor.of([1, 2, 3]),
      s: Tensor.of(["abc", "d"]),
      xyz: Tensor.of([[1n]], "int64"),
    });
    const index = await readFile(`${prefix}.index`);
    // Every byte in turn; the checksum of the first block is made right again, so that what it covers is read, too.
    const blockEnd = index.indexOf(Buffer.from([0, 0, 0, 0, 1, 0, 0, 0])) + 8;
    expect(blockEnd).toBeGreaterThan(8);
    let failures = 0;
    for (let at = 0; at < index.length; at += 1) {
      for (const byte of [0x00, 0x7f, 0xff, (index[at] ?? 0) ^ 1]) {
        const changed = Buffer.from(index);
        changed[at] = byte;
        if (at < blockEnd) {
          changed.writeUInt32LE(maskCrc(crc32c(changed.subarray(0, blockEnd + 1))), blockEnd + 1);
        }
        await writeFile(`${prefix}.index`, changed);
        try {
          await restore(prefix, "x", "s", "xyz");
        } catch (error) {
          expect(error).toBeInstanceOf(TensorFlowError);
          failures += 1;
        }
      }
    }
    expect(failures).toBeGreaterThan(index.length);
    for (const length of [0, 1, 47, 48, index.length - 1]) {
      await writeFile(`${prefix}.index`, index.subarray(0, length));
      expect((await failure(restore(prefix, "x"))).codeName).toBe("DATA_LOSS");
    }
  });
});
