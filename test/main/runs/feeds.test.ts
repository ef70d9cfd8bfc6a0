import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunRequest } from "../../../main/api/runs.js";
import { ProblemError } from "../../../main/api/wire.js";
import { readFeeds } from "../../../main/runs/feeds.js";
import type { CheckedGraph } from "../../../main/runs/graph-check.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-feeds-"));
});
afterEach(() => rm(folder, { recursive: true }));

const placeholder = NodeDef.fromPartial({
  name: "p",
  op: "Placeholder",
  attr: new Map([["dtype", { value: { $case: "type" as const, value: DataType.DT_INT32 } }]]),
});
const graph: CheckedGraph = {
  graphDef: GraphDef.fromPartial({ node: [placeholder] }),
  nodes: new Map([["p", placeholder]]),
  fetches: ["p:0"],
  targets: [],
};

function read(value: RunRequest["feeds"][number]["value"], signal = new AbortController().signal) {
  return readFeeds({ feeds: [{ name: "p", value }] }, graph, signal);
}

async function problemOfRead(...given: Parameters<typeof read>) {
  const error = await read(...given).catch((thrown: unknown) => thrown);
  if (error instanceof ProblemError) return error.problem;
  throw new Error(`not a ProblemError: ${String(error)}`);
}

describe("a feed", () => {
  it("is read from a file in the dtype of its placeholder", async () => {
    await writeFile(join(folder, "x.csv"), "n\n1\n2\n");
    const tensors = await read({ kind: "file", path: join(folder, "x.csv"), column: "n" });
    expect(tensors.at(1).get("p:0")).toMatchObject({ dtype: "int32", shape: [2] });
  });

  it("that cannot be read or does not fit names its node", async () => {
    expect(await problemOfRead({ kind: "file", path: join(folder, "none.npy") })).toMatchObject({
      code: "NOT_FOUND",
      node: "p",
    });
    expect(await problemOfRead({ kind: "literal", text: "1.5" })).toMatchObject({
      code: "INVALID_ARGUMENT",
      remedy: expect.stringContaining("int32"),
      node: "p",
    });
  });

  it.skipIf(process.platform === "win32")("is not waited for at a pipe that nobody writes", async () => {
    execFileSync("mkfifo", [join(folder, "pipe.csv")]);
    expect(await problemOfRead({ kind: "file", path: join(folder, "pipe.csv") })).toMatchObject({
      reason: '"pipe.csv" is not a file.',
      node: "p",
    });
  });

  it("is pixels of images in the range that was chosen, or as bytes for whole numbers", async () => {
    const bytes = Uint8Array.of(0, 51, 255);
    const pixels = async (range: "unit" | "signed" | "byte", dtype: DataType) => {
      const p = NodeDef.fromPartial({
        name: "p",
        op: "Placeholder",
        attr: new Map([["dtype", { value: { $case: "type" as const, value: dtype } }]]),
      });
      const value = {
        kind: "content" as const,
        name: "cat.jpg",
        bytes,
        pixels: { range, shape: [1, 1, 3] },
      };
      const feeds = await readFeeds(
        { feeds: [{ name: "p", value }] },
        { ...graph, nodes: new Map([["p", p]]) },
        new AbortController().signal,
      );
      return feeds.at(1).get("p:0")?.toArray();
    };
    expect(await pixels("unit", DataType.DT_FLOAT)).toEqual([[[0, Math.fround(0.2), 1]]]);
    expect(await pixels("signed", DataType.DT_FLOAT)).toEqual([[[-1, Math.fround(-0.6), 1]]]);
    expect(await pixels("byte", DataType.DT_FLOAT)).toEqual([[[0, 51, 255]]]);
    expect(await pixels("unit", DataType.DT_INT32)).toEqual([[[0, 51, 255]]]);
  });

  it("is given up with the run", async () => {
    const aborted = AbortSignal.abort(new Error("stopped"));
    await expect(read({ kind: "literal", text: "1" }, aborted)).rejects.toThrow("stopped");
  });
});
