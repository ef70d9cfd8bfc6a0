/** A desktop package's folder, as `npm run dist -- --dry` leaves it, to be read by tests. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, sep } from "node:path";
import { type PackageFolders, packageFolders } from "../../../build/lib/dist/package-folders.mjs";
import type { Target } from "../../../build/lib/dist/targets.mjs";
import { repositoryRoot } from "../../support/find-peers.js";

interface AsarEntry {
  readonly unpacked?: boolean;
  readonly size?: number;
  readonly files?: Readonly<Record<string, AsarEntry>>;
}
interface AsarLibrary {
  extractFile(archive: string, path: string): Buffer;
  getRawHeader(archive: string): { readonly header: AsarEntry; readonly headerString: string };
}
interface FuseLibrary {
  getCurrentFuseWire(program: string): Promise<Readonly<Record<string, number | string>>>;
}
interface ResourceEntry {
  readonly type: string | number;
  readonly id: string | number;
  readonly bin: ArrayBuffer;
}
interface ResourceLibrary {
  readonly NtExecutable: { from(bytes: Buffer): unknown };
  readonly NtExecutableResource: { from(program: unknown): { readonly entries: readonly ResourceEntry[] } };
  readonly Resource: {
    readonly VersionInfo: {
      fromEntries(entries: readonly ResourceEntry[]): readonly {
        getStringValues(language: { lang: number; codepage: number }): Readonly<Record<string, string>>;
        getAllLanguagesForStringValues(): { lang: number; codepage: number }[];
      }[];
    };
  };
}

const require = createRequire(join(repositoryRoot, "node_modules", "app-builder-lib", "package.json"));
const asar = require("@electron/asar") as AsarLibrary;
const fuses = require("@electron/fuses") as FuseLibrary;
const resedit = require("resedit") as ResourceLibrary;
const plist = require("plist") as { parse(text: string): unknown };

/** The fuses that are set, by their positions in the wire (FuseV1Options of @electron/fuses). */
export const FUSES = {
  runAsNode: 0,
  enableCookieEncryption: 1,
  enableNodeOptionsEnvironmentVariable: 2,
  enableNodeCliInspectArguments: 3,
  enableEmbeddedAsarIntegrityValidation: 4,
  onlyLoadAppFromAsar: 5,
} as const;
const ENABLED = 0x31;

export interface Integrity {
  readonly algorithm: string;
  readonly hash: string;
}

/** All files below a folder, as relative paths with "/". */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}

export class DesktopPackage {
  readonly target: Target;
  readonly folders: PackageFolders;

  constructor(output: string, target: Target) {
    this.target = target;
    this.folders = packageFolders(output, target);
  }

  /** Paths of the files that are in the archive itself. */
  packed(): string[] {
    const found: string[] = [];
    const visit = (entry: AsarEntry, path: string) => {
      if (entry.files) {
        for (const [name, child] of Object.entries(entry.files)) {
          visit(child, path === "" ? name : `${path}/${name}`);
        }
      } else if (entry.unpacked !== true) found.push(path);
    };
    visit(asar.getRawHeader(this.folders.archive).header, "");
    return found.sort();
  }

  readPacked(path: string): string {
    return asar.extractFile(this.folders.archive, path).toString();
  }

  /** The checksum with which Electron compares the archive's header. */
  expectedIntegrity(): Integrity {
    const { headerString } = asar.getRawHeader(this.folders.archive);
    return { algorithm: "SHA256", hash: createHash("sha256").update(headerString).digest("hex") };
  }

  /** The program's statement about its archive, where the system has such a place. */
  statedIntegrity(): Integrity | undefined {
    if (this.target.platform === "darwin") {
      const { ElectronAsarIntegrity: stated } = this.propertyList() as {
        ElectronAsarIntegrity?: Readonly<Record<string, Integrity>>;
      };
      return stated?.["Resources/app.asar"];
    }
    if (this.target.platform === "linux") return undefined;
    const entry = this.#windowsResources().find(({ id }) => id === "ELECTRONASAR");
    const [stated] = JSON.parse(Buffer.from(entry?.bin ?? new ArrayBuffer(0)).toString()) as [
      { file: string; alg: string; value: string },
    ];
    return { algorithm: stated.alg, hash: stated.value };
  }

  /** Info.plist of the application for macOS. */
  propertyList(): Readonly<Record<string, unknown>> {
    const text = readFileSync(join(this.folders.folder, "Contents", "Info.plist"), "utf8");
    return plist.parse(text) as Readonly<Record<string, unknown>>;
  }

  /** The version that the system shows. */
  version(): string | undefined {
    if (this.target.platform === "darwin")
      return String(this.propertyList().CFBundleShortVersionString ?? "");
    if (this.target.platform === "linux") return undefined;
    const [version] = resedit.Resource.VersionInfo.fromEntries(this.#windowsResources());
    const [language] = version?.getAllLanguagesForStringValues() ?? [];
    return language && version?.getStringValues(language).FileVersion;
  }

  #windowsResources(): readonly ResourceEntry[] {
    const program = resedit.NtExecutable.from(readFileSync(this.folders.program));
    return resedit.NtExecutableResource.from(program).entries;
  }

  /** The fuses of `FUSES` that are on. */
  async fuses(): Promise<Readonly<Record<string, boolean>>> {
    // On macOS they are in the framework, which the library finds from the application.
    const program = this.target.platform === "darwin" ? this.folders.folder : this.folders.program;
    const wire = await fuses.getCurrentFuseWire(program);
    return Object.fromEntries(
      Object.entries(FUSES).map(([name, position]) => [name, wire[position] === ENABLED]),
    );
  }

  /** Its size in bytes, of which Electron's part is next to nothing. */
  size(): number {
    return filesBelow(this.folders.folder).reduce(
      (sum, file) => sum + statSync(join(this.folders.folder, file)).size,
      0,
    );
  }
}
