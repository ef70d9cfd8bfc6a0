import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { beforeAll, describe, expect, test, vi } from "vitest";
import {
  hasTfjs,
  initTfjs,
  runTfjsKernel,
  tfjsTensorCount,
} from "../../../../../../worker-runtime/engines/portable/kernels/tfjs/backend.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { repositoryRoot } from "../../../../../support/peers.js";

const attrs = { transposeA: false, transposeB: false };

/** Runs built code in a thread of its own. @returns what it posts to `parentPort`. */
async function inThread(statements: string): Promise<unknown> {
  const built = (path: string) =>
    pathToFileURL(join(repositoryRoot, "build", "out", "worker-runtime", path)).href;
  const script = `
    const { parentPort } = require("node:worker_threads");
    (async () => {
      const tfjs = await import("${built("engines/portable/kernels/tfjs/backend.js")}");
      const { Tensor } = await import("${built("protocol/tensor.js")}");
      ${statements}
    })();`;
  const worker = new Worker(script, { eval: true });
  const [message] = await once(worker, "message");
  await worker.terminate();
  return message;
}

describe("TensorFlow.js's backend", () => {
  const console = [vi.spyOn(globalThis.console, "warn"), vi.spyOn(globalThis.console, "log")];
  const listeners = process.listenerCount("uncaughtException") + process.listenerCount("unhandledRejection");
  beforeAll(initTfjs);

  test("starts without a word, and leaves the process's own handling of errors as it was", async () => {
    await initTfjs();
    expect(hasTfjs()).toBe(true);
    for (const method of console) {
      expect(method).not.toHaveBeenCalled();
    }
    expect(process.listenerCount("uncaughtException") + process.listenerCount("unhandledRejection")).toBe(
      listeners,
    );
  });

  test("runs kernels", () => {
    const a = Tensor.of([1, 2, 3, 4], "float32", [1, 2, 2]);
    const [product] = runTfjsKernel("BatchMatMul", { a, b: a }, attrs);
    expect(product?.toArray()).toEqual([
      [
        [7, 10],
        [15, 22],
      ],
    ]);
    expect(tfjsTensorCount()).toBe(0);
  });

  test("refuses dtypes and kernels that it does not have, and keeps nothing", () => {
    const a = Tensor.of([1, 2, 3, 4], "float32", [1, 2, 2]);
    const wrong = Tensor.of([1, 2], "float64", [1, 2, 1]);
    expect(() => runTfjsKernel("BatchMatMul", { a, b: wrong }, attrs)).toThrow("no tensors of float64");
    expect(() => runTfjsKernel("BatchMatMul", { a, b: a.reshape([1, 4, 1]) }, attrs)).toThrow();
    expect(() => runTfjsKernel("NoSuchKernel", { a }, attrs)).toThrow("no kernel 'NoSuchKernel'");
    expect(tfjsTensorCount()).toBe(0);
  });

  test("works in a worker thread", async () => {
    const message = await inThread(`
      await tfjs.initTfjs();
      const a = Tensor.of([1, 2, 3, 4], "float32", [1, 2, 2]);
      const [product] = tfjs.runTfjsKernel("BatchMatMul", { a, b: a }, ${JSON.stringify(attrs)});
      parentPort.postMessage([...product.data]);`);
    expect(message).toEqual([7, 10, 15, 22]);
  });

  test("says so where WebAssembly does not work", async () => {
    const message = await inThread(`
      delete globalThis.WebAssembly;
      await tfjs.initTfjs();
      try {
        tfjs.runTfjsKernel("BatchMatMul", {}, {});
      } catch (error) {
        parentPort.postMessage([tfjs.hasTfjs(), error.message]);
      }`);
    expect(message).toEqual([
      false,
      expect.stringMatching(/needs WebAssembly, which does not work in this process/),
    ]);
  });
});
