import { describe, expect, it } from "vitest";
import { chooseRun, resetRun } from "../../../renderer/document/edits/run-settings.js";
import { completions, joinRunnable, readRunnable } from "../../../renderer/document/runnable-names.js";
import { constant, documentOf, lookup, node, welcome } from "./graphs.js";

describe("what a name stands for", () => {
  const document = documentOf([...welcome().nodes.values(), node("train", "NoOp", ["^z"])]);
  const read = (text: string) => readRunnable(document, lookup, text);

  it("is a value to fetch, or an operation to run", () => {
    expect(read(" z ")).toEqual({ fetches: ["z:0"], targets: [] });
    expect(read("z:0")).toEqual({ fetches: ["z:0"], targets: [] });
    expect(read("train")).toEqual({ fetches: [], targets: ["train"] });
    expect(read("^z")).toEqual({ fetches: [], targets: ["z"] });
  });

  it("is refused with the reason", () => {
    expect(read("zz")).toBe("The graph has no node zz.");
    expect(read("z:3")).toBe("z has no value 3 that could be fetched.");
    expect(read("train:0")).toContain("Write ^train");
  });

  it("is completed, beginnings first", () => {
    const named = documentOf([constant("my_loss", "1"), constant("loss", "1"), node("lost", "NoOp")]);
    expect(completions(named, lookup, "lo")).toEqual(["loss:0", "lost", "my_loss:0"]);
    expect(completions(named, lookup, "")).toEqual([]);
  });

  it("is added once", () => {
    expect(
      joinRunnable({ fetches: ["z:0"], targets: [] }, { fetches: ["z:0", "x:0"], targets: ["t"] }),
    ).toEqual({
      fetches: ["z:0", "x:0"],
      targets: ["t"],
    });
  });
});

describe("a chosen run", () => {
  it("is never nothing, and is taken back by a reset", () => {
    const document = welcome();
    expect(chooseRun(document, { fetches: [], targets: [] }, "None")).toMatchObject({ ok: false });
    expect(resetRun(document)).toMatchObject({ ok: false });
    const runConfig = { ...document.runConfig, fetches: ["x:0"] };
    expect(resetRun({ ...document, runConfig })).toMatchObject({
      ok: true,
      transaction: { operations: [{ type: "run-config", after: { fetches: [], targets: [] } }] },
    });
  });
});
