import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Dataset } from "../../../worker-runtime/data/dataset.js";
import { csvDataset, tfRecordDataset } from "../../../worker-runtime/data/readers.js";
import { frameRecord } from "../../../worker-runtime/io/tfrecord/framing.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";

const numbers = (count: number): Dataset<number> =>
  Dataset.fromArray(Array.from({ length: count }, (_, i) => i));

async function all<T>(elements: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const element of elements) found.push(element);
  return found;
}

/** Elements that tell how many of them were read, and whether their source is closed. */
function watched(count: number, failsAt = Number.POSITIVE_INFINITY) {
  const seen = { read: 0, closed: 0 };
  const dataset = new Dataset(async function* () {
    try {
      for (let i = 0; i < count; i++) {
        if (i === failsAt) throw new Error("damaged");
        seen.read += 1;
        yield i;
      }
    } finally {
      seen.closed += 1;
    }
  });
  return { seen, dataset };
}

describe("a data set", () => {
  test("is divided into shards that have each element once", async () => {
    const shards = await Promise.all([0, 1, 2].map((index) => all(numbers(10).shard(3, index))));
    expect(shards).toEqual([
      [0, 3, 6, 9],
      [1, 4, 7],
      [2, 5, 8],
    ]);
    expect(() => numbers(1).shard(2, 2)).toThrow("Of 2 shards, 2 is none: they are numbered 0 to 1.");
  });

  test("is shuffled alike for a seed, in another order in each pass, without losing an element", async () => {
    const shuffled = numbers(50).shuffle(8, { seed: 3 });
    const once = await all(shuffled);
    expect(await all(shuffled)).toEqual(once);
    expect([...once].sort((a, b) => a - b)).toEqual(await all(numbers(50)));
    expect(once).not.toEqual(await all(numbers(50)));
    const twice = await all(shuffled.repeat(2));
    expect(twice.slice(0, 50)).toEqual(once);
    expect(twice.slice(50)).toEqual(await all(shuffled.iterate({ epoch: 1 })));
    expect(twice.slice(50)).not.toEqual(once);
    // The buffer of 8 lets no element come more than 7 places early.
    expect(once.every((value, at) => value <= at + 8)).toBe(true);
    const fixed = await all(numbers(20).shuffle(20, { seed: 3, reshuffleEachIteration: false }).repeat(2));
    expect(fixed.slice(20)).toEqual(fixed.slice(0, 20));
  });

  test("repeats, takes, skips, filters and joins", async () => {
    expect(await all(numbers(3).repeat().take(7))).toEqual([0, 1, 2, 0, 1, 2, 0]);
    expect(await all(numbers(0).repeat())).toEqual([]);
    expect(
      await all(
        numbers(5)
          .skip(2)
          .filter((n) => n !== 3),
      ),
    ).toEqual([2, 4]);
    expect(await all(numbers(3).flatMap((n) => numbers(n)))).toEqual([0, 0, 1]);
    expect(await all(numbers(5).chunk(2))).toEqual([[0, 1], [2, 3], [4]]);
    expect(await all(numbers(5).chunk(2, { dropRemainder: true }))).toHaveLength(2);
  });

  test("has batches of rows, which must be alike", async () => {
    const rows = Dataset.fromTensorSlices({
      x: Tensor.of([1, 2, 3, 4, 5, 6], "float32", [3, 2]),
      name: Tensor.of(["a", "b", "c"], "string"),
    });
    const [first, last] = await all(rows.batch(2));
    expect(first?.x?.toArray()).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(last?.x?.toArray()).toEqual([[5, 6]]);
    expect(last?.name?.shape).toEqual([1]);
    const uneven = Dataset.fromArray([{ x: Tensor.of([1]) }, { x: Tensor.of([1, 2]) }]);
    await expect(all(uneven.batch(2))).rejects.toThrow(
      /"x" is float32 \[1\] in its first row and float32 \[2\] in row 2/,
    );
    expect(() => Dataset.fromTensorSlices({ a: Tensor.of([1, 2]), b: Tensor.of([1]) })).toThrow(
      '"a" has 2, "b" has 1',
    );
  });

  test("is read ahead up to a bound, and no further until an element is taken", async () => {
    const { dataset, seen } = watched(100);
    const pass = dataset.prefetch(4).iterate();
    const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
    expect((await pass.next()).value).toBe(0);
    await settled();
    expect(seen.read).toBe(5);
    await settled();
    expect(seen.read).toBe(5);
    expect((await pass.next()).value).toBe(1);
    await settled();
    expect(seen.read).toBe(6);
    await pass.return();
    expect(seen).toEqual({ read: 6, closed: 1 });
  });

  test("gives the elements before an error, then the error, and is closed", async () => {
    for (const make of [
      (data: Dataset<number>) => data.prefetch(8),
      (data: Dataset<number>) => data.map(async (n) => n, { parallelCalls: 8 }),
    ]) {
      const { dataset, seen } = watched(10, 3);
      const found: number[] = [];
      const reading = (async () => {
        for await (const n of make(dataset)) found.push(n);
      })();
      await expect(reading).rejects.toThrow("damaged");
      expect(found).toEqual([0, 1, 2]);
      expect(seen.closed).toBe(1);
    }
  });

  test("maps in order with several calls at a time, and no more", async () => {
    const ends: (() => void)[] = [];
    let most = 0;
    let open = 0;
    const slow = numbers(3).map(
      async (n) => {
        open += 1;
        most = Math.max(most, open);
        await new Promise<void>((resolve) => {
          ends.push(resolve);
          // The later ones end first.
          if (ends.length === 3) for (const end of ends.splice(0).reverse()) end();
        });
        open -= 1;
        return n * n;
      },
      { parallelCalls: 3 },
    );
    expect(await all(slow)).toEqual([0, 1, 4]);
    expect(most).toBe(3);
  });

  test("is cancelled by the signal, and then closed", async () => {
    const controller = new AbortController();
    const { dataset, seen } = watched(1000);
    const reading = (async () => {
      for await (const n of dataset.prefetch(3).iterate({ signal: controller.signal })) {
        if (n === 5) controller.abort();
      }
    })();
    await expect(reading).rejects.toMatchObject({ codeName: "CANCELLED" });
    expect(seen.closed).toBe(1);
    expect(seen.read).toBeLessThan(12);
  });
});

