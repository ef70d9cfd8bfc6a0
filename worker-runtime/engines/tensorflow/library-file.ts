import { type FileHandle, open } from "node:fs/promises";

/** Processor names as in Node's process.arch. */
export interface BinaryFormat {
  readonly platform: "linux" | "darwin" | "win32";
  /** The processors that the file has code for; Apple's files may have several. */
  readonly architectures: readonly string[];
}

const elfMachines = new Map<number, string>([
  [3, "ia32"],
  [21, "ppc64"],
  [40, "arm"],
  [62, "x64"],
  [183, "arm64"],
  [243, "riscv64"],
]);
const machOTypes = new Map<number, string>([
  [0x01000007, "x64"],
  [0x0100000c, "arm64"],
]);
const peMachines = new Map<number, string>([
  [0x014c, "ia32"],
  [0x8664, "x64"],
  [0xaa64, "arm64"],
]);

/** The platform of a shared library according to its first bytes; undefined if it is not a library. */
export function binaryFormat(header: Uint8Array): BinaryFormat | undefined {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  if (header.length < 64) {
    return undefined;
  }
  const magic = view.getUint32(0);
  if (magic === 0x7f454c46) {
    const littleEndian = view.getUint8(5) === 1;
    return known("linux", [elfMachines.get(view.getUint16(18, littleEndian))]);
  }
  if (magic === 0xcffaedfe) {
    return known("darwin", [machOTypes.get(view.getUint32(4, true))]);
  }
  if (magic === 0xcafebabe) {
    const count = Math.min(view.getUint32(4), Math.floor((header.length - 8) / 20));
    return known(
      "darwin",
      Array.from({ length: count }, (_, i) => machOTypes.get(view.getUint32(8 + 20 * i))),
    );
  }
  if (view.getUint16(0) === 0x4d5a) {
    const offset = view.getUint32(0x3c, true);
    if (offset + 6 > header.length || view.getUint32(offset) !== 0x50450000) {
      return undefined;
    }
    return known("win32", [peMachines.get(view.getUint16(offset + 4, true))]);
  }
  return undefined;
}

function known(
  platform: BinaryFormat["platform"],
  architectures: readonly (string | undefined)[],
): BinaryFormat {
  return { platform, architectures: architectures.map((name) => name ?? "another processor") };
}

/** Why a file cannot be a shared library for this machine, as a sentence; undefined if it can. */
export async function libraryFileProblem(
  file: string,
  platform: NodeJS.Platform = process.platform,
  architecture: string = process.arch,
): Promise<string | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(file);
  } catch (error) {
    return `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`;
  }
  try {
    const header = new Uint8Array(4096);
    const { bytesRead } = await handle.read(header, 0, header.length, 0);
    const format = binaryFormat(header.subarray(0, bytesRead));
    if (format === undefined) {
      return `${file} is not a shared library. Was its download or its unpacking interrupted?`;
    }
    if (format.platform !== platform || !format.architectures.includes(architecture)) {
      const made = `${platformNames[format.platform]} on ${format.architectures.join(" and ")}`;
      return `${file} is made for ${made}; this machine is ${platformNames[platform] ?? platform} on ${architecture}.`;
    }
    return undefined;
  } finally {
    await handle.close();
  }
}

const platformNames: Partial<Record<NodeJS.Platform, string>> = {
  linux: "Linux",
  darwin: "macOS",
  win32: "Windows",
};
