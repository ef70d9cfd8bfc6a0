/** The desktop package for Debian, made by electron-builder around an empty stand-in for Electron, and installed by dpkg. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "../../../build/lib/programs.mjs";
import { repositoryRoot } from "../../support/find-peers.js";
import { CALLS_C_LIBRARY, loadNativeModules } from "../native-modules.js";
import { useCommand } from "../packaged-command.js";
import { debianSource, RELEASE } from "./debian.js";
import type { EmulatedMachine } from "./emulated-machine.js";
import type { LinuxCheck } from "./forms.js";

const DEB = "/trial/tensordeck.deb";
const PACKAGE = "tensordeck";
const RESOURCES = "/opt/Tensordeck/resources";
const NODE = `${RESOURCES}/node/bin/node`;
const UNPACKED = `${RESOURCES}/app.asar.unpacked`;
const TENSORDECK = `${UNPACKED}/build/bin/tensordeck.mjs`;
/** The machine has the libraries that Node needs, not those of Electron, and dpkg knows of none of its packages. */
const FORCED = "--force-depends";

/** @param mirror of Debian */
export function debianPackage(machine: EmulatedMachine, mirror: string): readonly LinuxCheck[] {
  let before: readonly string[] = [];
  return [
    {
      name: "deb: Debian has what it depends on for this processor, and dpkg installs it",
      form: "full",
      run: async () => {
        makeDeb(machine.file(DEB));
        await dpkg(machine, "--purge");
        before = installedFiles(machine);
        await dpkg(machine, "--install", DEB);
        const status = await dpkg(machine, "--status");
        assert.match(status, /^Status: install ok installed$/m);
        const depends = /^Depends: (.*)$/m.exec(status)?.[1] ?? "";
        assert.match(depends, /libatomic1/);
        requirePackages(depends.split(", "), mirror);
      },
    },
    {
      name: "deb: its Node loads koffi and ONNX Runtime, by require and import",
      form: "full",
      run: () =>
        loadNativeModules(["koffi", "onnxruntime-node"], CALLS_C_LIBRARY, (args) =>
          machine.run(NODE, args, { cwd: UNPACKED }),
        ),
    },
    {
      name: "deb: its command lists runtimes, runs a graph, and is a worker for a stock client",
      form: "full",
      run: () =>
        useCommand({
          run: (args) => machine.run(NODE, [TENSORDECK, ...args]),
          start: (args, options) => machine.spawn(NODE, [TENSORDECK, ...args], options),
          file: (path) => machine.file(path),
        }),
    },
    {
      name: "deb: removed, it says what remains, and leaves nothing but accounts' data",
      form: "full",
      run: async () => {
        assert.match(await dpkg(machine, "--remove"), /Each account that used Tensordeck keeps its identity/);
        await dpkg(machine, "--purge");
        assert.deepEqual(installedFiles(machine), before);
      },
    },
  ];
}

async function dpkg(machine: EmulatedMachine, action: string, operand = PACKAGE): Promise<string> {
  const { code, output } = await machine.run("dpkg", [FORCED, action, operand]);
  assert.equal(code, 0, output);
  return output;
}

/** All files and folders, but those of dpkg's own records and logs, and of the trial. */
function installedFiles(machine: EmulatedMachine): readonly string[] {
  const folders = ["opt", "usr", "etc", "var"].filter((folder) => existsSync(machine.file(`/${folder}`)));
  const list = folders.flatMap((folder) => [
    folder,
    ...readdirSync(machine.file(`/${folder}`), { recursive: true, encoding: "utf8" }).map((path) =>
      join(folder, path),
    ),
  ]);
  return list.filter((path) => !/^var\/(lib\/dpkg|log)\//.test(path)).sort();
}

/** Asks apt, which gets nothing and installs nothing. */
function requirePackages(names: readonly string[], mirror: string): void {
  const folder = mkdtempSync(join(tmpdir(), "tensordeck-simulated-"));
  try {
    const options = ["--simulate", "--architectures=arm64", "--variant=extract", "--skip=check/qemu"];
    const args = [
      ...options,
      `--include=${names.join(",")}`,
      RELEASE,
      join(folder, "root"),
      debianSource(mirror),
    ];
    const { ok, errors } = ask("mmdebstrap", args, { timeout: 600_000 });
    assert.ok(ok, errors);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function makeDeb(file: string): void {
  const output = join(repositoryRoot, "build/dist/dry");
  const run = (script: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) =>
    execFileSync(process.execPath, [script, ...args], {
      cwd: repositoryRoot,
      env,
      stdio: ["ignore", "ignore", "inherit"],
    });
  run(join(repositoryRoot, "build/dist.mjs"), ["--dry", "linux-arm64"]);
  const options = ["--publish", "never", "-c.directories.output=build/dist/dry"];
  run(
    createRequire(import.meta.url).resolve("electron-builder/cli.js"),
    ["--prepackaged", join(output, "linux-arm64-unpacked"), "--linux", "deb", "--arm64", ...options],
    {
      ...process.env,
      CUSTOM_FPM_PATH:
        process.env.CUSTOM_FPM_PATH ?? join(import.meta.dirname, "../packages/stand-in-fpm.mjs"),
    },
  );
  const made = readdirSync(output).find((name) => name.endsWith(".deb"));
  assert.ok(made !== undefined, `There is no deb in ${output}.`);
  copyFileSync(join(output, made), file);
}
