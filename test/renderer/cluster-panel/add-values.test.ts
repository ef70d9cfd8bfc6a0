import { describe, expect, it } from "vitest";
import { serverAddressError } from "../../../renderer/cluster-panel/add-address-forms.js";
import { type AddValues, checkAdd, freeIndices } from "../../../renderer/cluster-panel/add-values.js";
import { machineOf, taskOf } from "../support/cluster-states.js";

const tasks = [taskOf("worker/0"), taskOf("worker/2"), taskOf("ps/0")];
const machine = machineOf("pc", {
  gpus: [{ index: 0, name: "A100", memoryBytes: 80e9 }],
});
const values = (more: Partial<AddValues> = {}): AddValues => ({
  machineId: "pc",
  job: "worker",
  count: "1",
  index: "",
  engine: undefined,
  gpu: "auto",
  ...more,
});
const check = (more: Partial<AddValues> = {}) => checkAdd(values(more), tasks, machine);

describe("the form that adds tasks", () => {
  it("proposes the lowest free indices", () => {
    expect(freeIndices(tasks, "worker", 3)).toEqual([1, 3, 4]);
    expect(freeIndices(tasks, "chief", 1)).toEqual([0]);
  });

  it("leaves to the application what was not chosen", () => {
    expect(check()).toEqual({ errors: {}, request: { machineId: "pc", job: "worker", count: 1 } });
  });

  it("passes on what was", () => {
    expect(check({ job: " ps ", count: "2", index: "4", engine: "portable", gpu: [0] }).request).toEqual({
      machineId: "pc",
      job: "ps",
      count: 2,
      index: 4,
      engine: "portable",
      gpu: [0],
    });
  });

  it.each([
    [{ job: "2nd" }, { job: /letter/ }],
    [{ job: "" }, { job: /letter/ }],
    [{ count: "0" }, { count: /1 to 16/ }],
    [{ count: "1.5" }, { count: /1 to 16/ }],
    [{ count: "17" }, { count: /1 to 16/ }],
    [{ index: "-1" }, { index: /0 to 9,999/ }],
    [{ index: "2" }, { index: /worker\/2 already exists/ }],
    [{ gpu: [] as number[] }, { gpu: /at least one/ }],
    [{ gpu: [3] }, { gpu: /of this machine/ }],
  ])("refuses %j", (given, expected) => {
    const { errors, request } = check(given);
    expect(request).toBeUndefined();
    for (const [field, pattern] of Object.entries(expected))
      expect(errors[field as keyof typeof errors]).toMatch(pattern);
  });
});

describe("serverAddressError", () => {
  it.each(["192.168.1.40:2222", "gpu-pc:1", "[fe80::1]:65535"])("takes %s", (address) => {
    expect(serverAddressError(address)).toBeUndefined();
  });

  it.each(["gpu-pc", "gpu-pc:", ":2222", "gpu-pc:0", "gpu-pc:70000", "grpc://gpu-pc:2222", "fe80::1"])(
    "refuses %s",
    (address) => {
      expect(serverAddressError(address)).toBeDefined();
    },
  );
});
