import { beforeAll, describe, expect, test } from "vitest";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { SavedModel } from "../../../protos/generated/tensorflow/saved_model.js";
import {
  type GraphFileKind,
  readGraphFile,
  writeGraphFile,
} from "../../../worker-runtime/graph/graph-file.js";
import { readGraphFileApart } from "../../../worker-runtime/import/import-model.js";

/** Enough for a file that is read in a thread of its own. */
const NODES = 30_000;

let metaGraph: MetaGraphDef;
beforeAll(() => {
  const node = Array.from({ length: NODES }, (_, index) =>
    NodeDef.fromPartial({ name: `n${index}`, op: "NoOp", input: index === 0 ? [] : [`^n${index - 1}`] }),
  );
  metaGraph = MetaGraphDef.fromPartial({ metaInfoDef: { tags: ["serve"] }, graphDef: { node } });
});

function textOf(kind: GraphFileKind): Uint8Array {
  const savedModel = SavedModel.fromPartial({ savedModelSchemaVersion: 1n, metaGraphs: [{}, metaGraph] });
  const original = kind === "saved_model" ? { savedModel, index: 1 } : undefined;
  return writeGraphFile({ kind, format: "text", metaGraph, original });
}

describe("large text files", () => {
  test.each(["graph", "meta_graph", "saved_model"] as const)(
    "are read as small ones are: %s",
    async (kind) => {
      const bytes = textOf(kind);
      expect(bytes.length).toBeGreaterThan(2 ** 20);
      const { encoded, ...file } = await readGraphFileApart(bytes, "large.pbtxt");
      expect(file).toEqual(readGraphFile(bytes, "large.pbtxt"));
      expect(MetaGraphDef.decode(encoded ?? new Uint8Array())).toEqual(file.metaGraph);
    },
  );

  test("leave this thread to others while they are read", async () => {
    const bytes = textOf("graph");
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    await readGraphFileApart(bytes, "large.pbtxt");
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
  });

  test("are refused in the same words", async () => {
    const bytes = Buffer.concat([textOf("graph"), Buffer.from("node { nam: 1 }")]);
    let expected: unknown;
    try {
      readGraphFile(bytes, "large.pbtxt");
    } catch (error) {
      expected = error;
    }
    expect(expected).toMatchObject({ codeName: "INVALID_ARGUMENT" });
    await expect(readGraphFileApart(bytes, "large.pbtxt")).rejects.toMatchObject({
      codeName: "INVALID_ARGUMENT",
      message: (expected as Error).message,
    });
  });

  test("are not read to the end once nobody waits", async () => {
    const gone = new AbortController();
    const reading = readGraphFileApart(textOf("graph"), "large.pbtxt", { signal: gone.signal });
    setImmediate(() => gone.abort(new Error("The window has gone.")));
    await expect(reading).rejects.toMatchObject({ codeName: "CANCELLED" });
  });
});
