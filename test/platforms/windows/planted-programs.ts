/** On Windows, which looks for programs and libraries in the current folder, nothing that lies there is run or loaded. */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Check } from "../check.js";
import { exerciseCommands, exerciseHeadless, type PlantedMachine } from "../planted-programs/exercise.js";
import { PLANTED_MODULES, PLANTED_PROGRAMS } from "../planted-programs/names.js";
import { compile } from "./compile.js";
import type { WineMachine } from "./wine-machine.js";

const DOCUMENTS = "/documents";
const WORK = "/trial";

/** Libraries that Tensordeck, Node, ONNX Runtime, Dawn, CUDA or a driver loads by its name alone, where it is installed. */
const PLANTED_LIBRARIES: readonly string[] = [
  ...["cudart64_110", "cudnn64_8", "d3d12", "d3d12core", "d3dcompiler_47", "DirectML", "dxcompiler", "dxgi"],
  ...["dxil", "msvcp140", "nvcuda", "nvml", "onnxruntime", "renderdoc", "tensorflow", "vcruntime140"],
  ...["vulkan-1", "winpixeventruntime"],
];

/** The checks, which follow each other. */
export function plantedPrograms(machine: WineMachine): readonly Check[] {
  const planted = plantedMachine(machine);
  return [
    {
      name: "the planted programs are run where PATH names their folder in full",
      run: async () => {
        plant(machine);
        const options = { path: [machine.windowsPath(DOCUMENTS)] };
        const peer = await machine.node(
          [machine.windowsPath("/tensordeck/build/bin/tensordeck.mjs"), "doctor"],
          {
            ...options,
            cwd: WORK,
          },
        );
        await peer.exited;
        assert.match(ran(machine).join(), /nvidia-smi/, peer.output());
      },
    },
    {
      name: "no command runs or loads what lies in the current folder",
      run: async () => {
        plant(machine);
        const { output } = await exerciseCommands(planted);
        assert.deepEqual(ran(machine), [], output);
      },
    },
    {
      name: "the headless host runs and loads nothing that lies in the current folder",
      run: async () => {
        plant(machine);
        const output = await exerciseHeadless(planted);
        assert.deepEqual(ran(machine), [], output);
      },
    },
    {
      name: "a library does not bring others from the current folder",
      run: async () => {
        plant(machine);
        const file = JSON.stringify(compileNeeding(machine));
        const koffi = 'require("Z:\\\\tensordeck\\\\node_modules\\\\koffi")';
        const run = async (script: string) => {
          const peer = await machine.node(["-e", script], { cwd: DOCUMENTS });
          await peer.exited;
          return peer.output();
        };
        const byLibrary = await run(
          `import("file:///Z:/tensordeck/build/out/worker-runtime/programs/load-library.js")` +
            `.then(({ loadLibrary }) => loadLibrary(${file})).catch((error) => console.log(String(error)));`,
        );
        assert.match(byLibrary, /Failed to load shared library/);
        assert.deepEqual(ran(machine), []);
        // As Windows does by itself: otherwise the lines above would prove nothing.
        await run(`${koffi}.load(${file});`);
        assert.match(ran(machine).join(), /planted\.dll/);
      },
    },
  ];
}

function plantedMachine(machine: WineMachine): PlantedMachine {
  const start =
    (program: string): PlantedMachine["headless"] =>
    (args, { ready, env } = {}) =>
      machine.node([machine.windowsPath(program), ...args], {
        cwd: DOCUMENTS,
        path: ["", ".", "tools", `\\${DOCUMENTS.slice(1)}`],
        env: {
          TENSORDECK_DATA_DIR: machine.windowsPath(`${WORK}/data`),
          TENSORDECK_NETWORK: "loopback",
          ...env,
        },
        ...(ready !== undefined && { ready }),
      });
  return {
    tensordeck: start("/tensordeck/build/bin/tensordeck.mjs"),
    headless: start("/tensordeck/build/out/program/headless/main.js"),
    write: (name, text) => {
      const file = machine.file(`${WORK}/${name}`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return machine.windowsPath(`${WORK}/${name}`);
    },
  };
}

/** Fills the folder anew. */
function plant(machine: WineMachine): void {
  const folder = machine.file(DOCUMENTS);
  for (const place of [folder, machine.file(WORK)]) rmSync(place, { recursive: true, force: true });
  mkdirSync(join(folder, "tools"), { recursive: true });
  mkdirSync(machine.file(WORK));
  const program = machine.file(`${WORK}/planted.exe`);
  const library = machine.file(`${WORK}/planted.dll`);
  compile("planted.c", program);
  compile("planted.c", library, "-DLIBRARY", "-shared");
  for (const place of [folder, join(folder, "tools")]) {
    for (const name of PLANTED_PROGRAMS) {
      for (const extension of ["exe", "com"]) copyFileSync(program, join(place, `${name}.${extension}`));
    }
    for (const name of ["planted", ...PLANTED_LIBRARIES]) copyFileSync(library, join(place, `${name}.dll`));
  }
  for (const name of PLANTED_MODULES) {
    writeFileSync(join(folder, `${name}.py`), 'open("ran.txt", "a").write(__file__ + "\\n")\n');
  }
}

/** In a folder of its own: a library is also looked for beside the one that needs it. */
function compileNeeding(machine: WineMachine): string {
  const path = `${WORK}/needing/needs-planted.dll`;
  mkdirSync(machine.file(dirname(path)));
  compile("needs-planted.c", machine.file(path), "-shared", machine.file(`${WORK}/planted.dll`));
  return machine.windowsPath(path);
}

/** The paths of what was run or loaded. */
function ran(machine: WineMachine): string[] {
  const lists = [`${DOCUMENTS}/ran.txt`, `${DOCUMENTS}/tools/ran.txt`].map((path) => machine.file(path));
  const lines = lists.flatMap((list) => (existsSync(list) ? readFileSync(list, "utf8").split(/\r?\n/) : []));
  return [...new Set(lines.filter((line) => line !== ""))];
}
