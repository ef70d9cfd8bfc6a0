import type { ConfigProto } from "../../../../protos/generated/tensorflow/config.js";
import {
  type DeviceParts,
  deviceMatches,
  parseDeviceName,
  type TaskName,
  taskDeviceName,
} from "../../../cluster/device-name.js";
import {
  invalidArgument,
  notFound,
  PayloadKey,
  StatusCode,
  TensorFlowError,
} from "../../../protocol/status.js";
import { cpuKind, type Device, type DeviceKind, makeDevice, renameDevice } from "../device.js";
import type { RendezvousKey } from "../rendezvous/rendezvous-key.js";
import { DEFAULT_CONTAINER, ResourceManager } from "../resources/resource-manager.js";

/** As many as TensorFlow makes at most sense of; a config with more is a mistake or an attack. */
const MAX_CPU_DEVICES = 256;

/**
 * The devices of a task: one CPU, or as many as `device_count` of its configuration says; and its GPUs, of which
 * `device_count` may leave some out.
 * @throws TensorFlowError INVALID_ARGUMENT
 */
export function deviceKindsOf(
  config: ConfigProto | undefined,
  gpus: readonly DeviceKind[] = [],
): DeviceKind[] {
  const count = config?.deviceCount.get("CPU") ?? 1;
  if (count < 1 || count > MAX_CPU_DEVICES) {
    throw invalidArgument(
      `device_count asks for ${count} CPU devices; the portable engine makes 1 to ${MAX_CPU_DEVICES}.`,
    );
  }
  const cpus = Array.from({ length: count }, (_, index) => cpuKind(index));
  return [...cpus, ...gpus.slice(0, config?.deviceCount.get("GPU") ?? gpus.length)];
}

/** The devices of a task under the name that one or all of its sessions know it by, each with its resources. */
export class TaskDevices {
  readonly task: TaskName;
  /** "/job:worker/replica:0/task:0". */
  readonly taskName: string;
  readonly all: readonly Device[];
  readonly #resources: ReadonlyMap<string, ResourceManager>;
  readonly #byLocalName: ReadonlyMap<string, Device>;

  private constructor(
    task: TaskName,
    all: readonly Device[],
    resources: ReadonlyMap<string, ResourceManager>,
  ) {
    this.task = task;
    this.taskName = taskDeviceName(task);
    this.all = all;
    this.#resources = resources;
    this.#byLocalName = new Map(all.map((device) => [localName(parseDeviceName(device.name)), device]));
  }

  /** Fresh devices with fresh incarnations. */
  static make(task: TaskName, kinds: readonly DeviceKind[]): TaskDevices {
    const all = kinds.map((kind) => makeDevice(task, kind));
    return new TaskDevices(task, all, new Map(all.map(({ name }) => [name, new ResourceManager()])));
  }

  /** The same devices under another task's name, with the same resources or, isolated, with none yet. */
  renamed(task: TaskName, isolated: boolean): TaskDevices {
    const all = this.all.map((device) => renameDevice(device, task));
    const resources = all.map(({ name }, index) => {
      const own = this.all[index];
      const shared = own === undefined ? undefined : this.#resources.get(own.name);
      return [name, isolated || shared === undefined ? new ResourceManager() : shared] as const;
    });
    return new TaskDevices(task, all, new Map(resources));
  }

  /** The device that has no name on a node: the first one. */
  get defaultDevice(): string {
    return this.all[0]?.name ?? "";
  }

  /** Whether a device name, full or in part, may be one of these. */
  matches(device: string): boolean {
    if (this.#resources.has(device)) {
      return true;
    }
    const pattern = parseDeviceName(device);
    return this.all.some(({ name }) => deviceMatches(pattern, parseDeviceName(name)));
  }

  /** @param device the full name. @throws TensorFlowError NOT_FOUND */
  resources(device: string): ResourceManager {
    const found = this.#resources.get(device);
    if (found === undefined) {
      throw notFound(`${device} is not a device of ${this.taskName}.`);
    }
    return found;
  }

  /** Clears containers on every device; the default one, as TensorFlow does, when none is named. */
  clear(containers: readonly string[]): void {
    const names = containers.length === 0 ? [DEFAULT_CONTAINER] : containers;
    for (const manager of this.#resources.values()) {
      for (const name of names) {
        manager.clear(name);
      }
    }
  }

  /** Removes what is private to a session from every device. */
  endSession(session: string): void {
    for (const manager of this.#resources.values()) {
      manager.endSession(session);
    }
  }

  /** Clears everything on every device. */
  clearAll(): void {
    for (const manager of this.#resources.values()) {
      manager.clearAll();
    }
  }

  /**
   * Checks that a key's value comes from this incarnation of this task. As in TensorFlow the device is looked up by its
   * type and index alone: sessions know the task by different names.
   *
   * @throws TensorFlowError INVALID_ARGUMENT for no device of this task; ABORTED, with the payload that makes a client
   *   begin anew, for a device of an earlier life.
   */
  checkSender({ sendParts, incarnation }: RendezvousKey): void {
    const local = localName(sendParts);
    const device = this.#byLocalName.get(local);
    if (device === undefined) {
      throw invalidArgument(`${local} unknown device.`);
    }
    if (device.incarnation !== incarnation) {
      throw new TensorFlowError(
        StatusCode.ABORTED,
        `RecvTensor expects a different device incarnation: ${incarnation} vs. ${device.incarnation}. ` +
          `Your worker job ("${this.taskName}") was probably restarted. Check your worker job for the reason why it ` +
          "was restarted.",
        { payloads: possiblyRestarted },
      );
    }
  }
}

/** The payload of errors that mean "this is another life of the task than the one you know". */
export const possiblyRestarted: ReadonlyMap<string, Uint8Array> = new Map([
  [PayloadKey.WORKER_POSSIBLY_RESTARTED, new Uint8Array(0)],
]);

/** "/device:CPU:0". */
function localName({ type, index }: DeviceParts): string {
  return `/device:${type}:${index}`;
}
