/** Graphs that cannot be run: each gives an error that a client can act on, and the server lives on. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { FunctionDefLibrary } from "../../../../protos/generated/tensorflow/function.js";
import type { GraphDef } from "../../../../protos/generated/tensorflow/graph.js";
import { dataTypeOf } from "../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import type { Feeds } from "../../../../worker-runtime/session/references.js";
import { Session } from "../../../../worker-runtime/session/session.js";
import { libraryEnvironment } from "../../../support/peers.js";
import { constant, graphOf, type Node, placeholder, type, typed, types } from "../../peers/nodes.js";
import { type StartedWorker, startWorker } from "../../worker-peers.js";
import { expectStillServes } from "./still-serves.js";

interface Hostile {
  readonly graph: GraphDef;
  readonly fetch: string;
  readonly feeds?: Feeds;
  /**
   * Codes that say what is wrong, stock TensorFlow's among them where it answers at all: it computes for long or ends
   * at a terabyte and at a function that calls itself.
   */
  readonly codes: readonly string[];
}

const TERA = 2n ** 40n;

const call = (name: string, callee: string, input: string): Node => ({
  name,
  op: "PartitionedCall",
  input: [input],
  attr: {
    Tin: types("float32"),
    Tout: types("float32"),
    f: { $case: "func", value: { name: callee, attr: new Map() } },
  },
});

/** A function of one float that calls another one, or itself. */
function caller(name: string, callee: string) {
  const float = dataTypeOf("float32");
  return {
    signature: { name, inputArg: [{ name: "x", type: float }], outputArg: [{ name: "y", type: float }] },
    nodeDef: graphOf(call("inner", callee, "x")).node,
    ret: new Map([["y", "inner:output:0"]]),
  };
}

const DEPTH = 300;
const recursive = FunctionDefLibrary.fromPartial({ function: [caller("Self", "Self")] });
const deep = FunctionDefLibrary.fromPartial({
  function: [
    ...Array.from({ length: DEPTH }, (_, i) => caller(`F${i}`, `F${i + 1}`)),
    caller(`F${DEPTH}`, "Nobody"),
  ],
});

const one = constant("one", 1, "float32");
const feeding = placeholder("x", "float32");

