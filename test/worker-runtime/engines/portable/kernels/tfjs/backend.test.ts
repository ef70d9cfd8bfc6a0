import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { beforeAll, describe, expect, test, vi } from "vitest";
import {
  hasTfjsBackend,
  initTfjs,
  runTfjsKernel,
  tfjsTensorCount,
} from "../../../../../../worker-runtime/engines/portable/kernels/tfjs/backend.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { repositoryRoot } from "../../../../../support/peers.js";

const attrs = { transposeA: false, transposeB: false };

describe("TensorFlow.js's backends", () => {
  const console = [vi.spyOn(globalThis.console, "warn"), vi.spyOn(globalThis.console, "log")];
  const listeners = process.listenerCount("uncaughtException") + process.listenerCount("unhandledRejection");
  beforeAll(initTfjs);

  test("start without a word, and leave the process's own handling of errors as it was", async () => {
    await initTfjs();
    expect(hasTfjsBackend("wasm") && hasTfjsBackend("cpu")).toBe(true);
    for (const method of console) {
      expect(method).not.toHaveBeenCalled();
    }
    expect(process.listenerCount("uncaughtException") + process.listenerCount("unhandledRejection")).toBe(
      listeners,
    );
  });

  test("run kernels of wasm, and those that only cpu has", () => {
    const a = Tensor.of([1, 2, 3, 4], "float32", [1, 2, 2]);
    const [product] = runTfjsKernel("BatchMatMul", { a, b: a }, attrs);
    expect(product?.toArray()).toEqual([
      [
        [7, 10],
        [15, 22],
      ],
    ]);
    const [joined] = runTfjsKernel(
      "StaticRegexReplace",
      { x: Tensor.of(["ab", "cb"]) },
      { pattern: "b", rewrite: "x", replaceGlobal: true },
    );
    expect(joined?.toArray()).toEqual(["ax", "cx"]);
    expect(tfjsTensorCount()).toBe(0);
  });

  test("refuse dtypes and kernels that TensorFlow.js does not have, and keep nothing", () => {
    const a = Tensor.of([1, 2, 3, 4], "float32", [1, 2, 2]);
    const wrong = Tensor.of([1, 2], "float64", [1, 2, 1]);
    expect(() => runTfjsKernel("BatchMatMul", { a, b: wrong }, attrs)).toThrow("no tensors of float64");
    expect(() => runTfjsKernel("BatchMatMul", { a, b: a.reshape([1, 4, 1]) }, attrs)).toThrow();
    expect(() => runTfjsKernel("NoSuchKernel", { a }, attrs)).toThrow("no kernel 'NoSuchKernel'");
    expect(tfjsTensorCount()).toBe(0);
  });

  test("work in a worker thread", async () => {
    const built = (path: string) =>
      pathToFileURL(join(repositoryRoot, "build", "out", "worker-runtime", path)).href;
    const script = `
      const { parentPort } = require("node:worker_threads");
      (async () => {
        const { initTfjs, runTfjsKernel } = await import("${built("engines/portable/kernels/tfjs/backend.js")}");
        const { Tensor } = await import("${built("protocol/tensor.js")}");
        await initTfjs();
        const a = Tensor.of([1, 2, 3, 4], "float32", [1, 2, 2]);
        const [product] = runTfjsKernel("BatchMatMul", { a, b: a }, ${JSON.stringify(attrs)});
        parentPort.postMessage([...product.data]);
      })();`;
    const worker = new Worker(script, { eval: true });
    const [message] = await once(worker, "message");
    expect(message).toEqual([7, 10, 15, 22]);
    await worker.terminate();
  });
});
