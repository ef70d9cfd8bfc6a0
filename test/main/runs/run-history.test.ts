import { expect, it } from "vitest";
import { isOfDocument } from "../../../main/api/run-state.js";
import type { RunRequest } from "../../../main/api/runs.js";
import { RunHistory } from "../../../main/runs/run-history.js";
import { settingsOf } from "../../../main/runs/run-settings.js";
import { RunStatus } from "../../../main/runs/run-status.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";

it("keeps the newest runs with their scalars, also when their results are released", () => {
  const history = new RunHistory();
  const runs = Array.from({ length: 25 }, () => new RunStatus({ steps: 2, trace: false }, () => undefined));
  for (const run of runs) {
    history.add(run);
    run.stepDone([{ name: "loss:0", tensor: Tensor.of(4) }], { millis: 1, registeredGraph: true }, undefined);
    run.end("done");
    run.release();
  }
  const kept = history.summaries();
  expect(kept.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, i) => 25 - i));
  expect(kept[0]).toMatchObject({ state: "done", step: 1, steps: 2, scalars: [{ name: "loss:0", last: 4 }] });
  expect(history.find(runs[0]?.runId ?? "")).toBeUndefined();
  expect(history.find(runs[24]?.runId ?? "")?.scalars.curves()[0]?.values).toEqual([4]);
});

function ended(document: string, value: string): RunStatus {
  const origin = { document, digest: "d" };
  const status = new RunStatus({ steps: 1, trace: false, origin }, () => undefined);
  const tensor = Tensor.of([value]);
  status.stepDone([{ name: "text:0", tensor }], { millis: 1, registeredGraph: false }, undefined);
  status.end("done");
  status.release();
  return status;
}

it("keeps the values of runs that were replaced, until its memory is full: then the oldest runs go", () => {
  const history = new RunHistory(3 * 2500);
  const runs = ["a", "b", "c", "d"].map((letter) => ended("g", letter.repeat(1000)));
  const gone = runs.flatMap((run) => history.add(run));
  expect(gone).toEqual([runs[0]?.runId]);
  const [, second] = runs;
  expect(history.find(second?.runId ?? "")?.update()).toMatchObject({
    state: "done",
    fetches: [{ name: "text:0", values: ["b".repeat(1000)] }],
  });
});

it("keeps as many runs of each document, and forgets those of one", () => {
  const history = new RunHistory();
  for (let count = 0; count < 21; count++) history.add(ended("one", "x"));
  const going = new RunStatus(
    { steps: 1, trace: false, origin: { document: "two", digest: "" } },
    () => undefined,
  );
  history.add(ended("two", "x"));
  history.add(going);
  const kept = () => history.summaries().map(({ origin }) => origin?.document);
  expect(kept().filter((document) => document === "one")).toHaveLength(20);
  expect(history.clear({ document: "two" })).toHaveLength(1);
  expect(kept().filter((document) => document === "two")).toHaveLength(1);
});

it("tells documents of one name apart by their files", () => {
  const history = new RunHistory();
  const of = (path?: string) => ({ document: "graph.pb", ...(path === undefined ? {} : { path }) });
  const all = [of("/one/graph.pb"), of("/two/graph.pb"), of()];
  for (const origin of [...all, ...all]) {
    const run = new RunStatus({ steps: 1, trace: false, origin: { ...origin, digest: "" } }, () => undefined);
    history.add(run);
    run.end("done");
  }
  const paths = () => history.summaries().map(({ origin }) => origin?.path);
  expect(history.clear(of("/two/graph.pb"))).toHaveLength(2);
  expect(paths()).toEqual([undefined, "/one/graph.pb", undefined, "/one/graph.pb"]);
  expect(history.clear(of())).toHaveLength(2);
  expect(paths()).toEqual(["/one/graph.pb", "/one/graph.pb"]);
});

it("keeps the runs of a document that is saved, and tells those of another one of its former name apart", () => {
  const history = new RunHistory();
  const untitled = (id: string) => ({ id, document: "untitled" });
  const runs = ["one", "two", "one"].map((id) => {
    const origin = { ...untitled(id), digest: "d" };
    const run = new RunStatus({ steps: 1, trace: false, origin }, () => undefined);
    history.add(run);
    run.end("done");
    return run;
  });
  runs[0]?.release();
  const file = { id: "one", document: "lost.pbtxt", path: "/lost.pbtxt" };
  expect(history.saved(file).map(({ number }) => number)).toEqual([1, 3]);
  expect(history.summaries().map(({ origin }) => origin?.path)).toEqual([
    "/lost.pbtxt",
    undefined,
    "/lost.pbtxt",
  ]);
  expect(runs[0]?.update().origin).toEqual({ ...file, digest: "d" });
  // Opened anew, it is the same file.
  const opened = { ...file, id: "opened anew" };
  expect(history.summaries().filter(({ origin }) => isOfDocument(origin, opened))).toHaveLength(2);
  // An example has the same identity whenever it is opened; the runs went with the file that was made of it.
  expect(history.summaries().filter(({ origin }) => isOfDocument(origin, untitled("one")))).toEqual([]);
  expect(history.clear(untitled("three"))).toEqual([]);
  expect(history.clear(untitled("two"))).toHaveLength(1);
  expect(history.clear(opened)).toHaveLength(2);
});

it("keeps what a run was asked to do in a few words", () => {
  const request: RunRequest = {
    ...{ graph: new Uint8Array(0), fetches: ["z:0"], targets: ["train"], steps: 3, trace: false },
    ...{ softPlacement: true, logDevicePlacement: false, configuration: "train" },
    feeds: [
      { name: "x:0", value: { kind: "literal", text: "7".repeat(500) } },
      { name: "y:0", value: { kind: "file", path: "/data/y.csv", column: "label", batched: true } },
    ],
    batches: { size: 8, dropLast: false },
  };
  expect(settingsOf(request)).toEqual({
    configuration: "train",
    fetches: ["z:0"],
    targets: ["train"],
    feeds: [
      { name: "x:0", text: "7".repeat(200) },
      { name: "y:0", text: "y.csv, label, in batches" },
    ],
    batches: { size: 8, dropLast: false },
  });
});