const hostile: Readonly<Record<string, Hostile>> = {
  "a cycle without a loop": {
    graph: graphOf(typed("a", "AddV2", ["b", "b"], "float32"), typed("b", "AddV2", ["a", "a"], "float32")),
    fetch: "a",
    codes: ["INVALID_ARGUMENT"],
  },
  "a node that feeds itself": {
    graph: graphOf(typed("a", "Neg", ["a"], "float32")),
    fetch: "a",
    codes: ["INVALID_ARGUMENT"],
  },
  "an input that no node has": {
    graph: graphOf(typed("a", "Neg", ["nobody"], "float32")),
    fetch: "a",
    codes: ["INVALID_ARGUMENT"],
  },
  "an output that the node does not have": {
    graph: graphOf(one, typed("a", "Neg", ["one:7"], "float32")),
    fetch: "a",
    codes: ["INVALID_ARGUMENT", "OUT_OF_RANGE"],
  },
  "too few inputs": {
    graph: graphOf(one, typed("a", "AddV2", ["one"], "float32")),
    fetch: "a",
    codes: ["INVALID_ARGUMENT"],
  },
  "two nodes of one name": { graph: graphOf(one, one), fetch: "one", codes: ["INVALID_ARGUMENT"] },
  "an op that nobody knows": {
    graph: graphOf({ name: "a", op: "NoSuchOp" }),
    fetch: "a",
    codes: ["NOT_FOUND", "INVALID_ARGUMENT", "UNIMPLEMENTED"],
  },
  "a missing attribute": {
    graph: graphOf(one, { name: "a", op: "Cast", input: ["one"] }),
    fetch: "a",
    codes: ["NOT_FOUND"],
  },
  "an attribute of the wrong kind": {
    graph: graphOf(one, { name: "a", op: "Neg", input: ["one"], attr: { T: { $case: "i", value: 5n } } }),
    fetch: "a",
    codes: ["INVALID_ARGUMENT"],
  },
  "a dtype that is none": {
    graph: graphOf(one, {
      name: "a",
      op: "Neg",
      input: ["one"],
      attr: { T: { $case: "type", value: 77 as never } },
    }),
    fetch: "a",
    codes: ["INVALID_ARGUMENT"],
  },
  "an input of another dtype than the attribute says": {
    graph: graphOf(one, typed("a", "Neg", ["one"], "int32")),
    fetch: "a",
    codes: ["INVALID_ARGUMENT"],
  },
  "a constant whose content is too short": {
    graph: graphOf({
      name: "a",
      op: "Const",
      attr: {
        dtype: type("float32"),
        value: {
          $case: "tensor",
          value: {
            ...constantTensor(),
            tensorContent: new Uint8Array(3),
            tensorShape: { dim: [{ size: 1000n, name: "" }], unknownRank: false },
          },
        },
      },
    }),
    fetch: "a",
    codes: ["INVALID_ARGUMENT"],
  },
  "a constant of a terabyte": {
    graph: graphOf({
      name: "a",
      op: "Const",
      attr: {
        dtype: type("float32"),
        value: {
          $case: "tensor",
          value: {
            ...constantTensor(),
            floatVal: [1],
            tensorContent: new Uint8Array(),
            tensorShape: { dim: [{ size: TERA, name: "" }], unknownRank: false },
          },
        },
      },
    }),
    fetch: "a",
    codes: ["RESOURCE_EXHAUSTED", "INVALID_ARGUMENT", "INTERNAL"],
  },
  "a fill of a terabyte": {
    graph: graphOf(constant("dims", [TERA], "int64"), one, {
      name: "a",
      op: "Fill",
      input: ["dims", "one"],
      attr: { T: type("float32"), index_type: type("int64") },
    }),
    fetch: "a",
    codes: ["RESOURCE_EXHAUSTED"],
  },
  "a shape whose size is beyond 64 bits": {
    graph: graphOf(constant("dims", [2n ** 62n, 2n ** 62n], "int64"), one, {
      name: "a",
      op: "Fill",
      input: ["dims", "one"],
      attr: { T: type("float32"), index_type: type("int64") },
    }),
    fetch: "a",
    codes: ["INVALID_ARGUMENT", "RESOURCE_EXHAUSTED"],
  },
  "a row repeated a million million times": {
    graph: graphOf(constant("row", [1, 2, 3], "float32"), constant("times", [TERA], "int64"), {
      name: "a",
      op: "Tile",
      input: ["row", "times"],
      attr: { T: type("float32"), Tmultiples: type("int64") },
    }),
    fetch: "a",
    codes: ["RESOURCE_EXHAUSTED", "INVALID_ARGUMENT"],
  },
  "a range without end": {
    graph: graphOf(
      constant("start", 0n, "int64"),
      constant("limit", TERA, "int64"),
      constant("delta", 1n, "int64"),
      { name: "a", op: "Range", input: ["start", "limit", "delta"], attr: { Tidx: type("int64") } },
    ),
    fetch: "a",
    codes: ["RESOURCE_EXHAUSTED"],
  },
  "a function that calls itself for ever": {
    graph: { ...graphOf(feeding, call("a", "Self", "x")), library: recursive },
    fetch: "a",
    feeds: { x: 1 },
    codes: ["RESOURCE_EXHAUSTED", "INVALID_ARGUMENT", "INTERNAL", "FAILED_PRECONDITION"],
  },
  "functions nested deeply, the last of which is missing": {
    graph: { ...graphOf(feeding, call("a", "F0", "x")), library: deep },
    fetch: "a",
    feeds: { x: 1 },
    codes: ["NOT_FOUND", "INVALID_ARGUMENT", "UNIMPLEMENTED", "RESOURCE_EXHAUSTED"],
  },
  "a feed of another dtype than the placeholder's": {
    // Fed by its output's name with a node that the client does not know as a placeholder.
    graph: graphOf(one, typed("a", "Neg", ["one"], "float32")),
    fetch: "a",
    feeds: { one: Tensor.of([1n], "int64") },
    codes: ["INVALID_ARGUMENT", "INTERNAL"],
  },
  "a fetch of what is not there": {
    graph: graphOf(one),
    fetch: "nobody",
    codes: ["NOT_FOUND", "INVALID_ARGUMENT"],
  },
  "a device that is not there": {
    graph: graphOf({ ...one, device: "/job:nowhere/task:9" }),
    fetch: "one",
    codes: ["INVALID_ARGUMENT"],
  },
};

function constantTensor() {
  const value = constant("c", 1, "float32").attr?.value;
  if (value?.$case !== "tensor") throw new Error("A constant has a tensor.");
  return value.value;
}

describe("graphs that cannot be run", () => {
  let worker: StartedWorker;
  beforeAll(async () => {
    const engine = process.env.TENSORDECK_DIFFERENTIAL_ENGINE ?? "portable";
    worker = await startWorker(["--engine", engine], libraryEnvironment());
  });
  afterAll(() => worker?.stop());
  afterEach(() => expectStillServes(worker.target));

  test.each(Object.entries(hostile))("%s", async (_, { graph, fetch, feeds, codes }) => {
    const session = new Session(worker.target, { graph });
    try {
      const run = session.run([fetch], { ...(feeds && { feeds }), options: { timeoutMillis: 10_000 } });
      const error = await run.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(codes).toContain(error instanceof Error && "codeName" in error ? error.codeName : error);
    } finally {
      await session.close();
    }
  });
});
