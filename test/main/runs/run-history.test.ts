import { expect, it } from "vitest";
import { RunHistory } from "../../../main/runs/run-history.js";
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
