/** The part of targets.mjs that tests use. */

export interface Target {
  readonly platform: "linux" | "darwin" | "win32";
  readonly architecture: "x64" | "arm64";
  readonly name: string;
}
export const ALL_TARGETS: readonly Target[];
export function chosenTargets(
  values: Readonly<Record<string, unknown>>,
  names?: readonly string[],
  machine?: { readonly platform: string; readonly arch: string },
): Target[];
