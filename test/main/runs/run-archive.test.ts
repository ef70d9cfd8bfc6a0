import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunRequest } from "../../../main/api/runs.js";
import { RunArchive } from "../../../main/runs/run-archive.js";
import { type KeptRun, RunHistory } from "../../../main/runs/run-history.js";
import { RunService } from "../../../main/runs/run-service.js";
import { RunStatus } from "../../../main/runs/run-status.js";
import { TensorStore } from "../../../main/runs/tensors/tensor-store.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { StepStats } from "../../../protos/generated/tensorflow/step_stats.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import { toldEvents } from "../support/told-events.js";

let folder: string;
let runs: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-runs-"));
  runs = join(folder, "runs");
});
afterEach(() => rm(folder, { recursive: true }));

const settings = { fetches: ["loss:0"], targets: [], feeds: [{ name: "x:0", text: "3" }] };

/** A run that has ended, with a value, a curve and a trace. */
function ended(number: number, path: string | undefined = "/graphs/g.pbtxt"): KeptRun {
  const origin = { document: "g", digest: "d", ...(path === "" ? {} : { path }) };
  const status = new RunStatus({ steps: 2, trace: true, origin }, () => undefined);
  for (const [index, value] of [4, Number.NaN].entries()) {
    status.stepDone(
      [{ name: "loss:0", tensor: Tensor.of(value) }],
      { millis: 1.5, registeredGraph: index === 0 },
      {
        step: index + 1,
        nodes: [{ node: "loss", device: "d", startMicros: 0, durationMicros: 2, outputBytes: 4 }],
        ...{ transfers: [], memory: [], computeMillis: 1 },
        ...{ stepStats: StepStats.fromPartial({}), graph: GraphDef.fromPartial({}) },
      },
    );
  }
  status.end("done");
  return { number, startedAt: 1000 + number, status, settings };
}

describe("runs on disk", () => {
  it("come back with their settings, values, curves and traces, the oldest first", async () => {
    const kept = [ended(2), ended(1)];
    const archive = new RunArchive(runs);
    for (const run of kept) archive.keep(run);
    await archive.settled();
    const { runs: loaded, dropped } = await new RunArchive(runs).load();
    expect([dropped, loaded.map(({ number }) => number)]).toEqual([0, [1, 2]]);
    const [before, after] = [kept[1], loaded[0]];
    expect(after?.status.update()).toEqual(before?.status.update());
    expect(after?.status.scalars.summaries()).toEqual(before?.status.scalars.summaries());
    expect(after?.status.scalars.curves()[0]?.values).toEqual([4, Number.NaN]);
    expect(after?.status.traces.find(2)).toEqual(before?.status.traces.find(2));
    expect(after).toMatchObject({ startedAt: 1001, settings });
    const history = new RunHistory();
    history.restore(loaded);
    history.add(ended(9).status);
    expect(history.summaries().map(({ number, tracedSteps }) => [number, tracedSteps])).toEqual([
      [3, [1, 2]],
      [2, [1, 2]],
      [1, [1, 2]],
    ]);
  });

  it("are those of saved documents alone, and readable by their owner alone", async () => {
    const archive = new RunArchive(runs);
    archive.keep(ended(1, ""));
    await archive.settled();
    await expect(readdir(runs)).rejects.toThrow("ENOENT");
    archive.keep(ended(2));
    await archive.settled();
    const [file = ""] = await readdir(runs);
    if (process.platform !== "win32") {
      expect((await stat(join(runs, file))).mode & 0o777).toBe(0o600);
      expect((await stat(runs)).mode & 0o777).toBe(0o700);
    }
  });

  it("that are damaged, cut or of another run are removed and counted; what a crash left, too", async () => {
    const archive = new RunArchive(runs);
    const kept = [ended(1), ended(2), ended(3)];
    for (const run of kept) archive.keep(run);
    await archive.settled();
    const pathOf = (run: KeptRun | undefined) => join(runs, `${run?.status.runId}.run`);
    const whole = await readFile(pathOf(kept[0]));
    await writeFile(pathOf(kept[0]), whole.subarray(0, whole.length / 2));
    await writeFile(pathOf(kept[1]), whole);
    await writeFile(join(runs, `.${kept[0]?.status.runId}.run.0123456789ab.tmp`), "half");
    const loaded = await archive.load();
    expect([loaded.dropped, loaded.runs.map(({ number }) => number)]).toEqual([2, [3]]);
    expect(await readdir(runs)).toEqual([`${kept[2]?.status.runId}.run`]);
  });

  it("are forgotten with those in memory; a disk that refuses does no harm", async () => {
    const archive = new RunArchive(runs);
    const run = ended(1);
    archive.keep(run);
    await archive.settled();
    archive.forget([run.status.runId, "never-there"]);
    await archive.settled();
    expect(await readdir(runs)).toEqual([]);
    await writeFile(join(folder, "file"), "");
    const broken = new RunArchive(join(folder, "file"));
    broken.keep(run);
    await broken.settled();
    await expect(broken.load()).rejects.toThrow();
  });
});

it("the runs of saved documents are listed by the next service, numbered on, and can be forgotten", async () => {
  const service = async () => {
    const made = new RunService({
      cluster: { tasks: () => [], membership: "dynamic", onChange: () => () => {} },
      emit: toldEvents().emit,
      tensors: new TensorStore(),
      readFeeds: () => Promise.reject(new Error("not reached")),
      folderOf: () => undefined,
      archive: new RunArchive(runs),
    });
    await made.ready;
    return made;
  };
  const request = (path?: string): RunRequest => ({
    ...{ graph: new Uint8Array(), feeds: [], fetches: [], targets: [], steps: 1 },
    ...{ trace: false, softPlacement: false, logDevicePlacement: false },
    origin: { document: "g", digest: "d", ...(path === undefined ? {} : { path }) },
  });
  const first = await service();
  first.enqueue(request("/g.pbtxt"));
  first.enqueue(request());
  await expect.poll(() => first.history().map(({ state }) => state)).toEqual(["failed", "failed"]);
  await first.dispose();
  const second = await service();
  expect(second.history()).toMatchObject([{ number: 1, state: "failed", origin: { path: "/g.pbtxt" } }]);
  const [{ runId = "" } = {}] = second.history();
  expect(second.kept(runId).problem?.message).toBeDefined();
  second.start(request());
  expect(second.history()[0]?.number).toBe(2);
  await expect.poll(() => second.history()[0]?.state).toBe("failed");
  second.clear({ document: "g", path: "/g.pbtxt" });
  await second.dispose();
  const third = await service();
  expect([third.history(), third.dropped]).toEqual([[], 0]);
  await third.dispose();
});
