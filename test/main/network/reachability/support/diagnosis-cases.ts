/** The parts of the cases of diagnoses. */
import type { Diagnosis } from "../../../../../main/api/reachability.js";
import type { GpuLoad, MachineSample } from "../../../../../main/api/samples.js";
import type { Situation } from "../../../../../main/network/reachability/diagnoses/situation.js";
import { logOf, machine, NOW, situation, task } from "./situations.js";

export interface DiagnosisCase {
  /** The fault, and how it is told. */
  readonly wrong: Situation;
  readonly message: RegExp;
  readonly severity: Diagnosis["severity"];
  readonly machineId?: string;
  readonly taskId?: string;
  /** The same without the fault. */
  readonly right: Situation;
}

export const gpuDevice = { name: "GPU:0", type: "GPU", memoryLimitBytes: 11e9, description: "" };
export const gpu = { index: 0, name: "RTX 4070", memoryBytes: 12e9 };
/** The measurements of gpu-pc. */
export const measured = (sample: Partial<MachineSample>): Pick<Situation, "samples"> => ({
  samples: { machines: new Map([["gpu-pc", sample]]), tasks: new Map() },
});
/** Who holds memory of its GPU. */
export const held = (...processes: GpuLoad["processes"]) => measured({ gpus: [{ index: 0, processes }] });
export const refused = {
  code: "UNAVAILABLE",
  message: "raspberrypi reaches gpu-pc, but nothing listens on port 2222.",
  remedy: "Start worker/0.",
};
export const speed = { roundTripMillis: 1, bytes: 1e8, seconds: 1 };
export const session = { state: "open", since: NOW - 5000, tasks: ["worker/0"] } as const;
export const two = (first: string, second: string) =>
  situation([
    machine("gpu-pc", [task("worker/0", { address: first })]),
    machine("raspberrypi", [task("worker/1", { address: second })]),
  ]);
export const one = (more: Parameters<typeof task>[1], further: Partial<Situation> = {}) =>
  situation([machine("gpu-pc", [task("worker/0", more)])], further);
export const log = (line: string, ageMillis?: number, further: Partial<Situation> = {}) =>
  one({}, { logs: logOf("worker/0", [line], ageMillis), ...further });
export const failedWith = (message: string, more: object = {}) =>
  one({ state: "failed", problem: { code: "UNKNOWN", message, ...more } });
