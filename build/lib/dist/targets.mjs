// The systems and processors that Tensordeck is packaged for.
import { BuildError } from "../project.mjs";

/** electron-builder's names of the systems, and those of `process.platform`. */
const PLATFORMS = { linux: "linux", mac: "darwin", win: "win32" };
const ARCHITECTURES = ["x64", "arm64"];

/** @typedef {{platform: "linux" | "darwin" | "win32", architecture: "x64" | "arm64", name: string}} Target */

/** @returns {Target} */
export const targetOf = (platform, architecture) => ({
  platform,
  architecture,
  name: `${platform}-${architecture}`,
});

export const ALL_TARGETS = Object.values(PLATFORMS).flatMap((platform) =>
  ARCHITECTURES.map((architecture) => targetOf(platform, architecture)),
);

/** Options of `npm run dist` that choose targets, for `parseArgs`. */
export const targetOptions = Object.fromEntries(
  ["all", ...Object.keys(PLATFORMS), ...ARCHITECTURES].map((flag) => [flag, { type: "boolean" }]),
);

/**
 * The chosen targets; without a choice, this machine's.
 *
 * @param {Readonly<Record<string, unknown>>} values the parsed options
 * @param {readonly string[]} names targets by name, "linux-x64", instead of options
 * @returns {Target[]}
 */
export function chosenTargets(values, names = [], { platform = process.platform, arch = process.arch } = {}) {
  if (values.all) return ALL_TARGETS;
  if (names.length > 0) return names.map(targetNamed);
  const platforms = Object.keys(PLATFORMS)
    .filter((flag) => values[flag])
    .map((flag) => PLATFORMS[flag]);
  const architectures = ARCHITECTURES.filter((flag) => values[flag]);
  const chosen = (platforms.length > 0 ? platforms : [platform]).flatMap((one) =>
    (architectures.length > 0 ? architectures : [arch]).map((other) => targetOf(one, other)),
  );
  return chosen.map(({ name }) => targetNamed(name));
}

function targetNamed(name) {
  const found = ALL_TARGETS.find((target) => target.name === name);
  if (found !== undefined) return found;
  throw new BuildError(
    `Tensordeck has no package for ${name}.`,
    `Choose with --linux, --mac, --win and --x64, --arm64, or name one: ${ALL_TARGETS.map((one) => one.name).join(", ")}.`,
  );
}
