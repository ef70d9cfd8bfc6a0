/** How many cases a run draws and from which seed: the short form of every test run, and the long form. */
import type { RegionMode } from "../../../../worker-runtime/engines/portable/regions/region-mode.js";
import type { Draws } from "./op-spec.js";

/** The short form draws the same cases in every run, so that it fails for changes alone. */
const SHORT: Draws = { count: 2, seed: 5 };

const LONG_COUNT = 50;
/** fast-check's seeds are whole numbers of 32 bits. */
const SEEDS = 2 ** 31;

export interface Settings extends Draws {
  /** The engine that is compared with TensorFlow. */
  readonly engine: string;
  /** Whether nodes of the portable engine run by their lowerings; undefined for the engine's own choice. */
  readonly regions: RegionMode | undefined;
  /** How many failures of a family are shown. */
  readonly shown: number;
  /** How to run the same cases again. */
  readonly repeat: string;
}

/** @throws Error for a number that is none, and for other words than a variable takes. */
export function readSettings(env: NodeJS.ProcessEnv, random: () => number = Math.random): Settings {
  const form = env.TENSORDECK_DIFFERENTIAL ?? "short";
  if (form !== "short" && form !== "long") {
    throw new Error(`TENSORDECK_DIFFERENTIAL is "short" or "long", not "${form}".`);
  }
  const draws = form === "short" ? SHORT : { count: LONG_COUNT, seed: Math.floor(random() * SEEDS) };
  const regions = env.TENSORDECK_DIFFERENTIAL_REGIONS;
  if (regions !== undefined && !isRegionMode(regions)) {
    throw new Error(`TENSORDECK_DIFFERENTIAL_REGIONS is "auto", "off" or "always", not "${regions}".`);
  }
  const count = numberOf(env, "TENSORDECK_CASES", draws.count);
  const seed = numberOf(env, "TENSORDECK_SEED", draws.seed);
  return {
    count,
    seed,
    engine: env.TENSORDECK_DIFFERENTIAL_ENGINE ?? "portable",
    regions,
    shown: numberOf(env, "TENSORDECK_SHOWN", 40),
    repeat: `TENSORDECK_CASES=${count} TENSORDECK_SEED=${seed}${regions === undefined ? "" : ` TENSORDECK_DIFFERENTIAL_REGIONS=${regions}`}`,
  };
}

function isRegionMode(text: string): text is RegionMode {
  return text === "auto" || text === "off" || text === "always";
}

function numberOf(env: NodeJS.ProcessEnv, name: string, otherwise: number): number {
  const text = env[name];
  if (text === undefined) {
    return otherwise;
  }
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < 0) {
    throw new Error(`${name} is a whole number from 0, not "${text}".`);
  }
  return value;
}
