import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { QueuedRun } from "../../../main/api/run-queue.js";
import type { RunRequest } from "../../../main/api/runs.js";
import { RunArchive } from "../../../main/runs/run-archive.js";
import { RunQueue } from "../../../main/runs/run-queue.js";
import { RunService } from "../../../main/runs/run-service.js";
import { TensorStore } from "../../../main/runs/tensors/tensor-store.js";
import { toldEvents } from "../support/told-events.js";

const request = (configuration: string): RunRequest => ({
  ...{ graph: new Uint8Array(0), feeds: [], fetches: ["z:0"], targets: [], steps: 3, trace: false },
  ...{ softPlacement: true, logDevicePlacement: false, configuration },
  origin: { document: "g", digest: "d" },
});

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
    expect([queue.next(), queue.next(), queue.next()].map((run) => run?.configuration)).toEqual([
      "train",
      "export",
      undefined,
    ]);
    expect(told.at(-1)).toEqual([]);
    expect(told).toHaveLength(6);
  });

  it("is limited", () => {
    const queue = new RunQueue(() => undefined);
    for (let count = 0; count < 20; count++) queue.add(request("train"));
    expect(() => queue.add(request("train"))).toThrow("20 runs are waiting already.");
    queue.clear();
    expect(queue.next()).toBeUndefined();
  });

  it("begins its runs one after the other, however they end", async () => {
    const { emit } = toldEvents();
    const service = new RunService({
      cluster: () => ({
        tasks: () => [],
        membership: "dynamic",
        onChange: () => () => {},
        startTask: async () => undefined,
        noteVariables: () => undefined,
      }),
      emit,
      tensors: new TensorStore(),
      readFeeds: () => Promise.reject(new Error("not reached")),
      folderOf: () => undefined,
      checkpointFolder: "",
      // Runs of documents that were never saved are not written.
      archive: new RunArchive(join(tmpdir(), "tensordeck-no-runs")),
    });
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
});
