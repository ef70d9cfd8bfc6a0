/** Tells if `tensordeck runtime install` can bring a library to this system, and the advice where it cannot. */
import { type TensorFlowError, unimplemented } from "../../protocol/status.js";
import { bundleFor } from "./wheels.js";

/** The system by which TensorFlow's wheels are chosen, as Node names it. */
export interface System {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  /** On Linux, true for the GNU C library and false for musl. */
  readonly glibc: boolean;
}

const thisSystem = (): System => ({
  platform: process.platform,
  arch: process.arch,
  glibc: process.platform === "linux" && usesGlibc(),
});

/** Why nothing can be installed on such a system; undefined if something can. */
export function systemProblem({ platform, arch, glibc }: System = thisSystem()): TensorFlowError | undefined {
  if (bundleFor({ platform, arch, gpu: false, python: "3.12" }) === undefined) {
    return unimplemented(
      `There is no wheel of TensorFlow 2.21 for ${platform} on ${arch}. Use a libtensorflow of your own: ` +
        "name it with TENSORDECK_LIBTENSORFLOW, or install the tensorflow package that your system has. " +
        "The portable engine needs none.",
    );
  }
  if (platform === "linux" && !glibc) {
    return unimplemented(
      "TensorFlow's wheels need the GNU C library 2.27 or newer; this system has another one (musl, as Alpine does). " +
        "Use a Debian- or Fedora-based system or container, or the portable engine, which needs no library.",
    );
  }
  return undefined;
}

/** Sentences that say how such a system gets a library. */
export function libraryAdvice(system: System = thisSystem()): string {
  return systemProblem(system) === undefined
    ? "Install one with `tensordeck runtime install`, or name one with --library or TENSORDECK_LIBTENSORFLOW."
    : "TensorFlow has no wheel for this system that could be installed: name a library of your own with --library or " +
        "TENSORDECK_LIBTENSORFLOW, or use the portable engine (--engine portable), which needs none.";
}

function usesGlibc(): boolean {
  const report: unknown = process.report.getReport();
  const header =
    typeof report === "object" && report !== null && "header" in report ? report.header : undefined;
  return typeof header === "object" && header !== null && "glibcVersionRuntime" in header;
}
