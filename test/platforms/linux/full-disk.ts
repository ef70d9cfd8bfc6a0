/** A disk that is full: files that were there stay whole, and it is said what happened. */
import assert from "node:assert/strict";
import { toProblem } from "../../../main/api/wire.js";
import { openWindow, type TestWindow } from "../../main/support/window.js";
import { freePort } from "../../support/free-port.js";
import { runScript, TARGET } from "../stock/stock-clients.js";
import { headlessHost } from "../window-walk.js";
import type { EmulatedMachine } from "./emulated-machine.js";
import type { LinuxCheck } from "./forms.js";

const DISK = "/trial/small disk";
const SMALL_BYTES = 1000;
const LARGE_BYTES = 2 ** 21;

export function fullDisk(machine: EmulatedMachine): readonly LinuxCheck[] {
  return [
    {
      name: "a checkpoint on a full disk is RESOURCE_EXHAUSTED, and the one before it stays",
      form: "full",
      run: async () => {
        const args = ["worker", "--engine=portable", `--files=${DISK}`, `--port=${await freePort()}`];
        const worker = await machine.tensordeck(args, { ready: TARGET, smallDisk: DISK });
        try {
          await runScript("stock_full_disk.py", [worker.match?.[1] ?? "", DISK], worker);
        } finally {
          await worker.stop();
        }
      },
    },
    {
      name: "a graph that is saved on a full disk is refused in words, and the file before it stays",
      form: "full",
      run: async () => {
        const { args, ...options } = headlessHost((path) => `/tensordeck/${path}`, "/trial/data");
        const host = await machine.spawn("node", args, { ...options, smallDisk: DISK });
        try {
          const window = await openWindow(host.match?.[1] ?? "");
          await saveTwice(window);
          window.close();
        } finally {
          await host.stop();
        }
      },
    },
  ];
}

async function saveTwice(window: TestWindow): Promise<void> {
  const path = `${DISK}/model.pbtxt`;
  const made = (bytes: number) =>
    window.call("documents.read", { name: "model.pbtxt", bytes: Buffer.from(graphOf(bytes)) });
  const [small, large] = [await made(SMALL_BYTES), await made(LARGE_BYTES)];
  const save = ({ kind, format, metaGraph }: typeof small, opened?: string) => {
    const source = opened === undefined ? {} : { sourceId: opened };
    return window.call("documents.save", { path, kind, format, metaGraph, overwrite: false, ...source });
  };
  const { sourceId } = await save(small);
  await assert.rejects(save(large, sourceId), (error) => {
    const { code, message, reason } = toProblem(error);
    assert.equal(code, "RESOURCE_EXHAUSTED");
    assert.match(message, /could not be written; the existing file is unchanged/);
    assert.equal(reason, "The disk is full.");
    return true;
  });
  const after = await window.call("documents.open", { path });
  assert.deepEqual(Buffer.from(after.metaGraph), Buffer.from(small.metaGraph));
  await save(small, sourceId);
}

/** A graph whose only node has a constant of so many bytes. */
function graphOf(bytes: number): string {
  const tensor = `tensor { dtype: DT_STRING tensor_shape { } string_val: "${"x".repeat(bytes)}" }`;
  const dtype = 'attr { key: "dtype" value { type: DT_STRING } }';
  return `node { name: "c" op: "Const" ${dtype} attr { key: "value" value { ${tensor} } } }`;
}
