import { describe, expect, it } from "vitest";
import type { MachineSample } from "../../../main/api/samples.js";
import {
  forgetSamples,
  machineSamples,
  receiveSamples,
  useSamples,
} from "../../../renderer/stores/samples-store.js";
import { machineOf } from "../support/cluster-states.js";

const sample: MachineSample = {
  ...{
    at: 1,
    cpuPercent: 7,
    memoryUsedBytes: 1e9,
    receivedBytesPerSecond: 0,
    sentBytesPerSecond: 0,
    gpus: [],
  },
};
const samplesOf = (id: string) => machineSamples(useSamples.getState(), id).length;

describe("samples of machines", () => {
  it("stay for this machine and paired ones that answer, and for no other", () => {
    receiveSamples({ machines: { pc: sample, pi: sample, away: sample, former: sample }, tasks: {} });
    expect(samplesOf("former")).toBe(1);
    forgetSamples([
      machineOf("pc"),
      machineOf("pi", { kind: "paired" }),
      machineOf("away", { kind: "paired", presence: "offline" }),
      // It was unpaired, and still announces itself.
      machineOf("former", { kind: "discovered" }),
    ]);
    expect(["pc", "pi", "away", "former"].map(samplesOf)).toEqual([1, 1, 0, 0]);
  });
});
