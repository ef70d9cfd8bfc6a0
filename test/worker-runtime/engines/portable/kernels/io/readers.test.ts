import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AllowedFolders } from "../../../../../../worker-runtime/engines/portable/resources/allowed-folders.js";
import type { Operation } from "../../../../../../worker-runtime/graph/graph.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { MiniSession, Program } from "../session-programs.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tensordeck-readers-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const step = (...operations: Operation[]) => ({ operations, feeds: new Map<Operation, Tensor>() });

function reading(kind: string, files: readonly string[]) {
  const { graph } = new Program(kind);
  const reader = graph.op(kind, []);
  const queue = graph.op("FIFOQueueV2", [], { component_types: ["string"] });
  return {
    session: new MiniSession(),
    fill: graph.op("QueueEnqueueManyV2", [queue, [Tensor.of(files.map((file) => path.join(folder, file)))]]),
    read: graph.op("ReaderReadUpToV2", [reader, queue, Tensor.of(100_000n, "int64")]),
    produced: graph.op("ReaderNumRecordsProducedV2", [reader]),
    files: new AllowedFolders([folder]),
  };
}

test("a read that waits for a file ends with its signal; those behind it are served, and counts are told meanwhile", async () => {
  await writeFile(path.join(folder, "a.txt"), "1\n2\n3\n");
  const { session, fill, read, produced, files } = reading("TextLineReaderV2", ["a.txt"]);
  const [first, second] = [new AbortController(), new AbortController()];
  const waiting = session.run(step(read), { files, signal: first.signal });
  const behind = session.run(step(read), { files });
  const given = session.run(step(read), { files, signal: second.signal });
  second.abort();
  await expect(given).rejects.toMatchObject({ codeName: "CANCELLED" });
  expect((await session.run(step(produced)))[0]?.toArray()).toBe(0n);
  first.abort();
  await expect(waiting).rejects.toMatchObject({ codeName: "CANCELLED" });
  await session.run(step(fill));
  expect((await behind)[0]?.shape).toEqual([3]);
  expect((await session.run(step(produced)))[0]?.toArray()).toBe(3n);
});

test("a large file is read in pieces, a file elsewhere not at all", async () => {
  const lines = Array.from({ length: 40_000 }, (_, i) => `line ${i} ${"z".repeat(i % 70)}`);
  await writeFile(path.join(folder, "large.txt"), lines.join("\r\n"));
  const { session, fill, read, files } = reading("TextLineReaderV2", ["large.txt", "../elsewhere.txt"]);
  await session.run(step(fill));
  const [keys] = await session.run(step(read), { files });
  expect(keys?.shape).toEqual([lines.length]);
  expect(keys?.elementText(lines.length - 1)).toContain(`large.txt:${lines.length}`);
  await expect(session.run(step(read), { files })).rejects.toMatchObject({ codeName: "PERMISSION_DENIED" });
});
