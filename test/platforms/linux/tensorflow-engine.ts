/** Engine `tensorflow`: what a machine without a library is told, and how it gets and uses one. */
import assert from "node:assert/strict";
import { useWorker } from "../stock/stock-clients.js";
import { DOWNLOAD_MILLIS, type EmulatedMachine } from "./emulated-machine.js";
import type { LinuxCheck } from "./forms.js";

/** For a processor that TensorFlow has no wheels for. */
export function withoutWheels(machine: EmulatedMachine): LinuxCheck {
  return {
    name: "engine tensorflow advises the portable engine, not an installation that is refused",
    form: "full",
    run: async () => {
      const worker = await machine.runTensordeck(["worker", "--engine", "tensorflow"]);
      assert.match(worker.output, /NOT_FOUND: .*portable engine/);
      assert.doesNotMatch(worker.output, /runtime install/);
      assert.equal(worker.code, 1);
      const install = await machine.runTensordeck(["runtime", "install", "--yes"]);
      assert.match(install.output, /There is no wheel of TensorFlow/);
      assert.equal(install.code, 1);
      const list = await machine.runTensordeck(["runtime", "list"]);
      assert.match(list.output, /No libtensorflow was found\./);
      assert.doesNotMatch(list.output, /runtime install/);
    },
  };
}

/** Downloads some 300 MB. */
export function withWheels(machine: EmulatedMachine): LinuxCheck {
  return {
    name: "runtime install brings TensorFlow's library, and a stock client uses a worker with it",
    form: "long",
    run: async () => {
      const install = await machine.runTensordeck(["runtime", "install", "--yes"], {
        hangingMillis: DOWNLOAD_MILLIS,
      });
      assert.equal(install.code, 0, install.output);
      const list = await machine.runTensordeck(["runtime", "list"]);
      assert.match(list.output, /^\* TensorFlow 2\.\d+\.\d+ {2}CPU/m);
      await useWorker(machine, "tensorflow");
    },
  };
}
