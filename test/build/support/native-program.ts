/** The system and processor that a native file is for, as its header says. */

const ELF_MACHINES = new Map([
  [62, "x64"],
  [183, "arm64"],
]);
const PE_MACHINES = new Map([
  [0x8664, "x64"],
  [0xaa64, "arm64"],
]);
const MACH_O_PROCESSORS = new Map([
  [0x0100_0007, "x64"],
  [0x0100_000c, "arm64"],
]);

/** "linux-x64"; undefined where the file is no program and no library. */
export function targetOfNative(bytes: Buffer): string | undefined {
  if (bytes.length < 64) return undefined;
  if (bytes.readUInt32BE(0) === 0x7f45_4c46) return `linux-${ELF_MACHINES.get(bytes.readUInt16LE(18))}`;
  if (bytes.readUInt32LE(0) === 0xfeed_facf) {
    return `darwin-${MACH_O_PROCESSORS.get(bytes.readUInt32LE(4))}`;
  }
  if (bytes.readUInt16BE(0) !== 0x4d5a) return undefined;
  const header = bytes.readUInt32LE(0x3c);
  if (header + 6 > bytes.length || bytes.readUInt32BE(header) !== 0x5045_0000) return undefined;
  return `win32-${PE_MACHINES.get(bytes.readUInt16LE(header + 4))}`;
}
