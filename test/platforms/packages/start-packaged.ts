/**
 * Stands in for Electron's program in a package: it starts the program in app.asar with the module "electron" that the desktop
 * tests have (test/e2e/desktop/stand-in). A plain Node cannot read the archive, so that it is unpacked for each start, beside
 * links to what lies beside it. electron-stand-in.ts joins this and what it imports into a file of the package.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { register } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

interface PackedFile {
  readonly files?: Readonly<Record<string, PackedFile>>;
  /** Beside the archive instead of in it. */
  readonly unpacked?: boolean;
  readonly offset?: string;
  readonly size?: number;
}

/** The lengths before the archive's list of files: of the whole, and of its text. */
const LIST_LENGTH = 4;
const TEXT_LENGTH = 12;
const TEXT = 16;

function unpack(archive: string, folder: string): void {
  const bytes = readFileSync(archive);
  const text = bytes.toString("utf8", TEXT, TEXT + bytes.readUInt32LE(TEXT_LENGTH));
  const start = 2 * LIST_LENGTH + bytes.readUInt32LE(LIST_LENGTH);
  const write = ({ files, unpacked, offset = "0", size = 0 }: PackedFile, path: string) => {
    if (files !== undefined) {
      mkdirSync(path, { recursive: true });
      for (const [name, file] of Object.entries(files)) write(file, join(path, name));
    } else if (unpacked !== true) {
      const from = start + Number(offset);
      writeFileSync(path, bytes.subarray(from, from + size));
    }
  };
  write(JSON.parse(text) as PackedFile, folder);
}

const [, , program = "", resources = "", ...args] = process.argv;
const folder = mkdtempSync(join(tmpdir(), "tensordeck-stand-in-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
unpack(join(resources, "app.asar"), join(folder, "app.asar"));
symlinkSync(join(resources, "app.asar.unpacked"), join(folder, "app.asar.unpacked"));

process.argv = [program, ...args];
Object.defineProperty(process, "versions", { value: { ...process.versions, electron: "0.0.0" } });
Object.defineProperty(process, "resourcesPath", { value: resources });
const electron = JSON.stringify(new URL("electron.js", import.meta.url).href);
register(
  `data:text/javascript,${encodeURIComponent(`export const resolve = (specifier, context, next) =>
    specifier === "electron" ? { url: ${electron}, format: "module", shortCircuit: true } : next(specifier, context);`)}`,
);
const { main } = JSON.parse(readFileSync(join(folder, "app.asar/package.json"), "utf8")) as { main: string };
await import(pathToFileURL(join(folder, "app.asar", main)).href);
