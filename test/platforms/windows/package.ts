/** The program folder of the desktop package: its Node, its native modules and its command, from "Program Files é". */
import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../support/find-peers.js";
import type { Check } from "../check.js";
import { loadNativeModules } from "../native-modules.js";
import { useCommand } from "../packaged-command.js";
import type { WineMachine } from "./wine-machine.js";

const MADE = join(repositoryRoot, "build/dist/dry/win-unpacked");
const PROGRAM_FILES = "/root/wine/drive_c/Program Files é";
const RESOURCES = "C:\\Program Files é\\Tensordeck\\resources";
const NODE = `${RESOURCES}\\node\\node.exe`;
const TENSORDECK = `${RESOURCES}\\app.asar.unpacked\\build\\bin\\tensordeck.mjs`;

const CALLS_WINDOWS =
  'koffi.load("C:\\\\windows\\\\system32\\\\kernel32.dll").func("uint32_t __stdcall GetCurrentProcessId()")() === process.pid';

export function desktopPackage(machine: WineMachine): readonly Check[] {
  return [
    {
      name: "the desktop package's Node loads koffi and ONNX Runtime, by require and import",
      run: () => {
        assemble(machine);
        const cwd = `${PROGRAM_FILES}/Tensordeck/resources/app.asar.unpacked`;
        return loadNativeModules(["koffi", "onnxruntime-node"], CALLS_WINDOWS, (args) =>
          machine.runProgram(NODE, args, { cwd }),
        );
      },
    },
    {
      name: "the desktop package's command lists runtimes, runs a graph, and is a worker for a stock client",
      run: () =>
        useCommand({
          run: (args) => machine.runProgram(NODE, [TENSORDECK, ...args]),
          start: (args, options) => machine.program(NODE, [TENSORDECK, ...args], options),
          file: (path) => machine.file(path),
        }),
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
