import { invalidArgument } from "../protocol/status.js";

/** A parsed device name; absent parts match anything. */
export interface DeviceParts {
  readonly job?: string | undefined;
  readonly replica?: number | undefined;
  readonly task?: number | undefined;
  /** "CPU", "GPU", …, as written; the legacy short forms in upper case. */
  readonly type?: string | undefined;
  readonly index?: number | undefined;
}

/** A task by job and index. */
export interface TaskName {
  readonly job: string;
  readonly index: number;
}

/**
 * Types that a name may have without "device:" before them ("/cpu:0", "/GPU:1"), as TensorFlow's DeviceSpec takes them.
 */
const shortTypes = new Set(["CPU", "GPU", "TPU", "CUSTOM", "EPU", "TPU_SYSTEM", "XLA_CPU", "XLA_GPU"]);

function refuse(name: string, why: string): never {
  throw invalidArgument(
    `'${name}' is not a device name: ${why}. A full one is /job:worker/replica:0/task:0/device:CPU:0, and any part may be left out.`,
  );
}

function numberOf(name: string, what: string, text: string): number | undefined {
  if (text === "*") {
    return undefined;
  }
  if (!/^\d+$/.test(text)) {
    refuse(name, `${what} '${text}' is not a number`);
  }
  return Number(text);
}

/**
 * Parses a device name: full, partial or empty; legacy forms "/cpu:0" and "/gpu:*"; "*" for any.
 * @throws TensorFlowError INVALID_ARGUMENT if tf.DeviceSpec.from_string raises a ValueError.
 */
export function parseDeviceName(name: string): DeviceParts {
  const parts: { -readonly [K in keyof DeviceParts]: DeviceParts[K] } = {};
  const setType = (type: string, index: string | undefined): void => {
    if (parts.type !== undefined) {
      refuse(name, "it has two device types");
    }
    // As DeviceSpec does, for the two types that scripts of old write in lower case.
    parts.type = type === "cpu" || type === "gpu" ? type.toUpperCase() : type;
    parts.index = index === undefined ? undefined : numberOf(name, "the device index", index);
  };
  for (const section of name.split("/")) {
    if (section === "") {
      continue;
    }
    const [key = "", value, extra, ...rest] = section.split(":");
    if (rest.length > 0) {
      refuse(name, `'${section}' has too many colons`);
    }
    if (key === "device" && value !== undefined && extra !== undefined) {
      setType(value, extra);
    } else if (extra === undefined && shortTypes.has(key.toUpperCase())) {
      setType(key.toUpperCase(), value);
    } else if (extra === undefined && value !== undefined && key === "job") {
      parts.job = value === "*" ? undefined : value;
    } else if (extra === undefined && value !== undefined && (key === "replica" || key === "task")) {
      parts[key] = numberOf(name, `the ${key}`, value);
    } else if (key === "device") {
      refuse(name, `'${section}' needs a type and an index, such as device:GPU:0 or device:GPU:*`);
    } else {
      refuse(name, `'${section}' is not known`);
    }
  }
  return parts.type === "*" ? { ...parts, type: undefined } : parts;
}

/** As `parseDeviceName`; undefined for a text that is no device name. */
export function tryParseDeviceName(name: string): DeviceParts | undefined {
  try {
    return parseDeviceName(name);
  } catch {
    return undefined;
  }
}

/** The canonical text: parts in order, "/device:GPU:*" for a type without an index, "" for none. */
export function formatDeviceName(parts: DeviceParts): string {
  const { job, replica, task, type, index } = parts;
  return [
    job === undefined ? "" : `/job:${job}`,
    replica === undefined ? "" : `/replica:${replica}`,
    task === undefined ? "" : `/task:${task}`,
    type === undefined ? "" : `/device:${type}:${index ?? "*"}`,
  ].join("");
}

/** The canonical form of a name: "/cpu:0" becomes "/device:CPU:0". @throws TensorFlowError INVALID_ARGUMENT */
export function canonicalDeviceName(name: string): string {
  return formatDeviceName(parseDeviceName(name));
}

/**
 * The device of a node in nested `tf.device` scopes: the inner one takes precedence, part by part.
 * @returns the canonical name of the combination.
 * @throws TensorFlowError INVALID_ARGUMENT when one of the names is not a device name.
 */
export function mergeDevice(outer: string, inner: string): string {
  return formatDeviceName(mergeDeviceParts(parseDeviceName(outer), parseDeviceName(inner)));
}

export function mergeDeviceParts(outer: DeviceParts, inner: DeviceParts): DeviceParts {
  return {
    job: inner.job ?? outer.job,
    replica: inner.replica ?? outer.replica,
    task: inner.task ?? outer.task,
    type: inner.type ?? outer.type,
    index: inner.index ?? outer.index,
  };
}

/** True when every part that `pattern` has is the same in `device`: "/job:ps" matches every device of every ps task. */
export function deviceMatches(pattern: DeviceParts, device: DeviceParts): boolean {
  const agrees = <T>(wanted: T | undefined, actual: T | undefined) =>
    wanted === undefined || wanted === actual;
  return (
    agrees(pattern.job, device.job) &&
    agrees(pattern.replica, device.replica) &&
    agrees(pattern.task, device.task) &&
    agrees(pattern.type?.toUpperCase(), device.type?.toUpperCase()) &&
    agrees(pattern.index, device.index)
  );
}

/** The task of a device name; undefined if it leaves the job or the task open, or is not a device name. */
export function taskOfDevice(name: string): TaskName | undefined {
  let parts: DeviceParts;
  try {
    parts = parseDeviceName(name);
  } catch {
    return undefined;
  }
  return parts.job === undefined || parts.task === undefined
    ? undefined
    : { job: parts.job, index: parts.task };
}

/** A device within its task, "GPU:0"; undefined if the name leaves that open, or is not a device name. */
export function localDeviceText(name: string): string | undefined {
  try {
    const { type, index } = parseDeviceName(name);
    return type === undefined || index === undefined ? undefined : `${type.toUpperCase()}:${index}`;
  } catch {
    return undefined;
  }
}

/** The same device of another task, in full: a device of `from` becomes one of `to`. Other names stay unchanged. */
export function deviceOfTask(name: string, to: TaskName, from?: TaskName): string {
  const task = taskOfDevice(name);
  if (task === undefined) return name;
  if (from !== undefined && (task.job !== from.job || task.index !== from.index)) return name;
  return formatDeviceName({ ...parseDeviceName(name), job: to.job, replica: 0, task: to.index });
}

/** The tasks that a text names in full, in its order, as an error of TensorFlow's does. */
export function tasksInText(text: string): TaskName[] {
  return [...text.matchAll(/\/job:[^\s"'`,;()[\]]+/g)].flatMap(
    ([name]) => taskOfDevice(name.replace(/[.:]+$/, "")) ?? [],
  );
}

/** "worker/1", as the window and messages name a task. */
export function shortTaskText({ job, index }: TaskName): string {
  return `${job}/${index}`;
}

/** The task as the wire writes it: "/job:worker/replica:0/task:1". */
export function taskDeviceName({ job, index }: TaskName): string {
  return formatDeviceName({ job, replica: 0, task: index });
}

/** The task as people write it: "/job:worker/task:1". */
export function taskText({ job, index }: TaskName): string {
  return formatDeviceName({ job, task: index });
}
