import { describe, expect, it } from "vitest";
import type { GraphDocument } from "../../../renderer/document/model.js";
import { EMPTY_RUN_CONFIG } from "../../../renderer/document/model.js";
import { findProblems } from "../../../renderer/document/problems.js";
import { runBlockers, runInputs, waitedQueues } from "../../../renderer/document/run-inputs.js";
import { inferShapes, shapeText } from "../../../renderer/document/shapes.js";
import { binary, constant, documentOf, lookup, node, placeholder, type, welcome } from "./graphs.js";

function examine(document: GraphDocument) {
  const shapes = inferShapes(document.nodes, lookup);
  return { shapes, problems: findProblems(document, lookup, shapes, true) };
}

function inputsOf(document: GraphDocument, watch = false) {
  return runInputs(document, lookup, inferShapes(document.nodes, lookup), watch);
}

describe("what is fetched", () => {
  it("is what nothing consumes, where nothing was chosen", () => {
    expect(inputsOf(welcome())).toEqual({ feeds: [], fetches: ["z:0"], targets: [] });
  });

  it("is also every small tensor on the way in a single step, the result first", () => {
    expect(inputsOf(welcome(), true).fetches).toEqual(["z:0", "x:0", "y:0"]);
  });

  it("is what was chosen, as far as the graph still has it", () => {
    const document = documentOf([...welcome().nodes.values()], {
      runConfig: { ...EMPTY_RUN_CONFIG, fetches: ["x:0", "gone:0"] },
    });
    expect(inputsOf(document).fetches).toEqual(["x:0"]);
  });

  it("leaves out what others wait for, resources, and placeholders without a value", () => {
    const document = documentOf([
      placeholder("p"),
      node("v", "VarHandleOp", [], {
        dtype: type("float32"),
        shape: { value: { $case: "shape", value: { dim: [], unknownRank: false } } },
      }),
      constant("c", "1"),
      node("init", "NoOp", ["^c"]),
    ]);
    expect(inputsOf(document)).toEqual({ feeds: [], fetches: [], targets: [] });
  });
});

describe("a queue that nothing of the run fills", () => {
  it("is named, as long as its filling is not run as well", () => {
    const document = documentOf([
      node("queue", "FIFOQueueV2"),
      constant("c", "1"),
      node("fill", "QueueEnqueueV2", ["queue", "c"]),
      node("taken", "QueueDequeueV2", ["queue"]),
      node("result", "Identity", ["taken"], { T: type("float32") }),
    ]);
    expect(waitedQueues(document, { fetches: ["result:0"], targets: [] })).toEqual(["queue"]);
    expect(waitedQueues(document, { fetches: ["result:0"], targets: ["fill"] })).toEqual([]);
    expect(waitedQueues(document, { fetches: ["c:0"], targets: [] })).toEqual([]);
  });
});

describe("what keeps a graph from running", () => {
  it("is nothing for a whole graph", () => {
    const document = welcome();
    expect(runBlockers(document, examine(document).problems, inputsOf(document))).toEqual([]);
  });

  it("is a missing input, by its name, but only of what is needed", () => {
    const document = documentOf([...welcome().nodes.values(), binary("m", "Mul", "a", "")]);
    const { problems } = examine(document);
    expect(problems.get("m")?.[0]).toMatchObject({ short: "y is missing", input: 1 });
    expect(runBlockers(document, problems, inputsOf(document))).toHaveLength(1);
    const chosen = { ...document, runConfig: { ...document.runConfig, fetches: ["z:0"] } };
    expect(runBlockers(chosen, problems, inputsOf(chosen))).toEqual([]);
  });

  it("is a placeholder without a value", () => {
    const document = documentOf([placeholder("p"), binary("m", "Mul", "p", "p")]);
    const [blocker] = runBlockers(document, examine(document).problems, inputsOf(document));
    expect(blocker).toMatchObject({ node: "p", message: "The placeholder p has no value." });
    const fed: GraphDocument = {
      ...document,
      runConfig: { ...document.runConfig, feeds: { "p:0": { kind: "literal", text: "1" } } },
    };
    expect(runBlockers(fed, examine(fed).problems, inputsOf(fed))).toEqual([]);
  });

  it("is a circle, of whose nodes none is an end", () => {
    const document = documentOf([binary("a", "Add", "b", "b"), binary("b", "Mul", "a", "a")]);
    const blockers = runBlockers(document, examine(document).problems, inputsOf(document));
    expect(blockers.map(({ message }) => message)).toEqual([
      "a depends on its own output.",
      "b depends on its own output.",
    ]);
  });

  it("is an empty graph", () => {
    const empty = documentOf([]);
    expect(runBlockers(empty, new Map(), inputsOf(empty))[0]?.message).toBe("There is nothing to run.");
  });
});

