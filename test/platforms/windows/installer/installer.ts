/**
 * The macros of build/installer/installer.nsh, in an installer that NSIS makes: what it writes into the registry and on the disk,
 * and what is left of it afterwards. electron-builder's own templates and plug-ins are not in it.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { programPath } from "../../../../build/lib/programs.mjs";
import { repositoryRoot } from "../../../support/find-peers.js";
import type { Check } from "../../check.js";
import { compile32 } from "../compile.js";
import type { WineMachine } from "../wine-machine.js";

const WORK = "/trial/installer";
/** Typographic quotation marks are the same as straight ones to PowerShell. */
const FOLDER = "C:\\Program Files é\\O'Brien’s";
/** This only ends what hangs. */
const HANGING_MILLIS = 60_000;
const CLASSES = "HKCU\\Software\\Classes";
const LINKS = `${CLASSES}\\tensordeck\\shell\\open\\command`;
const DOCUMENTS = {
  pbtxt: "Tensordeck.GraphText",
  pb: "Tensordeck.Graph",
  meta: "Tensordeck.CheckpointGraph",
  keras: "Tensordeck.KerasModel",
  h5: "Tensordeck.KerasH5Model",
  onnx: "Tensordeck.OnnxModel",
} as const;

const KEY = "HKEY_CURRENT_USER\\Software\\Classes";
/** Others have two of the extensions already; what an earlier run has left is deleted. */
const OTHERS = [
  "REGEDIT4",
  ...Object.entries(DOCUMENTS).flatMap(([extension, name]) => [
    `[-${KEY}\\.${extension}]`,
    `[-${KEY}\\${name}]`,
  ]),
  `[-${KEY}\\tensordeck]`,
  `[${KEY}\\.pb]\r\n@="Protobuf.File"`,
  `[${KEY}\\.h5\\OpenWithProgids]\r\n"Viewer.H5"=""`,
  "",
].join("\r\n\r\n");

export function installer(machine: WineMachine): readonly Check[] {
  const reg = async (...args: readonly string[]) => {
    const { code, output } = await machine.runProgram("reg", args);
    assert.equal(code, 0, output);
  };
  /** The account's classes, as reg.exe writes them. */
  const classes = async (): Promise<string> => {
    const file = `${WORK}/classes.reg`;
    rmSync(machine.file(file), { force: true });
    await reg("export", CLASSES, machine.windowsPath(file), "/y");
    return readFileSync(machine.file(file), "utf16le");
  };
  const folder = machine.file(`/root/wine/drive_c/${FOLDER.slice(3).replaceAll("\\", "/")}`);

  return [
    {
      name: "the installer's macros offer documents and take none over; removed, nothing is left, and what ran has ended",
      run: async () => {
        rmSync(machine.file(WORK), { recursive: true, force: true });
        mkdirSync(machine.file(WORK), { recursive: true });
        rmSync(folder, { recursive: true, force: true });
        const setup = makeInstaller(machine);
        writeFileSync(machine.file(`${WORK}/others.reg`), OTHERS);
        await reg("import", machine.windowsPath(`${WORK}/others.reg`));
        const before = await classes();
        const installed = await machine.runProgram(setup, []);
        assert.equal(installed.code, 0, installed.output);
        assert.ok(existsSync(join(folder, "Tensordeck.exe")));
        checkOffers(await classes());
        // As the program registers its links when it runs.
        await reg("add", LINKS, "/ve", "/d", `"${FOLDER}\\Tensordeck.exe" "%1"`, "/f");
        const running = await machine.program(
          `${FOLDER}\\Tensordeck.exe`,
          ["-e", "require('fs').writeSync(1, 'running\\n'); setInterval(() => {}, 1000)"],
          { ready: /^running$/m },
        );
        const removed = await machine.runProgram(`${FOLDER}\\Uninstall.exe`, []);
        assert.equal(removed.code, 0, removed.output);
        await running.exited;
        // An uninstaller of NSIS ends at once, and goes on as a copy of itself.
        const deadline = Date.now() + HANGING_MILLIS;
        while (existsSync(folder) || (await classes()) !== before) {
          if (Date.now() < deadline) continue;
          assert.equal(await classes(), before);
          assert.fail(`${folder} is still there.`);
        }
      },
    },
  ];
}

function makeInstaller(machine: WineMachine): string {
  const path = (name: string) => machine.file(`${WORK}/${name}`);
  compile32("installer/stand-in-nsprocess.c", path("nsProcess.dll"), "-shared");
  const defines = {
    OUTPUT: path("install.exe"),
    PLUGINS: machine.file(WORK),
    TEMPLATES: join(repositoryRoot, "node_modules/app-builder-lib/templates/nsis/include"),
    INSTALLER: join(repositoryRoot, "build/installer/installer.nsh"),
    PROGRAM: machine.file(machine.nodeProgram),
    FOLDER,
  };
  // It would take a definition with another quotation mark in it apart.
  const script = Object.entries(defines).map(([name, value]) => `!define ${name} "${value}"\n`);
  writeFileSync(path("defines.nsh"), script.join(""));
  const source = join(import.meta.dirname, "installer.nsi");
  execFileSync(programPath("makensis"), ["-V2", "-INPUTCHARSET", "UTF8", path("defines.nsh"), source], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  return machine.windowsPath(`${WORK}/install.exe`);
}

function checkOffers(classes: string): void {
  const key = (path: string) =>
    new RegExp(`^\\[HKEY_CURRENT_USER\\\\Software\\\\Classes\\\\${path}\\]\\r?\\n((?:.+\\r?\\n)*)`, "m").exec(
      classes,
    )?.[1] ?? "";
  for (const [extension, name] of Object.entries(DOCUMENTS)) {
    assert.match(key(`\\.${extension}\\\\OpenWithProgids`), new RegExp(`^"${name}"=`, "m"), classes);
    // Its default, which says what opens it.
    assert.equal(
      /^@=(.*)\r?$/m.exec(key(`\\.${extension}`))?.[1],
      extension === "pb" ? '"Protobuf.File"' : undefined,
    );
    const command = key(`${name.replace(".", "\\.")}\\\\shell\\\\open\\\\command`);
    const program = `${FOLDER}\\Tensordeck.exe`.replaceAll("\\", "\\\\");
    assert.ok(command.includes(`@="\\"${program}\\" \\"%1\\""`), `${command}\n${classes}`);
  }
}