describe("data sets of files", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tensordeck-datasets-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("a table gives rows of the columns that are asked for", async () => {
    const path = join(folder, "iris.csv");
    await writeFile(path, "length,width,kind\n1,2,a\n3,4,b\n");
    const rows = await all(
      await csvDataset(path, {
        x: { columns: ["width", "length"], dtype: "float32" },
        kind: { column: "kind" },
      }),
    );
    expect(rows.map(({ x }) => x?.toArray())).toEqual([
      [2, 1],
      [4, 3],
    ]);
    expect(rows[1]?.kind?.shape).toEqual([]);
    await expect(csvDataset(path, { x: { column: "lenght" } })).rejects.toThrow(/Did you mean "?length/);
    await expect(csvDataset(join(folder, "none.csv"), {})).resolves.toBeInstanceOf(Dataset);
  });

  test("damaged records are errors, or skipped and told with their offsets if asked", async () => {
    const frames = ["one", "two", "three", "four", "five"].map((text) => frameRecord(Buffer.from(text)));
    const bytes = Buffer.concat(frames);
    const starts = frames.map((_, i) => frames.slice(0, i).reduce((sum, { length }) => sum + length, 0));
    const [, second = 0, , fourth = 0] = starts;
    // A byte of the second record's content, and one of the fourth's length.
    bytes[second + 12] = 0;
    bytes[fourth] = 99;
    const path = join(folder, "damaged.tfrecord");
    await writeFile(path, bytes);
    await expect(all(tfRecordDataset(path))).rejects.toMatchObject({
      codeName: "DATA_LOSS",
      message: expect.stringContaining(`record 2 at byte ${second}`),
    });
    const told: string[] = [];
    const read = tfRecordDataset(path, { onDamage: ({ message }) => told.push(message) });
    expect((await all(read)).map((record) => Buffer.from(record).toString())).toEqual([
      "one",
      "three",
      "five",
    ]);
    expect(told).toEqual([
      `"damaged.tfrecord", record 2 at byte ${second}: the checksum of its 3 bytes does not match. The file is damaged.`,
      `"damaged.tfrecord", record 4 at byte ${fourth}: the checksum of its length does not match. The file is damaged.`,
    ]);
    await writeFile(path, bytes.subarray(0, bytes.length - 1));
    told.length = 0;
    expect(await all(read)).toHaveLength(2);
    expect(told.at(-1)).toContain("the file ends within it");
  });
});
