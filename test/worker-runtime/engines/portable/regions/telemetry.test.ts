/** ONNX Runtime notes and uploads how it is used, unless that is forbidden before its first session. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { arg, node, ret, type } from "../executor/graph-fixture.js";
import { startTask } from "./regions-fixture.js";

it("a task that runs sessions leaves no notes of ONNX Runtime's, which it would keep for an upload", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tensordeck-telemetry-"));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  onTestFinished(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true });
  });
  const task = startTask();
  const T = type("float32");
  const graph = task.register([
    arg("x", 0, "float32"),
    node("Neg", "negative", ["x"], { T }),
    node("Square", "squared", ["negative"], { T }),
    ret("squared", 0, "float32"),
  ]);
  expect(await graph.run({ args: [Tensor.of([1, 2], "float32")] })).toEqual([Tensor.of([1, 4], "float32")]);
  expect(task.regions.sessions).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});