describe("problems", () => {
  const shortOf = (nodes: Parameters<typeof documentOf>[0], name: string) =>
    examine(documentOf(nodes))
      .problems.get(name)
      ?.map(({ short }) => short);

  it("are found at the node they concern", () => {
    expect(shortOf([binary("x", "Mul", "gone", "gone:1")], "x")).toEqual(["no gone", "no gone"]);
    expect(shortOf([constant("a", "1"), binary("x", "Mul", "a", "a:1")], "x")).toEqual(["no a:1"]);
    expect(shortOf([constant("a", "1", "int32"), binary("x", "Mul", "a", "a")], "x")).toEqual([
      "dtypes differ",
      "dtypes differ",
    ]);
    expect(
      shortOf([constant("a", "1"), node("x", "Identity", ["a", "a"], { T: type("float32") })], "x"),
    ).toEqual(["too many inputs"]);
    expect(shortOf([node("x", "NoSuchOp")], "x")).toEqual(["unknown op"]);
    expect(shortOf([node("x", "Placeholder")], "x")).toEqual(["dtype not set"]);
  });

  it("name both shapes where they do not fit", () => {
    const { problems } = examine(
      documentOf([
        constant("a", "[[1, 2, 3]]"),
        constant("b", "[[1, 2]]"),
        node("m", "MatMul", ["a", "b"], { T: type("float32") }),
      ]),
    );
    expect(problems.get("m")?.[0]).toMatchObject({ short: "shapes differ" });
    expect(problems.get("m")?.[0]?.message).toMatch(/\[1, 3\].*\[1, 2\]/);
  });

  it("tell a circle, but not a while loop of TensorFlow 1", () => {
    const { problems } = examine(
      documentOf([
        constant("a", "1"),
        binary("x", "Mul", "a", "y"),
        binary("y", "Mul", "x", "x"),
        binary("z", "Mul", "y", "y"),
      ]),
    );
    expect([...problems.keys()]).toEqual(["x", "y"]);
    const two = { value: { $case: "i", value: 2n } } as const;
    const loop = documentOf([
      constant("a", "1"),
      node("m", "Merge", ["a", "next"], { T: type("float32"), N: two }),
      node("next", "NextIteration", ["m"], { T: type("float32") }),
    ]);
    expect(examine(loop).problems.size).toBe(0);
  });

  it("are none for an op that may only not be known yet", () => {
    const document = documentOf([node("x", "Whatever")]);
    expect(
      findProblems(
        document,
        () => undefined,
        inferShapes(document.nodes, () => undefined),
        false,
      ).size,
    ).toBe(0);
  });
});

describe("shapes", () => {
  it("are known without a run and follow an edit", () => {
    const document = welcome();
    expect(shapeText(inferShapes(document.nodes, lookup).outputs.get("z")?.[0])).toBe("[]");
    const wider = new Map(document.nodes).set("a", constant("a", "[1, 2, 3]"));
    expect(shapeText(inferShapes(wider, lookup).outputs.get("z")?.[0])).toBe("[3]");
  });
});
