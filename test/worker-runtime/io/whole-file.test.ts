import { execFileSync } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunnableGraph } from "../../../worker-runtime/cli/run-graph.js";
import { feedFromFile } from "../../../worker-runtime/io/feed.js";
import { readImageFolder } from "../../../worker-runtime/io/image/image-feed.js";
import { BundleReader } from "../../../worker-runtime/io/tensor-bundle/bundle-reader.js";
import { readWholeFile } from "../../../worker-runtime/io/whole-file.js";
import { latestCheckpoint } from "../../../worker-runtime/training/checkpoint-state.js";

let folder = "";
const at = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "whole-file-"));
  await writeFile(at("six.txt"), "abcdef");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test("a file is read up to its limit", async () => {
  expect((await readWholeFile(at("six.txt"), { maxBytes: 6 })).toString()).toBe("abcdef");
  await expect(readWholeFile(at("six.txt"), { maxBytes: 5, remedy: "Cut it." })).rejects.toThrow(
    '"six.txt" is larger than 0 MiB, the most that is read. Cut it.',
  );
  await expect(readWholeFile(at("none"))).rejects.toMatchObject({ code: "ENOENT" });
  const signal = AbortSignal.abort(new Error("stopped"));
  await expect(readWholeFile(at("six.txt"), { signal })).rejects.toMatchObject({ codeName: "CANCELLED" });
});

describe.skipIf(process.platform === "win32")("where there are pipes and devices", () => {
  test("a pipe is read to its end, or to the limit", async () => {
    execFileSync("mkfifo", [at("pipe")]);
    const content = "x".repeat(200_000);
    const [bytes] = await Promise.all([readWholeFile(at("pipe")), writeFile(at("pipe"), content)]);
    expect(bytes.toString()).toBe(content);
    const [read] = await Promise.allSettled([
      readWholeFile(at("pipe"), { maxBytes: 100_000 }),
      writeFile(at("pipe"), content),
    ]);
    expect(read).toMatchObject({ status: "rejected", reason: { codeName: "RESOURCE_EXHAUSTED" } });
  });

  test("a link to a device without an end is refused by every reader", async () => {
    const link = async (name: string) => {
      await symlink("/dev/zero", at(name));
      return at(name);
    };
    const refused = /is a device, not a file/;
    await expect(RunnableGraph.read(await link("zero.pb"))).rejects.toThrow(refused);
    await expect(RunnableGraph.read(await link("zero.h5"))).rejects.toThrow(refused);
    await expect(feedFromFile(await link("zero.npy"))).rejects.toThrow(refused);
    await expect(feedFromFile(await link("zero.csv"))).rejects.toThrow(/more than 8388608 characters/);
    await link("ckpt.index");
    await expect(BundleReader.open(at("ckpt"), { resolve: async (path) => path })).rejects.toThrow(refused);
    await link("checkpoint");
    await expect(latestCheckpoint(folder)).rejects.toThrow(refused);
    await link("zero.png");
    await expect(readImageFolder(folder, { column: "images" })).rejects.toThrow(refused);
  });
});
