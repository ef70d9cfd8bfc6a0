import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunRequest } from "../../../main/api/runs.js";
import { RunArchive } from "../../../main/runs/run-archive.js";
import { type KeptRun, RunHistory } from "../../../main/runs/run-history.js";
import { RunService } from "../../../main/runs/run-service.js";
import { RunStatus } from "../../../main/runs/run-status.js";
import { type NamedTensor, TensorStore } from "../../../main/runs/tensors/tensor-store.js";
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

  it("have their results beside them, of every type, without what is too large for the disk", async () => {
    const run = ended(1);
    const { runId } = run.status;
    const tensors: readonly NamedTensor[] = [
      { name: "large:0", tensor: Tensor.of(new Float64Array((16 << 17) + 1)) },
      { name: "m:0", tensor: Tensor.of([1.5, Number.NaN, -2], "float32", [1, 3]) },
      { name: "s:0", tensor: Tensor.of(["a", "ü"]) },
      { name: "b:0", tensor: Tensor.of(true) },
      { name: "i:0", tensor: Tensor.of([2n ** 62n], "int64", [1]) },
    ];
    const archive = new RunArchive(runs);
    archive.keep(run, { step: 7, tensors, left: [] });
    archive.keep(ended(2));
    await archive.settled();
    const again = await new RunArchive(runs).results(runId);
    expect([again?.step, again?.left]).toEqual([7, ["large:0"]]);
    const told = (all: readonly NamedTensor[] = []) =>
      all.map(({ name, tensor }) => ({
        ...{ name, dtype: tensor.dtype, shape: tensor.shape },
        values: Array.from({ length: tensor.size }, (_, at) => tensor.elementText(at)),
      }));
    const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name);
    expect(told(again?.tensors).sort(byName)).toEqual(told(tensors.slice(1)).sort(byName));
    if (process.platform !== "win32")
      expect((await stat(join(runs, `${runId}.tensors`))).mode & 0o777).toBe(0o600);
    await writeFile(join(runs, `${runId}.tensors`), "damaged");
    expect(await archive.results(runId)).toBeUndefined();
    expect(await archive.results("../secret")).toBeUndefined();
    expect((await archive.load()).runs).toHaveLength(2);
  });

  it("lose their results first, the oldest before the others, and with their file", async () => {
    const archive = new RunArchive(runs);
    const kept = Array.from({ length: 6 }, (_, at) => ended(at + 1));
    // Random bytes cannot be compressed.
    const noise = Uint8Array.from({ length: 14 << 20 }, () => Math.floor(Math.random() * 256));
    const results = { step: 2, tensors: [{ name: "x:0", tensor: Tensor.of(noise) }], left: [] };
    for (const run of kept) archive.keep(run, results);
    await archive.settled();
    const has = await Promise.all(
      kept.map(async ({ status }) => (await archive.results(status.runId)) !== undefined),
    );
    expect(has).toEqual([false, false, true, true, true, true]);
    expect((await archive.load()).runs).toHaveLength(6);
    archive.forget(kept.map(({ status }) => status.runId));
    await archive.settled();
    expect(await readdir(runs)).toEqual([]);
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
      cluster: () => ({
        tasks: () => [],
        membership: "dynamic",
        onChange: () => () => {},
        startTask: async () => undefined,
        noteVariables: () => undefined,
      }),
      emit: toldEvents().emit,
      tensors: new TensorStore(),
      readFeeds: () => Promise.reject(new Error("not reached")),
      folderOf: () => undefined,
      checkpointFolder: "",
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
