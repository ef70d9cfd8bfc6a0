/** Engine `tensorflow` with TensorFlow's own library for Windows, from the wheel that `runtime install` takes. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import type { Check } from "../check.js";
import { runScript, sharesWithPortable, sharesWithStock, TARGET, useWorker } from "../stock/stock-clients.js";
import { bringPython } from "./python.js";
import type { WineMachine } from "./wine-machine.js";

/** Names of accounts, and so of their folders, have umlauts. */
const DATA = "/TensorFlow für Jürgen";
const FILES = "/trial/Dateien & mehr";

/** @param download Whether the library is downloaded (351 MB) though an earlier run has done so. */
export function tensorflowEngine(machine: WineMachine, download: boolean): readonly Check[] {
  const env = { TENSORDECK_DATA_DIR: machine.windowsPath(DATA) };
  const worksWith = async (use: () => Promise<void>) => {
    await install(machine, env);
    await use();
  };
  return [
    {
      name: "runtime install brings TensorFlow's library, and runtime list shows it",
      run: async () => {
        if (download) rmSync(machine.file(DATA), { recursive: true, force: true });
        await install(machine, env);
      },
    },
    {
      name: "a graph on two local tasks with TensorFlow's library",
      run: () =>
        worksWith(async () => {
          const { code, output } = await machine.runTensordeck(
            ["run", "example:welcome", "--engine", "tensorflow"],
            { env },
          );
          assert.match(output, /^z:0 +float32 \[\]\n11\.0$/m, output);
          assert.equal(code, 0, output);
        }),
    },
    {
      name: "a stock client uses a worker with TensorFlow's library: devices, values, variables, training and an error",
      run: () => worksWith(() => useWorker(machine, "tensorflow", env)),
    },
    {
      name: "a worker with TensorFlow's library and a portable one on Linux are one cluster, with transfers both ways",
      run: () => worksWith(() => sharesWithPortable(machine, { engine: "tensorflow", env })),
    },
    {
      name: "a worker with TensorFlow's library and a stock server on Linux are one cluster, with transfers both ways",
      run: () => worksWith(() => sharesWithStock(machine, { engine: "tensorflow", env })),
    },
    {
      name: "graphs read, write, find and save files by Windows' paths as with TensorFlow's library",
      run: () =>
        worksWith(async () => {
          const [theirs, ours] = [
            await filesOf(machine, "tensorflow", env),
            await filesOf(machine, "portable", env),
          ];
          assert.match(theirs, /^lines .*\[b'a', b'b'\]$/m);
          assert.equal(ours, theirs);
        }),
    },
  ];
}

/** The lines in which a graph tells of the files of an empty folder. */
async function filesOf(
  machine: WineMachine,
  engine: "tensorflow" | "portable",
  env: Readonly<Record<string, string>>,
): Promise<string> {
  rmSync(machine.file(FILES), { recursive: true, force: true });
  mkdirSync(machine.file(FILES), { recursive: true });
  const folder = machine.windowsPath(FILES);
  const args = ["worker", "--engine", engine, ...(engine === "portable" ? ["--files", folder] : [])];
  const worker = await machine.tensordeck(args, { ready: TARGET, env });
  try {
    return await runScript("stock_files.py", [worker.match?.[1] ?? "", folder], worker);
  } finally {
    await worker.stop();
  }
}

/** Downloads it where it is not there yet. */
async function install(machine: WineMachine, env: Readonly<Record<string, string>>): Promise<void> {
  const listed = await machine.runTensordeck(["runtime", "list"], { env });
  if (isListed(listed.output)) return;
  const python = await bringPython(machine);
  const { code, output } = await machine.runTensordeck(["runtime", "install", "--yes"], {
    path: python.path,
    env: { ...python.env, ...env },
  });
  assert.equal(code, 0, output);
  const { output: list } = await machine.runTensordeck(["runtime", "list"], { env });
  assert.ok(isListed(list), list);
}

const isListed = (list: string): boolean =>
  /^\* TensorFlow 2\.\d+\.\d+ {2}CPU {2}installed by Tensordeck\r?\n +Z:.*_pywrap_tensorflow_common\.dll$/m.test(
    list,
  );
