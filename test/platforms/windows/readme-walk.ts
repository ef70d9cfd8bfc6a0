/** README's walk-through of two machines; Windows is once the one and once the other. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "../../support/find-peers.js";
import { environmentWithoutProxies } from "../../support/processes.js";
import type { Check } from "../check.js";
import { type WalkingMachine, walkThroughReadme } from "../readme-walk.js";
import type { WineMachine } from "./wine-machine.js";

const FOLDER = "/trial/Zwei Rechner é";

export function readmeWalk(machine: WineMachine): readonly Check[] {
  const windows: WalkingMachine = {
    write: (files) => writeInto(machine.file(FOLDER), files),
    tensordeck: (args, host, ready) =>
      machine.tensordeck(args, { cwd: FOLDER, host, ...(ready !== undefined && { ready }) }),
  };
  const walk = async (order: (linux: WalkingMachine) => [WalkingMachine, WalkingMachine]) => {
    const folder = mkdtempSync(join(tmpdir(), "tensordeck-walk-"));
    // Wine's server has the network that it was started on.
    await machine.close();
    try {
      await walkThroughReadme(...order(linuxMachine(folder)));
    } finally {
      await machine.close();
      rmSync(folder, { recursive: true, force: true });
    }
  };
  return [
    {
      name: "README's two machines: a PC on Windows computes for one on Linux, and for Python there",
      run: () => walk((linux) => [windows, linux]),
    },
    {
      name: "README's two machines: a PC on Linux computes for one on Windows",
      run: () => walk((linux) => [linux, windows]),
    },
  ];
}

function linuxMachine(folder: string): WalkingMachine {
  const program = join(repositoryRoot, "build/bin/tensordeck.mjs");
  return {
    write: (files) => writeInto(folder, files),
    tensordeck: (args, host, ready) =>
      host.spawn(process.execPath, [program, ...args], {
        cwd: folder,
        env: environmentWithoutProxies(),
        ...(ready !== undefined && { ready }),
      }),
  };
}

function writeInto(folder: string, files: Readonly<Record<string, string>>): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}
