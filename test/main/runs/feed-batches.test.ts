import { describe, expect, it } from "vitest";
import type { FeedBatches } from "../../../main/api/feeds.js";
import { ProblemError } from "../../../main/api/wire.js";
import { batchedFeeds, constantFeeds } from "../../../main/runs/feed-batches.js";
import { readFeeds } from "../../../main/runs/feeds.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { shuffledRows } from "../../../worker-runtime/data/rows.js";
import { writeNpy } from "../../../worker-runtime/io/npy.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import { placeholder } from "../../renderer/document/graphs.js";
import fc from "../../support/seeded-check.js";

const numbers = (rows: number, width = 1) =>
  new Tensor(
    "float32",
    [rows, width],
    Float32Array.from({ length: rows * width }, (_, index) => Math.floor(index / width)),
  );
const inOrder: FeedBatches = { size: 4, dropLast: false };

function rowsFed(rows: number, batches: FeedBatches, steps: number): number[][] {
  const feeds = batchedFeeds(new Map(), new Map([["x:0", numbers(rows)]]), batches);
  return Array.from({ length: steps }, (_, step) => {
    const values = feeds.at(step + 1).get("x:0")?.data;
    return values instanceof Float32Array ? [...values] : [];
  });
}

describe("feeds in batches", () => {
  it("are rows in the file's order, again from the start in the next epoch", () => {
    expect(rowsFed(6, inOrder, 3)).toEqual([
      [0, 1, 2, 3],
      [4, 5],
      [0, 1, 2, 3],
    ]);
    expect(rowsFed(6, { ...inOrder, dropLast: true }, 2)).toEqual([
      [0, 1, 2, 3],
      [0, 1, 2, 3],
    ]);
  });

  it("tell how many rows a step has", () => {
    const feeds = batchedFeeds(new Map(), new Map([["x:0", numbers(6)]]), inOrder);
    expect([1, 2, 3].map((step) => feeds.examples?.(step))).toEqual([4, 2, 4]);
    expect(constantFeeds(new Map()).examples).toBeUndefined();
  });

  it("are shuffled: each row once an epoch, in an order that only the seed and the epoch tell", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 9 }),
        fc.nat(),
        (rows, size, seed) => {
          const batches = { size, seed, dropLast: false };
          const perEpoch = Math.ceil(rows / size);
          const fed = rowsFed(rows, batches, 2 * perEpoch);
          for (const epoch of [fed.slice(0, perEpoch), fed.slice(perEpoch)]) {
            expect(epoch.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: rows }, (_, row) => row));
          }
          expect(rowsFed(rows, batches, 2 * perEpoch)).toEqual(fed);
        },
      ),
    );
    expect([...shuffledRows(20, 7, 0)]).not.toEqual([...shuffledRows(20, 7, 1)]);
  });

  it("keep the rows of several tensors together, and give the rest whole in every step", () => {
    const words = new Tensor(
      "string",
      [5],
      ["a", "b", "c", "d", "e"].map((text) => new TextEncoder().encode(text)),
    );
    const feeds = batchedFeeds(
      new Map([["rate:0", numbers(1)]]),
      new Map([
        ["x:0", numbers(5, 3)],
        ["y:0", words],
      ]),
      { size: 2, seed: 1, dropLast: false },
    );
    const step = feeds.at(2);
    const x = step.get("x:0");
    expect(x?.shape).toEqual([2, 3]);
    const letters = [0, 1].map((row) => "abcde"[Number(x?.at(row * 3))]);
    expect(step.get("y:0")?.toArray()).toEqual(letters);
    expect(step.get("rate:0")?.shape).toEqual([1, 1]);
    expect([...feeds.names].sort()).toEqual(["rate:0", "x:0", "y:0"]);
  });

  it("end with their epochs, if these are limited", () => {
    const of = (batches: FeedBatches) => batchedFeeds(new Map(), new Map([["x:0", numbers(10)]]), batches);
    expect(of(inOrder).steps).toBeUndefined();
    expect(of({ ...inOrder, epochs: 2 }).steps).toBe(6);
    expect(of({ ...inOrder, epochs: 2, dropLast: true }).steps).toBe(4);
    expect(constantFeeds(new Map()).steps).toBeUndefined();
  });

  it("must have as many rows everywhere, and enough for a batch", () => {
    const of = (...tensors: Tensor[]) =>
      batchedFeeds(new Map(), new Map(tensors.map((tensor, index) => [`t${index}:0`, tensor])), {
        size: 8,
        dropLast: true,
      });
    expect(() => of(numbers(9), numbers(10))).toThrow("as many rows");
    expect(() => of(numbers(7))).toThrow("too few for a batch of 8");
    expect(() => of(new Tensor("float32", [], new Float32Array(1)))).toThrow("no rows");
  });

  it("fit placeholders of any number of rows, or of just the batch's", async () => {
    const bytes = writeNpy(numbers(10, 3));
    const read = (shape: bigint[], batches: FeedBatches) => {
      const p = placeholder("p");
      p.attr.set("shape", {
        value: {
          $case: "shape",
          value: { dim: shape.map((size) => ({ size, name: "" })), unknownRank: false },
        },
      });
      return readFeeds(
        {
          feeds: [{ name: "p:0", value: { kind: "content", name: "x.npy", bytes, batched: true } }],
          batches,
        },
        { graphDef: GraphDef.fromPartial({}), nodes: new Map([["p", p]]), fetches: [], targets: [] },
        new AbortController().signal,
      );
    };
    expect((await read([-1n, 3n], inOrder)).at(1).get("p:0")?.shape).toEqual([4, 3]);
    expect((await read([4n, 3n], { ...inOrder, dropLast: true })).at(1).get("p:0")?.shape).toEqual([4, 3]);
    for (const [shape, batches, reason] of [
      [[8n, 3n], inOrder, "It takes 8 rows, but the batches have 4."],
      [[4n, 3n], inOrder, "last batch may have fewer"],
      [[], inOrder, "a single number"],
      [[-1n, 5n], inOrder, "shape [?, 5] is wanted"],
    ] as const) {
      const error = await read([...shape], batches).catch((thrown: unknown) => thrown);
      expect(error instanceof ProblemError && error.problem).toMatchObject({
        node: "p",
        reason: expect.stringContaining(reason),
      });
    }
  });
});
