import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AllowedFolders } from "../../../../../../worker-runtime/engines/portable/resources/allowed-folders.js";
import type { Value } from "../../../../../../worker-runtime/engines/portable/values.js";
import { UNKNOWN_RANK } from "../../../../../../worker-runtime/graph/attr-values.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { MiniSession, Program } from "../session-programs.js";
import { drain, elementsOf, iterate, of, step } from "./drained.js";

const long = (value: number) => Tensor.of(BigInt(value), "int64");
const numbers = (program: Program, count = 5) =>
  program.graph.op("RangeDataset", [long(0), long(count), long(1)], of("int64"));

/** Stands for the functions of a library: each takes values and gives values. */
function functions(bodies: Readonly<Record<string, (...args: readonly Tensor[]) => readonly Value[]>>) {
  return {
    functions: {
      call: async ({ name }: { readonly name: string }, args: readonly Value[]) =>
        bodies[name]?.(...(args as readonly Tensor[])) ?? [],
    },
  };
}

const numberOf = (tensor: Tensor | undefined): number => Number(tensor?.data[0]);

describe("datasets of other datasets", () => {
  test("batches, windows' gaps, rests and rows", async () => {
    const program = new Program("batches");
    const batches = program.graph.op(
      "BatchDatasetV2",
      [numbers(program), long(2), Tensor.of(false, "bool")],
      of("int64"),
    );
    const longs = (...values: number[]) => values.map(BigInt);
    expect(await elementsOf(program, batches)).toEqual([longs(0, 1), longs(2, 3), longs(4)]);
    const rows = program.graph.op("UnbatchDataset", [batches], of("int64"));
    expect(await elementsOf(program, rows)).toEqual(longs(0, 1, 2, 3, 4));
    const threes = program.graph.op(
      "RebatchDatasetV2",
      [batches, Tensor.of([3n], "int64"), Tensor.of(true, "bool")],
      of("int64"),
    );
    expect(await elementsOf(program, threes)).toEqual([longs(0, 1, 2)]);
  });

  test("padding fills with what is given, and refuses what is larger", async () => {
    const program = new Program("padded");
    const rows = program.graph.op(
      "BatchDatasetV2",
      [numbers(program), long(2), Tensor.of(false, "bool")],
      of("int64"),
    );
    const padded = (size: number) =>
      program.graph.op(
        "PaddedBatchDatasetV2",
        [rows, long(3), [Tensor.of([BigInt(size)], "int64")], [long(-7)], Tensor.of(false, "bool")],
        { output_shapes: [UNKNOWN_RANK] },
      );
    expect(await elementsOf(program, padded(3))).toEqual([
      [
        [0n, 1n, -7n],
        [2n, 3n, -7n],
        [4n, -7n, -7n],
      ],
    ]);
    expect(await elementsOf(program, padded(1))).toEqual(["DATA_LOSS"]);
  });

  test("a cache is filled by the first pass that comes to its end", async () => {
    const program = new Program("cached");
    let calls = 0;
    const parts = functions({
      count: (value) => {
        calls += 1;
        return value === undefined ? [] : [value];
      },
    });
    const mapped = program.graph.op("MapDataset", [numbers(program, 3), []], {
      f: "count",
      Targuments: [],
      ...of("int64"),
    });
    const cached = program.graph.op("CacheDataset", [mapped, Tensor.of("")], of("int64"));
    const twice = program.graph.op("RepeatDataset", [cached, long(2)], of("int64"));
    expect(await elementsOf(program, twice, "int64", parts)).toEqual([0n, 1n, 2n, 0n, 1n, 2n]);
    expect(calls).toBe(3);
  });

  test("groups are given out when they are full, and the rest in the order of their keys", async () => {
    const program = new Program("groups");
    let windows = 0;
    const parts = functions({
      key: (value) => [long(-(numberOf(value) % 2))],
      size: () => [long(2)],
      reduce: (_, window) => {
        windows += 1;
        return window === undefined ? [] : [window];
      },
    });
    const groups = program.graph.op("GroupByWindowDataset", [numbers(program), [], [], []], {
      key_func: "key",
      reduce_func: "reduce",
      window_size_func: "size",
      Tkey_func_other_arguments: [],
      Treduce_func_other_arguments: [],
      Twindow_size_func_other_arguments: [],
      ...of("int64"),
    });
    expect(await elementsOf(program, groups, "int64", parts)).toEqual([0n, 2n, 1n, 3n, 4n]);
    expect(windows).toBe(3);
  });

  test("a step that waits behind another one ends with its signal, and the other one goes on", async () => {
    const program = new Program("waits");
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const parts = {
      functions: {
        call: async (_: unknown, args: readonly Value[]) => {
          await released;
          return args;
        },
      },
    };
    const mapped = program.graph.op("MapDataset", [numbers(program), []], {
      f: "wait",
      Targuments: [],
      ...of("int64"),
    });
    const { begin, next } = iterate(program, mapped);
    const session = new MiniSession();
    await session.run(step(begin), parts);
    const first = session.run(step(next), parts);
    const controller = new AbortController();
    const second = session.run(step(next), { ...parts, signal: controller.signal });
    controller.abort();
    await expect(second).rejects.toMatchObject({ codeName: "CANCELLED" });
    release();
    expect((await first)[0]?.toArray()).toBe(0n);
    expect(await drain(session, next, parts)).toEqual([1n, 2n, 3n, 4n]);
  });
});

describe("datasets of files", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "tensordeck-data-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function lines(name: string, compression: string, allowed = folder): Promise<unknown[]> {
    const program = new Program("lines");
    const dataset = program.graph.op("TextLineDataset", [
      Tensor.of(path.join(folder, name)),
      Tensor.of(compression),
      long(0),
    ]);
    return elementsOf(program, dataset, "string", { files: new AllowedFolders([allowed]) });
  }

  test("long files are read in pieces, packed ones, too", async () => {
    const text = Array.from({ length: 8_000 }, (_, i) => `${i} ${"x".repeat(i % 90)}`);
    // A line that is longer than a piece.
    text.push("y".repeat(3_000_000), "end");
    await writeFile(path.join(folder, "long.txt"), text.join("\n"));
    await writeFile(path.join(folder, "long.gz"), gzipSync(text.join("\n")));
    expect(await lines("long.txt", "")).toEqual(text);
    expect(await lines("long.gz", "GZIP")).toEqual(text);
    expect(await lines("long.txt", "ZLIB")).toEqual(["DATA_LOSS"]);
  });

  test("files elsewhere are refused", async () => {
    await writeFile(path.join(folder, "secret.txt"), "secret");
    expect(await lines("secret.txt", "", path.join(folder, "allowed"))).toEqual(["PERMISSION_DENIED"]);
  });
});
