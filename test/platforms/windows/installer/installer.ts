/**
 * The installer that electron-builder makes: what it and its uninstaller write into the registry and on the disk, and what is left
 * of it afterwards.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PeerProcess } from "../../../support/processes.js";
import type { Check } from "../../check.js";
import { compile32 } from "../compile.js";
import type { WineMachine } from "../wine-machine.js";
import { makeInstallers } from "./made-installers.js";

const WORK = "/trial/installer";
/** Typographic quotation marks are the same as straight ones to PowerShell. */
const FOLDER = "C:\\Program Files é\\O'Brien’s\\Tensordeck";
/** The folder unless another one is chosen. */
const USUAL_FOLDER = "C:\\users\\root\\AppData\\Local\\Programs\\Tensordeck";
const UNINSTALL = "Uninstall Tensordeck.exe";
const LOCAL_DATA = "/root/wine/drive_c/users/root/AppData/Local";
const DATA = `${LOCAL_DATA}/Tensordeck`;
const LINKS = [
  "/root/wine/drive_c/users/root/Desktop/Tensordeck.lnk",
  "/root/wine/drive_c/users/root/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Tensordeck.lnk",
];
/** This only ends what hangs. */
const HANGING_MILLIS = 120_000;
const DOCUMENTS = {
  pbtxt: "Tensordeck.GraphText",
  pb: "Tensordeck.Graph",
  meta: "Tensordeck.CheckpointGraph",
  keras: "Tensordeck.KerasModel",
  h5: "Tensordeck.KerasH5Model",
  onnx: "Tensordeck.OnnxModel",
} as const;

const SOFTWARE = "HKEY_CURRENT_USER\\Software";
const CLASSES = `${SOFTWARE}\\Classes`;
const UNINSTALLERS = `${SOFTWARE}\\Microsoft\\Windows\\CurrentVersion\\Uninstall`;
/** The name that electron-builder derives from the program's ID. */
const GUID = "0b48405f-e527-5b3c-9521-ca5ebf6b7d7b";
/** Others have two of the extensions already; what an earlier run has left is deleted. */
const OTHERS = [
  "REGEDIT4",
  ...Object.entries(DOCUMENTS).flatMap(([extension, name]) => [
    `[-${CLASSES}\\.${extension}]`,
    `[-${CLASSES}\\${name}]`,
  ]),
  ...[`[-${CLASSES}\\tensordeck]`, `[-${SOFTWARE}\\${GUID}]`, `[-${UNINSTALLERS}\\${GUID}]`],
  // Windows has it.
  `[${UNINSTALLERS}]`,
  `[${CLASSES}\\.pb]\r\n@="Protobuf.File"`,
  `[${CLASSES}\\.h5\\OpenWithProgids]\r\n"Viewer.H5"=""`,
  "",
].join("\r\n\r\n");

