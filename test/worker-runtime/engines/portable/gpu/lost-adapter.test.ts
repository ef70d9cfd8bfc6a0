import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { DeviceTensor } from "../../../../../worker-runtime/engines/portable/gpu/device-tensor.js";
import { GpuMemory } from "../../../../../worker-runtime/engines/portable/gpu/gpu-memory.js";
import { ModelBuilder } from "../../../../../worker-runtime/engines/portable/onnx/model-builder.js";
import { RegionDevice } from "../../../../../worker-runtime/engines/portable/regions/device.js";
import { DeviceLostError } from "../../../../../worker-runtime/engines/portable/regions/device-errors.js";
import { StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";

/** In the place of ONNX Runtime: its driver works for the first runs, and is lost then. No driver can be made to fail. */
const RUNTIME = `
let runs = 0;
export class Tensor {
  constructor(type, data, dims) { Object.assign(this, { type, data, dims, location: "cpu" }); }
  dispose() {}
}
export const listSupportedBackends = () => [];
export const InferenceSession = {
  create: async () => ({
    inputNames: ["x"],
    outputNames: ["y"],
    async run({ x }) {
      runs += 1;
      if (runs > RUNS) throw new Error("WebGPU device lost (1): the driver was reset");
      return { y: x };
    },
    async release() {},
  }),
};
`;

function deviceThatFailsAfter(runs: number, limitBytes = 1000) {
  const folder = mkdtempSync(join(tmpdir(), "tensordeck-lost-gpu-"));
  const runtime = join(folder, "runtime.mjs");
  writeFileSync(runtime, RUNTIME.replace("RUNS", String(runs)));
  const said: string[] = [];
  const memory = new GpuMemory("/device:GPU:0", limitBytes);
  const device = new RegionDevice({
    runtime: pathToFileURL(runtime).href,
    gpu: { provider: { name: "webgpu" }, memory },
    onUnavailable: (reason) => said.push(reason),
  });
  onTestFinished(async () => {
    await device.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { device, memory, said };
}

const FLOATS = [{ dtype: "float32", stays: true }] as const;

function model(): Uint8Array {
  const builder = new ModelBuilder();
  builder.output(builder.input("float32", 1));
  return builder.build("same");
}

test("an adapter that is lost says so once, and what was on it with it", async () => {
  const { device, memory, said } = deviceThatFailsAfter(1);
  const { signal } = new AbortController();
  const session = await device.makeSession(model(), FLOATS);
  const [kept] = await session.run([Tensor.of([1, 2], "float32")], signal);
  expect(kept).toBeInstanceOf(DeviceTensor);
  expect(memory.usedBytes).toBe(8);
  await expect(session.run([Tensor.of([3], "float32")], signal)).rejects.toBeInstanceOf(DeviceLostError);
  expect(said).toEqual(["WebGPU device lost (1): the driver was reset"]);
  expect(device.isAvailable).toBe(false);
  await expect((kept as DeviceTensor).toHost({ signal })).rejects.toMatchObject({
    code: StatusCode.UNAVAILABLE,
    message: expect.stringMatching(/on \/device:GPU:0 was lost.*Restart the task/),
  });
  await expect(device.makeSession(model(), FLOATS)).rejects.toBeInstanceOf(DeviceLostError);
  expect(said).toHaveLength(1);
});

test("a run that does not fit frees what it has made", async () => {
  const { device, memory } = deviceThatFailsAfter(9);
  const { signal } = new AbortController();
  const session = await device.makeSession(model(), FLOATS);
  const large = new Tensor("float32", [400], new Float32Array(400));
  await expect(session.run([large], signal)).rejects.toMatchObject({ code: StatusCode.RESOURCE_EXHAUSTED });
  expect(memory.usedBytes).toBe(0);
  const [fits] = await session.run([Tensor.of([1], "float32")], signal);
  expect((await (fits as DeviceTensor).toHost({ signal })).toArray()).toEqual([1]);
});

test("copies of inputs that are kept for later runs count, and give way to tensors", async () => {
  const bytes = 16 * 1024;
  const { device, memory } = deviceThatFailsAfter(99, 2.5 * bytes);
  const session = await device.makeSession(model(), FLOATS);
  const input = new Tensor("float32", [bytes / 4], new Float32Array(bytes / 4));
  const run = async () => {
    const [made] = await session.run([input], new AbortController().signal);
    const tensor = made as DeviceTensor;
    tensor.hold();
    return tensor;
  };
  const first = await run();
  first.letGo();
  await nextTurn();
  expect(memory.usedBytes).toBe(0);
  const second = await run();
  // It was sent a second time.
  expect(memory.usedBytes).toBe(2 * bytes);
  await run();
  expect(memory.usedBytes).toBe(2 * bytes);
  await expect(run()).rejects.toMatchObject({ code: StatusCode.RESOURCE_EXHAUSTED });
  second.letGo();
  await nextTurn();
  await run();
  expect(memory.usedBytes).toBe(2 * bytes);
});
