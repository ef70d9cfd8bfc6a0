import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { QueuedRun } from "../../../main/api/run-queue.js";
import type { RunRequest } from "../../../main/api/runs.js";
import { RunArchive } from "../../../main/runs/run-archive.js";
import { RunQueue } from "../../../main/runs/run-queue.js";
import { RunService } from "../../../main/runs/run-service.js";
import { TensorStore } from "../../../main/runs/tensors/tensor-store.js";
import { deferred } from "../../../main/shared/deferred.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { constant, graphOf } from "../../interop/peers/nodes.js";
import { toldEvents } from "../support/told-events.js";

/** Takes the next run out. */
function nextOf(queue: RunQueue): RunRequest | undefined {
  let next: RunRequest | undefined;
  queue.beginNext((begun) => {
    next = begun;
  });
  return next;
}

const request = (configuration: string): RunRequest => ({
  ...{ graph: new Uint8Array(0), feeds: [], fetches: ["z:0"], targets: [], steps: 3, trace: false },
  ...{ softPlacement: true, logDevicePlacement: false, configuration },
  origin: { document: "g", digest: "d" },
});

/** Without a cluster: runs fail, at the latest when their feeds have been read. */
function serviceWith(
  archive: RunArchive,
  feeds: () => Promise<never> = () => Promise.reject(new Error("not reached")),
): RunService {
  return new RunService({
    cluster: () => ({
      tasks: () => [],
      membership: "dynamic",
      onChange: () => () => {},
      startTask: async () => undefined,
      noteVariables: () => undefined,
    }),
    emit: toldEvents().emit,
    tensors: new TensorStore(),
    readFeeds: feeds,
    folderOf: () => undefined,
    checkpointFolder: "",
    archive,
  });
}

describe("the queue of runs", () => {
  it("is told of after every change, and gives runs in their order", () => {
    const told: QueuedRun[][] = [];
    const queue = new RunQueue((runs) => told.push(runs));
    queue.add(request("train"));
    const second = queue.add(request("evaluate"));
    expect(told.at(-1)).toMatchObject([
      { document: "g", configuration: "train", steps: 3 },
      { configuration: "evaluate" },
    ]);
    queue.add(request("export"));
    queue.remove(second);
    queue.remove("gone");
    expect([nextOf(queue), nextOf(queue), nextOf(queue)].map((run) => run?.configuration)).toEqual([
      "train",
      "export",
      undefined,
    ]);
    expect(told.at(-1)).toEqual([]);
    expect(told).toHaveLength(6);
  });

  it("has runs of the file to which their document was saved meanwhile", () => {
    const told: QueuedRun[][] = [];
    const queue = new RunQueue((runs) => told.push(runs));
    const of = (id: string, path?: string): RunRequest => ({
      ...request("train"),
      origin: { ...{ id, document: "untitled", digest: "d" }, ...(path === undefined ? {} : { path }) },
    });
    for (const run of [of("a"), of("b"), of("a", "/old.pbtxt"), request("train")]) queue.add(run);
    queue.documentSaved({ id: "a", document: "g.pbtxt", path: "/g.pbtxt" });
    expect(told.at(-1)?.map(({ document }) => document)).toEqual(["g.pbtxt", "untitled", "untitled", "g"]);
    const origins = Array.from({ length: 4 }, () => nextOf(queue)?.origin);
    expect(origins.map((origin) => origin?.path)).toEqual(["/g.pbtxt", undefined, "/old.pbtxt", undefined]);
    expect(origins[0]).toEqual({ id: "a", document: "g.pbtxt", path: "/g.pbtxt", digest: "d" });
  });

  it("tells that a run has left it when that has begun", () => {
    const told: string[] = [];
    const queue = new RunQueue((runs) => told.push(`${runs.length} wait`));
    queue.add(request("train"));
    queue.beginNext(({ configuration }) => told.push(`${configuration} begins`));
    queue.beginNext(() => told.push("none is left"));
    expect(told).toEqual(["1 wait", "train begins", "0 wait"]);
  });

  it("is limited", () => {
    const queue = new RunQueue(() => undefined);
    for (let count = 0; count < 20; count++) queue.add(request("train"));
    expect(() => queue.add(request("train"))).toThrow("20 runs are waiting already.");
    queue.clear();
    expect(nextOf(queue)).toBeUndefined();
  });

  it("begins its runs one after the other, however they end", async () => {
    // Runs of documents that were never saved are not written.
    const service = serviceWith(new RunArchive(join(tmpdir(), "tensordeck-no-runs")));
    // Their graphs are empty, so they fail.
    service.enqueue(request("first"));
    service.enqueue(request("second"));
    service.enqueue(request("third"));
    await expect
      .poll(() => service.history().map(({ settings, state }) => [settings.configuration, state]))
      .toEqual([
        ["third", "failed"],
        ["second", "failed"],
        ["first", "failed"],
      ]);
    await service.dispose();
  });

  it("archives a run that waited while its document was saved first", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tensordeck-runs-"));
    try {
      const archive = new RunArchive(folder);
      const reading = deferred<never>();
      const service = serviceWith(archive, () => reading.promise);
      const origin = { id: "a", document: "untitled", digest: "d" };
      const graph = GraphDef.encode(graphOf(constant("z", 1))).finish();
      service.enqueue({ ...request("first"), graph, origin });
      service.enqueue({ ...request("second"), origin });
      expect(service.history()).toHaveLength(1);
      service.documentSaved({ id: "a", document: "g.pbtxt", path: "/g.pbtxt" });
      reading.reject(new Error("There are no feeds."));
      await expect.poll(() => service.history().map(({ state }) => state)).toEqual(["failed", "failed"]);
      await service.dispose();
      const { runs } = await new RunArchive(folder).load();
      expect(runs.map(({ settings, status }) => [settings.configuration, status.progress().origin])).toEqual([
        ["first", { ...origin, document: "g.pbtxt", path: "/g.pbtxt" }],
        ["second", { ...origin, document: "g.pbtxt", path: "/g.pbtxt" }],
      ]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
