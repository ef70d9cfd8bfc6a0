/** The program folder of the desktop package: its Node, its native modules and its command, from "Program Files é". */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../support/find-peers.js";
import { freePort } from "../../support/free-port.js";
import type { Check } from "../check.js";
import { runScript, TARGET } from "../stock/stock-clients.js";
import type { WineMachine } from "./wine-machine.js";

const MADE = join(repositoryRoot, "build/dist/dry/win-unpacked");
const PROGRAM_FILES = "/root/wine/drive_c/Program Files é";
const RESOURCES = "C:\\Program Files é\\Tensordeck\\resources";
const NODE = `${RESOURCES}\\node\\node.exe`;
const TENSORDECK = `${RESOURCES}\\app.asar.unpacked\\build\\bin\\tensordeck.mjs`;

const KOFFI =
  'koffi.load("C:\\\\windows\\\\system32\\\\kernel32.dll").func("uint32_t __stdcall GetCurrentProcessId()")()';
const ONNX = "typeof onnx.InferenceSession.create";
const PROGRAMS: Readonly<Record<string, string>> = {
  "koffi, required": `const koffi = require("koffi"); console.log("RESULT", ${KOFFI} === process.pid);`,
  "koffi, imported": `import("koffi").then(({ default: koffi }) => console.log("RESULT", ${KOFFI} === process.pid));`,
  "onnxruntime-node, required": `const onnx = require("onnxruntime-node"); console.log("RESULT", ${ONNX} === "function");`,
  "onnxruntime-node, imported": `import("onnxruntime-node").then((onnx) => console.log("RESULT", ${ONNX} === "function"));`,
};

export function desktopPackage(machine: WineMachine): readonly Check[] {
  return [
    {
      name: "the desktop package's Node loads koffi and ONNX Runtime, by require and import",
      run: async () => {
        assemble(machine);
        const cwd = `${PROGRAM_FILES}/Tensordeck/resources/app.asar.unpacked`;
        for (const [name, program] of Object.entries(PROGRAMS)) {
          const { code, output } = await machine.runProgram(NODE, ["-e", program], { cwd });
          assert.match(output, /^RESULT true$/m, `${name}:\n${output}`);
          assert.equal(code, 0, `${name}:\n${output}`);
        }
      },
    },
    {
      name: "the desktop package's command lists runtimes, runs a graph, and is a worker for a stock client",
      run: async () => {
        const list = await machine.runProgram(NODE, [TENSORDECK, "runtime", "list"]);
        assert.match(list.output, /^No libtensorflow was found\. Install one/m);
        const run = await machine.runProgram(NODE, [TENSORDECK, "run", "example:welcome"]);
        assert.match(run.output, /^z:0 +float32 \[\]\n11\.0$/m, run.output);
        const port = String(await freePort());
        const args = [TENSORDECK, "worker", "--engine", "portable", "--port", port];
        const worker = await machine.program(NODE, args, { ready: TARGET });
        try {
          await runScript("stock_client.py", [worker.match?.[1] ?? ""], worker);
        } finally {
          await worker.stop();
        }
      },
    },
  ];
}

/** Around the stand-in for Electron, as `npm run dist -- --dry` does. */
function assemble(machine: WineMachine): void {
  execFileSync(process.execPath, [join(repositoryRoot, "build/dist.mjs"), "--dry", "win32-x64"], {
    cwd: repositoryRoot,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const folder = machine.file(`${PROGRAM_FILES}/Tensordeck`);
  rmSync(folder, { recursive: true, force: true });
  cpSync(MADE, folder, { recursive: true });
}
