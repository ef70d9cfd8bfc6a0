import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Event } from "../../../../../protos/generated/tensorflow/event.js";
import { TensorProto } from "../../../../../protos/generated/tensorflow/tensor.js";
import { DumpFolder } from "../../../../../worker-runtime/engines/portable/debug/dump-files.js";
import { AllowedFolders } from "../../../../../worker-runtime/engines/portable/resources/allowed-folders.js";

const refusal = (codeName: string, text: string) =>
  expect.objectContaining({ codeName, message: expect.stringContaining(text) as string });

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "tensordeck-dump-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(root, { recursive: true, force: true });
});

const tensor = {
  device: "/job:worker/replica:0/task:1/device:CPU:0",
  node: "scope/x",
  output: 2,
  debugOp: "DebugIdentity",
};
const folder = (name = "dump") => new DumpFolder(path.join(root, name), new AllowedFolders([root]));

test("tensors that are published in the same microsecond have files of their own", async () => {
  vi.spyOn(performance, "now").mockReturnValue(1);
  const values = [1, 2, 3].map((value) => TensorProto.fromPartial({ intVal: [value] }));
  await Promise.all(values.map((value) => folder().writeTensor({ ...tensor, value })));
  const device = path.join(root, "dump", "_tfdbg_device_,job_worker,replica_0,task_1,device_CPU_0");
  const names = readdirSync(path.join(device, "scope")).sort();
  expect(names).toHaveLength(3);
  expect(names[0]).toMatch(/^x_2_DebugIdentity_\d+$/);
  expect(names.slice(1)).toEqual([`${names[0]}-1`, `${names[0]}-2`]);
  const written = names.map((name) => {
    const { what } = Event.decode(readFileSync(path.join(device, "scope", name)));
    const value = what?.$case === "summary" ? what.value.value[0]?.value : undefined;
    return value?.$case === "tensor" ? value.value.intVal[0] : undefined;
  });
  expect(written.sort()).toEqual([1, 2, 3]);
});

test("a run has its number, names that JSON must quote, and a global step of 64 bits", async () => {
  const globalStep = 2n ** 63n - 1n;
  await folder().writeRun({ globalStep, index: 3, feeds: ['a"b:0'], fetches: [], targets: ["t"] });
  const [name = ""] = readdirSync(path.join(root, "dump"));
  expect(name).toMatch(/^_tfdbg_core_metadata_sessionrun00000000000003_\d+$/);
  const { what } = Event.decode(readFileSync(path.join(root, "dump", name)));
  const message = what?.$case === "logMessage" ? what.value.message : "";
  expect(message).toContain(`"global_step":${globalStep},`);
  expect(JSON.parse(message)).toMatchObject({
    session_run_index: 3,
    executor_step_index: 3,
    input_names: ['a"b:0'],
    output_names: [],
    target_nodes: ["t"],
  });
});

test.each(["../outside", "dump/../../outside"])(
  "nothing is written to %s, which graphs may not write to",
  async (name) => {
    const value = TensorProto.create();
    await expect(folder(name).writeTensor({ ...tensor, value })).rejects.toThrow(
      refusal("PERMISSION_DENIED", "--files"),
    );
    expect(existsSync(path.join(root, "..", "outside"))).toBe(false);
  },
);

test("a node's name does not lead out of the folders that graphs may write to", async () => {
  const value = TensorProto.create();
  await expect(folder().writeTensor({ ...tensor, node: "../../../outside/x", value })).rejects.toThrow(
    refusal("PERMISSION_DENIED", "--files"),
  );
});
