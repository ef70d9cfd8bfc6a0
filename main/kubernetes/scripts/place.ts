/** The requested resources of a script's tasks in Kubernetes, checked. Pure. */
import { EXPORT_OPTIONS } from "../../../worker-runtime/cluster/orchestrators/export-options.js";
import { imageOf } from "../../../worker-runtime/cluster/orchestrators/task-program.js";
import { problem } from "../../shared/problems.js";
import type { PodSize } from "./script-manifests.js";

/** The resources of a script's tasks, as the options of exports of the same names. */
export interface ScriptPlace {
  readonly image?: string | undefined;
  readonly cpus?: string | undefined;
  readonly memory?: string | undefined;
  readonly gpus?: string | undefined;
}

/** Names of what may be asked for. */
export const PLACE_OPTIONS = ["image", "cpus", "memory", "gpus"] as const;

/** @throws ProblemError INVALID_ARGUMENT for a value that is none */
export function podSizeOf(place: ScriptPlace): PodSize {
  for (const name of PLACE_OPTIONS) {
    const value = place[name];
    const wrong = value === undefined ? undefined : optionNamed(name)?.problem(value);
    if (wrong !== undefined) throw problem("INVALID_ARGUMENT", `The option ${name} ${wrong}.`);
  }
  const { image, cpus, memory, gpus } = place;
  const count = Number(gpus ?? 0);
  return { image: imageOf({ image }, count), cpus, memory, gpus: count };
}

function optionNamed(name: (typeof PLACE_OPTIONS)[number]) {
  return EXPORT_OPTIONS.find((option) => option.name === name);
}
