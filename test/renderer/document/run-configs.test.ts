import { describe, expect, it } from "vitest";
import type { TrainingPlan } from "../../../main/api/training.js";
import { rename } from "../../../renderer/document/edits/rename.js";
import {
  addRunConfig,
  chooseRunConfig,
  duplicateRunConfig,
  MAX_RUN_CONFIGS,
  removeRunConfig,
  renameRunConfig,
  setDefaultRunConfig,
} from "../../../renderer/document/edits/run-configs.js";
import { setStops, setTraceEvery, toggleFetch } from "../../../renderer/document/edits/run-settings.js";
import type { EditResult } from "../../../renderer/document/edits/types.js";
import { EMPTY_RUN_CONFIG, type GraphDocument, type RunConfig } from "../../../renderer/document/model.js";
import { apply, invert } from "../../../renderer/document/operations.js";
import { runConfigsOf } from "../../../renderer/document/run-configs.js";
import { runInputs, usableStops } from "../../../renderer/document/run-inputs.js";
import { NO_SHAPES } from "../../../renderer/document/shapes.js";
import { documentOf, lookup, welcome } from "./graphs.js";

function edited(document: GraphDocument, result: EditResult): GraphDocument {
  if (!result.ok) throw new Error(result.reason);
  const after = apply(document, result.transaction.operations);
  expect(apply(after, invert(result.transaction.operations))).toEqual(document);
  return after;
}

const names = (document: GraphDocument) => runConfigsOf(document).map(({ name }) => name);

describe("run configurations", () => {
  it("are added, copied and chosen; each keeps what it fetches", () => {
    let document = edited(welcome(), toggleFetch(welcome(), "x:0"));
    document = edited(document, addRunConfig(document));
    expect(document.runConfig).toEqual({ ...EMPTY_RUN_CONFIG, name: "New run" });
    document = edited(document, duplicateRunConfig(document, "Main"));
    expect(document.runConfig).toMatchObject({ name: "Main 2", fetches: ["x:0"] });
    expect(names(document)).toEqual(["Main", "Main 2", "New run"]);
    document = edited(document, chooseRunConfig(document, "New run"));
    expect(document.runConfig.fetches).toEqual([]);
    expect(names(document)).toEqual(["Main", "Main 2", "New run"]);
    expect(chooseRunConfig(document, "New run").ok).toBe(false);
    expect(chooseRunConfig(document, "gone").ok).toBe(false);
  });

  it("are renamed to a name of their own; the default stays the default", () => {
    let document = edited(welcome(), addRunConfig(welcome()));
    document = edited(document, renameRunConfig(document, "Main", " train "));
    expect([names(document), document.defaultRun]).toEqual([["New run", "train"], "train"]);
    for (const name of ["", "train", "New run", "x".repeat(81)]) {
      expect(renameRunConfig(document, "train", name).ok).toBe(false);
    }
  });

  it("follow nodes that are renamed, in what they compare and in how they train, too", () => {
    const plan: TrainingPlan = {
      ...{ scheme: "sync", loss: "z:0", train: "y", init: "x", globalStep: "b", examples: "a:0" },
      ready: { checks: "x:0", initializers: ["x", "other"] },
      workers: ["worker/0", "y"],
      asynchronous: { before: "a:0", after: "z:0" },
      synchronous: { give: "y", required: "a:0", counts: ["z:0", "b:0"], takes: ["z:0"], begin: "x" },
    };
    const training: RunConfig = {
      ...EMPTY_RUN_CONFIG,
      ...{ fetches: ["z:0"], targets: ["y"], stops: [{ kind: "below", tensor: "z:0", value: 1 }] },
      checkpoints: { every: 10, keep: 5, best: { tensor: "z:0", mode: "min" } },
      training: plan,
    };
    const start: GraphDocument = { ...welcome(), runConfig: training };
    const { runConfig } = edited(start, rename(start, "z", "loss/sum"));
    expect(runConfig).toEqual({
      ...training,
      ...{ fetches: ["loss/sum:0"], stops: [{ kind: "below", tensor: "loss/sum:0", value: 1 }] },
      checkpoints: { every: 10, keep: 5, best: { tensor: "loss/sum:0", mode: "min" } },
      training: {
        ...{ ...plan, loss: "loss/sum:0", asynchronous: { before: "a:0", after: "loss/sum:0" } },
        synchronous: { ...plan.synchronous, counts: ["loss/sum:0", "b:0"], takes: ["loss/sum:0"] },
      },
    });
    // A worker is no node, even if one has its name.
    expect(edited(start, rename(start, "y", "train")).runConfig).toMatchObject({
      targets: ["train"],
      training: { train: "train", workers: ["worker/0", "y"], synchronous: { give: "train" } },
    });
    const apart = { ...start, runConfig: EMPTY_RUN_CONFIG };
    expect(edited(apart, rename(apart, "z", "sum")).runConfig).toBe(EMPTY_RUN_CONFIG);
  });

  it("are deleted but for the last; the default takes the place of the chosen one", () => {
    let document = edited(welcome(), addRunConfig(welcome()));
    document = edited(document, addRunConfig(document));
    document = edited(document, setDefaultRunConfig(document, "New run"));
    document = edited(document, removeRunConfig(document, "New run 2"));
    expect([document.runConfig.name, names(document)]).toEqual(["New run", ["Main", "New run"]]);
    document = edited(document, removeRunConfig(document, "New run"));
    expect([document.runConfig.name, document.defaultRun]).toEqual(["Main", "Main"]);
    expect(removeRunConfig(document, "Main")).toEqual({
      ok: false,
      reason: "It is the only run configuration.",
    });
  });

  it("are limited in number", () => {
    const otherRuns = Array.from({ length: MAX_RUN_CONFIGS - 1 }, (_, index) => ({
      ...EMPTY_RUN_CONFIG,
      name: `run ${index}`,
    }));
    expect(addRunConfig(documentOf([], { otherRuns })).ok).toBe(false);
  });

  it("say which steps are traced, and when a run stops", () => {
    let document = edited(welcome(), setTraceEvery(welcome(), 10));
    expect(document.runConfig).toMatchObject({ trace: true, traceEvery: 10 });
    document = edited(document, setTraceEvery(document, undefined));
    expect(document.runConfig).toEqual(EMPTY_RUN_CONFIG);
    document = edited(
      document,
      setStops(document, [
        { kind: "below", tensor: "y:0", value: 1 },
        { kind: "not-finite", tensor: "gone:0" },
      ]),
    );
    expect(usableStops(document)).toEqual([{ kind: "below", tensor: "y:0", value: 1 }]);
    expect(runInputs(document, lookup, NO_SHAPES, false).fetches).toEqual(["z:0", "y:0"]);
    expect(setStops(document, Array(9).fill(document.runConfig.stops[0])).ok).toBe(false);
  });
});
