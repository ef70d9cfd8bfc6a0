/** A script of two tasks, run by the machine's own Python. TensorFlow itself is the script's, not this program's. */
import assert from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { EmulatedMachine } from "./emulated-machine.js";
import type { LinuxCheck } from "./forms.js";

const FOLDER = "/trial/Skripte für Zoë";
const SCRIPT = "exchange.py";

/** @param machineName as Python says it */
export function submittedScript(machine: EmulatedMachine, machineName: string): LinuxCheck {
  return {
    name: "submit runs a script as two tasks, which reach each other by TF_CONFIG, and shows their output",
    form: "full",
    run: async () => {
      machine.empty(FOLDER);
      cpSync(join(import.meta.dirname, SCRIPT), machine.file(`${FOLDER}/${SCRIPT}`));
      const args = ["submit", SCRIPT, "--on", "worker:2", "--python", "python3"];
      const { code, output } = await machine.runTensordeck(args, { cwd: FOLDER });
      assert.match(output, new RegExp(`^worker/0 +\\| received Größe 7 on ${machineName}$`, "m"));
      assert.equal(code, 0, output);
      assert.equal(readFileSync(machine.file(`${FOLDER}/Ergebnis für Zoë.txt`), "utf8"), "Größe 7");
    },
  };
}
