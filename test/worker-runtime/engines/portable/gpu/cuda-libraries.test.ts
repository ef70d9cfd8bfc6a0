import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { availableBackends } from "../../../../../worker-runtime/engines/portable/gpu/choose-gpus.js";

/** As ONNX Runtime's package lists them on Linux x86-64. */
const supported = [
  { name: "cpu", bundled: true },
  { name: "webgpu", bundled: true },
  { name: "cuda", bundled: false },
  { name: "tensorrt", bundled: false },
];
const dist = dirname(createRequire(import.meta.url).resolve("onnxruntime-node"));
const native = join(dist, "..", "bin", "napi-v6", process.platform, process.arch);

test.skipIf(process.platform !== "linux")(
  "CUDA can be used once its libraries are in ONNX Runtime's package and what they need is on the system",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "tensordeck-cuda-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const log: string[] = [];
    const backends = (of = supported) => availableBackends(of, folder, (line) => log.push(line));
    const provider = join(folder, "libonnxruntime_providers_cuda.so");
    expect(await backends()).toEqual(["cpu", "webgpu"]);
    writeFileSync(join(folder, "libonnxruntime_providers_shared.so"), "");
    expect(await backends()).toEqual(["cpu", "webgpu"]);
    // A library that is everywhere, which needs no more than the system's.
    copyFileSync(join(native, "libonnxruntime.so.1"), provider);
    expect(await backends()).toEqual(["cpu", "webgpu", "cuda"]);
    expect(await backends(supported.slice(0, 2))).toEqual(["cpu", "webgpu"]);
    expect(log).toEqual([]);

    // One that needs another library.
    copyFileSync(join(native, "onnxruntime_binding.node"), provider);
    expect(await backends()).toEqual(["cpu", "webgpu"]);
    writeFileSync(provider, "");
    expect(await backends()).toEqual(["cpu", "webgpu"]);
    expect(log).toEqual([
      "ONNX Runtime's CUDA provider is not used: it needs libonnxruntime.so.1, which CUDA 12 and cuDNN have.",
      expect.stringMatching(/not used: libonnxruntime_providers_cuda\.so cannot be read: /),
    ]);
  },
);
