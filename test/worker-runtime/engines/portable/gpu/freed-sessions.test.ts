import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { DeviceTensor } from "../../../../../worker-runtime/engines/portable/gpu/device-tensor.js";
import { GpuMemory } from "../../../../../worker-runtime/engines/portable/gpu/gpu-memory.js";
import { ModelBuilder } from "../../../../../worker-runtime/engines/portable/onnx/model-builder.js";
import { RegionDevice } from "../../../../../worker-runtime/engines/portable/regions/device.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";

/**
 * In the place of ONNX Runtime, which crashes where a tensor is freed after its session, though not every time: this one
 * ends the thread. The second output of a session says how many sessions have been released.
 */
const RUNTIME = `
let released = 0;
export class Tensor {
  constructor(type, data, dims) { Object.assign(this, { type, data, dims, location: "cpu" }); }
}
export const listSupportedBackends = () => [];
export const InferenceSession = {
  create: async () => {
    let isReleased = false;
    return {
      inputNames: ["x"],
      outputNames: ["y", "released"],
      async run({ x }) {
        const dispose = () => { if (isReleased) process.exit(1); };
        return {
          y: { type: x.type, dims: x.dims, data: x.data, location: "gpu-buffer", dispose },
          released: new Tensor("int32", Int32Array.of(released), []),
        };
      },
      async release() { isReleased = true; released += 1; },
    };
  },
};
`;

const OUTPUTS = [
  { dtype: "float32", stays: true },
  { dtype: "int32", stays: false },
] as const;

function model(): Uint8Array {
  const builder = new ModelBuilder();
  builder.output(builder.input("float32", 1));
  return builder.build("same");
}

test("a session that was let go stays until the tensors that it has made are freed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tensordeck-freed-sessions-"));
  const runtime = join(folder, "runtime.mjs");
  writeFileSync(runtime, RUNTIME);
  const said: string[] = [];
  const device = new RegionDevice({
    runtime: pathToFileURL(runtime).href,
    gpu: { provider: { name: "webgpu" }, memory: new GpuMemory("/device:GPU:0", 1000) },
    onUnavailable: (reason) => said.push(reason),
  });
  onTestFinished(async () => {
    await device.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const { signal } = new AbortController();
  const [first, other] = [
    await device.makeSession(model(), OUTPUTS),
    await device.makeSession(model(), OUTPUTS),
  ];
  const input = Tensor.of([1, 2], "float32");
  const releasedSessions = async () => (await other.run([input], signal))[1]?.item();
  const [variable] = await first.run([input], signal);
  expect(variable).toBeInstanceOf(DeviceTensor);
  const held = variable as DeviceTensor;
  held.hold();
  first.release();
  expect(await releasedSessions()).toBe(0);
  held.letGo();
  // It is freed with the end of this turn.
  await new Promise(setImmediate);
  expect(await releasedSessions()).toBe(1);
  expect(said).toEqual([]);
});