export function installer(machine: WineMachine): readonly Check[] {
  const onDisk = (path: string) => machine.file(`/root/wine/drive_c/${path.slice(3).replaceAll("\\", "/")}`);
  const program = (folder: string) => `${folder}\\Tensordeck.exe`;
  const reg = async (...args: readonly string[]) => {
    const { code, output } = await machine.runProgram("reg", args);
    assert.equal(code, 0, output);
  };
  /** The registry's part of the account's programs, as reg.exe writes it. */
  const registry = async (): Promise<string> => {
    const file = `${WORK}/software.reg`;
    rmSync(machine.file(file), { force: true });
    await reg("export", "HKCU\\Software", machine.windowsPath(file), "/y");
    return readFileSync(machine.file(file), "utf16le");
  };
  const succeed = async (path: string, args: readonly string[]) => {
    const { code, output } = await machine.runProgram(path, args);
    assert.equal(code, 0, output);
  };
  /** Starts what is installed, and gives the process once it has said so. */
  const start = async (folder: string, version: string): Promise<PeerProcess> => {
    const running = await machine.program(program(folder), ["--some"]);
    await until(() => startedIn(machine).at(-1) === `${version} --some`, "The program did not start.");
    return running;
  };
  let setups: Readonly<Record<"1.0.0" | "2.0.0", string>> | undefined;
  let before = "";
  const setup = (version: "1.0.0" | "2.0.0") => {
    assert.ok(setups !== undefined, "There is no installer.");
    return setups[version];
  };
  /** An uninstaller of NSIS ends at once, and goes on as a copy of itself. */
  const untilRemoved = async (folder: string) => {
    // On a busy machine the folder itself was once left, empty: something of Wine's still had it as its own.
    const left = () => (existsSync(onDisk(folder)) ? readdirSync(onDisk(folder)) : []);
    await until(() => left().length === 0, `${folder} still has files.`);
    const deadline = Date.now() + HANGING_MILLIS;
    while ((await registry()) !== before) {
      if (Date.now() > deadline) assert.equal(await registry(), before);
    }
    for (const link of LINKS) assert.ok(!existsSync(machine.file(link)), link);
    assert.deepEqual(
      readdirSync(machine.file(LOCAL_DATA)).filter((name) => /tensordeck-/i.test(name)),
      [],
    );
  };

  return [
    {
      name: "electron-builder's installer, silently: its program starts, documents are offered and none is taken over",
      run: async () => {
        rmSync(machine.file(WORK), { recursive: true, force: true });
        mkdirSync(machine.file(WORK), { recursive: true });
        for (const folder of [FOLDER, USUAL_FOLDER]) rmSync(onDisk(folder), { recursive: true, force: true });
        rmSync(machine.file(DATA), { recursive: true, force: true });
        mkdirSync(machine.file(DATA), { recursive: true });
        setups = makeInstallers(machine, ["1.0.0", "2.0.0"]);
        // Windows are made, but shown nowhere. What runs has begun without.
        await reg("add", "HKCU\\Software\\Wine\\Drivers", "/v", "Graphics", "/d", "null", "/f");
        await machine.close();
        writeFileSync(machine.file(`${WORK}/others.reg`), OTHERS);
        await reg("import", machine.windowsPath(`${WORK}/others.reg`));
        before = await registry();
        await succeed(setup("1.0.0"), ["/S", `/D=${FOLDER}`]);
        assert.ok(existsSync(onDisk(`${FOLDER}\\resources\\app.asar`)));
        for (const link of LINKS) assert.ok(existsSync(machine.file(link)), link);
        checkOffers(await registry());
        await succeed(program(FOLDER), ["--end"]);
        assert.deepEqual(startedIn(machine), ["1.0.0 --end"]);
      },
    },
    {
      name: "electron-builder's installer updates a version that runs: that is ended, and folder, links and data stay",
      run: async () => {
        writeFileSync(machine.file(`${DATA}/settings.json`), "{}");
        const running = await start(FOLDER, "1.0.0");
        // As the program's updater calls it.
        await succeed(setup("2.0.0"), ["--updated", "/S"]);
        await running.exited;
        const again = await start(FOLDER, "2.0.0");
        await again.stop();
        assert.equal(readFileSync(machine.file(`${DATA}/settings.json`), "utf8"), "{}");
        for (const link of LINKS) assert.ok(existsSync(machine.file(link)), link);
        checkOffers(await registry());
        assert.match(await registry(), /"DisplayVersion"="2\.0\.0"/);
      },
    },
    {
      name: "electron-builder's uninstaller, silently: what runs is ended, the registry is as before, and the data stays",
      run: async () => {
        // As the program registers its links when it runs.
        const command = `${CLASSES}\\tensordeck\\shell\\open\\command`;
        await reg("add", command, "/ve", "/d", `"${program(FOLDER)}" "%1"`, "/f");
        const running = await start(FOLDER, "2.0.0");
        await succeed(`${FOLDER}\\${UNINSTALL}`, ["/S"]);
        await running.exited;
        await untilRemoved(FOLDER);
        assert.equal(readFileSync(machine.file(`${DATA}/settings.json`), "utf8"), "{}");
      },
    },
    {
      name: "electron-builder's installer and uninstaller by their windows: started at the end, removed with the data",
      run: async () => {
        const press = machine.windowsPath(`${WORK}/press.exe`);
        compile32("installer/press.c", machine.file(`${WORK}/press.exe`), "-municode");
        const byWindows = async (path: string, buttons: readonly string[]): Promise<string> => {
          const running = await machine.program(path, []);
          const pressed = await machine.runProgram(press, buttons);
          assert.equal(pressed.code, 0, pressed.output);
          await running.exited;
          return pressed.output;
        };
        await byWindows(setup("2.0.0"), ["Install", "Finish"]);
        await until(() => startedIn(machine).at(-1) === "2.0.0", "The program did not start at the end.");
        checkOffers(await registry(), USUAL_FOLDER);
        // It runs; its rules for the firewall would need an administrator; its data goes.
        const asked = await byWindows(`${USUAL_FOLDER}\\${UNINSTALL}`, [
          "Next >",
          "OK",
          "No",
          "Yes",
          "Finish",
        ]);
        assert.match(asked, /Tensordeck is running\./);
        assert.match(asked, /Also remove Tensordeck's firewall rules/);
        assert.match(asked, /Also delete Tensordeck's data of this account/);
        await untilRemoved(USUAL_FOLDER);
        assert.ok(!existsSync(machine.file(DATA)));
      },
    },
  ];
}

/** Lines that the program has written at its starts: its version and arguments. */
function startedIn(machine: WineMachine): readonly string[] {
  const file = machine.file(join(DATA, "started.txt"));
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

async function until(holds: () => boolean, otherwise: string): Promise<void> {
  for (const deadline = Date.now() + HANGING_MILLIS; !holds(); ) {
    if (Date.now() > deadline) assert.fail(otherwise);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function checkOffers(registry: string, folder = FOLDER): void {
  const key = (path: string) =>
    new RegExp(`^\\[HKEY_CURRENT_USER\\\\Software\\\\Classes\\\\${path}\\]\\r?\\n((?:.+\\r?\\n)*)`, "m").exec(
      registry,
    )?.[1] ?? "";
  for (const [extension, name] of Object.entries(DOCUMENTS)) {
    assert.match(key(`\\.${extension}\\\\OpenWithProgids`), new RegExp(`^"${name}"=`, "m"), registry);
    // Its default, which says what opens it.
    assert.equal(
      /^@=(.*)\r?$/m.exec(key(`\\.${extension}`))?.[1]?.trim(),
      extension === "pb" ? '"Protobuf.File"' : undefined,
    );
    const command = key(`${name.replace(".", "\\.")}\\\\shell\\\\open\\\\command`);
    const program = `${folder}\\Tensordeck.exe`.replaceAll("\\", "\\\\");
    assert.ok(command.includes(`@="\\"${program}\\" \\"%1\\""`), `${command}\n${registry}`);
  }
}
