import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { BestCheckpoint } from "../../../main/runs/best-checkpoint.js";
import { described } from "../../../main/runs/described-checkpoint.js";
import { BundleWriter } from "../../../worker-runtime/io/tensor-bundle/bundle-writer.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-best-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const results = (value: number) => [{ name: "accuracy:0", tensor: Tensor.of(value, "float32") }];

async function written(step: number) {
  const prefix = join(folder, `ckpt-${step}`);
  const writer = await BundleWriter.create(prefix, { resolve: async (path) => path });
  await writer.add("w", Tensor.of([step], "float32"));
  await writer.finish();
  return { ...(await described(prefix)), step };
}

const by = { tensor: "accuracy:0", mode: "max" } as const;

it("is replaced only by a better one, and known again by the next run", async () => {
  const best = new BestCheckpoint(folder, by);
  await best.recover();
  expect(best.kept).toBeUndefined();
  expect(best.better([{ name: "loss:0", tensor: Tensor.of(1, "float32") }])).toBeUndefined();
  expect(best.better(results(0.5))).toBe(0.5);
  await best.keep(0.5, await written(10));
  expect(best.better(results(0.5))).toBeUndefined();
  expect(best.better(results(Number.NaN))).toBeUndefined();
  expect(best.better(results(0.75))).toBe(0.75);
  await best.keep(0.75, await written(30));
  expect((await readdir(folder)).filter((name) => name.endsWith(".index"))).toEqual(["ckpt-30.index"]);
  const next = new BestCheckpoint(folder, by);
  await next.recover();
  expect(next.kept).toMatchObject({ ...by, value: 0.75, saved: { step: 30 } });
  expect(next.better(results(0.625))).toBeUndefined();
});

it("begins anew where it was the best by another value, or the note of it is damaged", async () => {
  const best = new BestCheckpoint(folder, by);
  await best.keep(0.5, await written(10));
  const other = new BestCheckpoint(folder, { tensor: "loss:0", mode: "min" });
  await other.recover();
  expect(other.kept).toBeUndefined();
  await writeFile(join(folder, "best.json"), "{");
  const damaged = new BestCheckpoint(folder, by);
  await damaged.recover();
  expect(damaged.kept).toBeUndefined();
});
