import { type DeviceParts, formatDeviceName } from "../../../cluster/device-name.js";

/** Parts in the order in which TensorFlow compares them, with its plurals. */
const PARTS = [
  ["job", "jobs"],
  ["replica", "replicas"],
  ["task", "tasks"],
  ["type", "types"],
  ["index", "ids"],
] as const;

/** Two merged device requests, or the parts in which they conflict. */
export type MergedSpec = { readonly spec: DeviceParts } | { readonly conflict: string };

/**
 * Merges two partial device names.
 *
 * @param mayDropDevice lets different types or indices cancel each other out, as soft placement does; jobs and tasks are
 *   never dropped.
 */
export function mergeSpecs(one: DeviceParts, other: DeviceParts, mayDropDevice = false): MergedSpec {
  for (const [part, plural] of PARTS) {
    const [a, b] = [one[part], other[part]];
    if (a === undefined || b === undefined || a === b) {
      continue;
    }
    if (mayDropDevice && part === "index") {
      return mergeSpecs({ ...one, index: undefined }, { ...other, index: undefined });
    }
    if (mayDropDevice && part === "type") {
      return mergeSpecs(withoutDevice(one), withoutDevice(other));
    }
    const conflict = `Cannot merge devices with incompatible ${plural}: '${formatDeviceName(one)}' and '${formatDeviceName(other)}'`;
    return { conflict };
  }
  return {
    spec: {
      job: one.job ?? other.job,
      replica: one.replica ?? other.replica,
      task: one.task ?? other.task,
      type: one.type ?? other.type,
      index: one.index ?? other.index,
    },
  };
}

/** The requested task alone. */
export function withoutDevice(spec: DeviceParts): DeviceParts {
  return { ...spec, type: undefined, index: undefined };
}
