/** The processors that Linux is tried on, each by the names that Debian, npm, qemu and the kernel have for it. */
export interface Architecture {
  /** As Node calls it: `process.arch`. */
  readonly node: string;
  readonly debian: string;
  readonly qemu: string;
  /** ELF's header: 32 or 64 bits, and the machine's number. */
  readonly elf: { readonly bits: 32 | 64; readonly machine: number };
  /** Packages of that Debian: what a Raspberry Pi has, and Node where npm has none for the processor. */
  readonly packages: readonly string[];
  /** Without it, Debian's Node is taken. */
  readonly nodeTarget?: "linux-arm64";
}

/** Packages that Tensordeck needs of a system: a shell, ps, ip and a Python that can download wheels. */
const SYSTEM = [
  ...[
    "base-files",
    "base-passwd",
    "coreutils",
    "dash",
    "iproute2",
    "libatomic1",
    "libstdc++6",
    "procps",
    "sed",
  ],
];

export const ARM64: Architecture = {
  node: "arm64",
  debian: "arm64",
  qemu: "aarch64",
  elf: { bits: 64, machine: 183 },
  // The desktop package is installed there: dpkg calls ldconfig and diff, and the package's scripts are bash's.
  packages: [...SYSTEM, "bash", "diffutils", "dpkg", "libc-bin", "python3", "python3-pip", "python3-venv"],
  nodeTarget: "linux-arm64",
};

export const ARMHF: Architecture = {
  node: "arm",
  debian: "armhf",
  qemu: "arm",
  elf: { bits: 32, machine: 40 },
  packages: [...SYSTEM, "nodejs", "python3", "python3-pip", "python3-venv"],
};
