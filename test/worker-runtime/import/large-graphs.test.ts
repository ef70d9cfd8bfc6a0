import { beforeAll, describe, expect, test, vi } from "vitest";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { SavedModel } from "../../../protos/generated/tensorflow/saved_model.js";
import {
  type GraphFileFormat,
  type GraphFileKind,
  readGraphFile,
  writeGraphFile,
} from "../../../worker-runtime/graph/graph-file.js";
import { readGraphFileApart } from "../../../worker-runtime/import/import-model.js";

/** Enough for a file that is read in a thread of its own. */
const NODES = 60_000;

let metaGraph: MetaGraphDef;
beforeAll(() => {
  const node = Array.from({ length: NODES }, (_, index) =>
    NodeDef.fromPartial({ name: `n${index}`, op: "NoOp", input: index === 0 ? [] : [`^n${index - 1}`] }),
  );
  metaGraph = MetaGraphDef.fromPartial({ metaInfoDef: { tags: ["serve"] }, graphDef: { node } });
});

function bytesOf(kind: GraphFileKind, format: GraphFileFormat): Uint8Array {
  const savedModel = SavedModel.fromPartial({ savedModelSchemaVersion: 1n, metaGraphs: [{}, metaGraph] });
  const original = kind === "saved_model" ? { savedModel, index: 1 } : undefined;
  return writeGraphFile({ kind, format, metaGraph, original });
}

const textOf = (kind: GraphFileKind) => bytesOf(kind, "text");
const FORMATS = ["text", "binary"] as const;
const KINDS = ["graph", "meta_graph", "saved_model"] as const;
const LARGE = FORMATS.flatMap((format) => KINDS.map((kind) => ({ kind, format })));

describe("large files", () => {
  test.each(LARGE)("are read as small ones are: $kind, $format", async ({ kind, format }) => {
    const bytes = bytesOf(kind, format);
    expect(bytes.length).toBeGreaterThan(2 ** 20);
    const { encoded: _, ...expected } = readGraphFile(bytes, "large");
    const { encoded, ...file } = await readGraphFileApart(bytes.slice(), "large", { giveAway: true });
    expect(file).toEqual(expected);
    expect(MetaGraphDef.decode(encoded ?? new Uint8Array())).toEqual(file.metaGraph);
  });

  test("stay with a caller who does not give them away", async () => {
    const bytes = bytesOf("graph", "binary");
    await readGraphFileApart(bytes, "large.pb");
    expect(bytes.length).toBeGreaterThan(2 ** 20);
  });

  test("are not decoded in this thread before someone asks", async () => {
    const decode = vi.spyOn(MetaGraphDef, "decode");
    const file = await readGraphFileApart(bytesOf("meta_graph", "binary"), "large.pb");
    expect(decode).not.toHaveBeenCalled();
    expect(file.metaGraph).toBe(file.metaGraph);
    expect(decode).toHaveBeenCalledTimes(1);
    decode.mockRestore();
  });

  test.each(FORMATS)("leave this thread to others while they are read: %s", async (format) => {
    const bytes = bytesOf("graph", format);
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
