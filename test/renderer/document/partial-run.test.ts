import { describe, expect, it } from "vitest";
import { EMPTY_RUN_CONFIG } from "../../../renderer/document/model.js";
import { boundaryOf, runnablesOf } from "../../../renderer/document/partial-run.js";
import { runBlockers } from "../../../renderer/document/run-inputs.js";
import { binary, constant, documentOf, lookup, node, placeholder, welcome } from "./graphs.js";

const literal = { kind: "literal", text: "1" } as const;

describe("a part of the graph", () => {
  it("gives what its nodes give; what is fed cannot be fetched", () => {
    const graph = documentOf([...welcome().nodes.values(), node("init", "NoOp")], {
      runConfig: { ...EMPTY_RUN_CONFIG, feeds: { "y:0": literal } },
    });
    expect(runnablesOf(graph, lookup, ["x", "y", "init"])).toEqual({ fetches: ["x:0"], targets: ["init"] });
  });

  it("reads values of the last run from other nodes, but for constants and what is fed", () => {
    expect(boundaryOf(welcome(), lookup, ["z"], (tensor) => tensor === "x:0")).toEqual({
      reused: ["x:0"],
      missing: ["y:0"],
    });
    expect(boundaryOf(welcome(), lookup, ["x", "y"], () => false)).toEqual({ reused: [], missing: [] });
    expect(boundaryOf(welcome(), lookup, ["x", "y", "z"], () => false)).toEqual({ reused: [], missing: [] });
    const fed = { ...welcome(), runConfig: { ...EMPTY_RUN_CONFIG, feeds: { "y:0": literal } } };
    expect(boundaryOf(fed, lookup, ["z"], () => true)).toEqual({ reused: ["x:0"], missing: [] });
  });

  it("is not kept from running by what only fed values need", () => {
    const graph = documentOf([
      placeholder("p"),
      constant("c", "1"),
      binary("s", "AddV2", "p", "c"),
      binary("t", "AddV2", "s", "c"),
    ]);
    const part = { feeds: [], fetches: ["t:0"], targets: [] };
    expect(runBlockers(graph, new Map(), part)).toMatchObject([{ node: "p" }]);
    expect(runBlockers(graph, new Map(), { ...part, reused: { names: ["s:0"] } })).toEqual([]);
  });
});
