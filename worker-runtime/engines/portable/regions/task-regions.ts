import { parseDeviceName } from "../../../cluster/device-name.js";
import type { BoundNode } from "../executor/bind-kernel.js";
import type { NodeWork } from "../executor/compiled-node.js";
import { createLoweringRegistry, createUpdateRegistry } from "../lowering/all.js";
import type { UpdateLowering } from "../lowering/lowering.js";
import type { LoweringRegistry } from "../lowering/registry.js";
import type { RegionFormer } from "./contraction.js";
import { RegionDevice, type RegionDeviceOptions } from "./device.js";

import { Region, type RegionEnvironment } from "./region.js";
import type { RegionMode } from "./region-mode.js";
import type { RegionOutline } from "./region-outline.js";
import { staysOnDevice } from "./resident-tensors.js";
import { SessionCache } from "./session-cache.js";
import { variableType } from "./updated-variables.js";

export interface TaskRegionsOptions extends Omit<RegionDeviceOptions, "onUnavailable" | "gpu"> {
  readonly mode: Exclude<RegionMode, "off">;
  /** Defaults to all of this engine. */
  readonly lowerings?: LoweringRegistry | undefined;
  /** The GPUs of the task, in the order of their numbers; defaults to none. */
  readonly gpus?: readonly NonNullable<RegionDeviceOptions["gpu"]>[] | undefined;
  /** Writes a line to the task's log. */
  log(line: string): void;
}

/** The regions of a task's graphs and their shared state. */
export class TaskRegions {
  readonly #lowerings: LoweringRegistry;
  readonly #updates = createUpdateRegistry();
  readonly #device: RegionDevice;
  readonly #sessions: SessionCache;
  readonly #environment: RegionEnvironment;
  readonly #gpus: readonly { readonly device: RegionDevice; readonly environment: RegionEnvironment }[];

  constructor({ mode, lowerings, log, gpus = [], ...device }: TaskRegionsOptions) {
    this.#lowerings = lowerings ?? createLoweringRegistry();
    this.#device = new RegionDevice({
      ...device,
      onUnavailable: (reason) =>
        log(`ONNX Runtime cannot be used on this machine; everything runs on plain kernels: ${reason}`),
    });
    this.#sessions = new SessionCache(this.#device);
    this.#environment = { sessions: this.#sessions, mode, log };
    this.#gpus = gpus.map((gpu) => {
      const { device: name } = gpu.memory;
      const onGpu = new RegionDevice({
        ...device,
        gpu,
        onUnavailable: (reason) =>
          log(
            `${name} was lost, and with it the variables that were on it. What is placed there is run on the processor until ` +
              `the task is restarted: ${reason}`,
          ),
      });
      // A GPU runs every node that it can, since its tensors stay on it.
      return { device: onGpu, environment: { sessions: new SessionCache(onGpu), mode: "always", log } };
    });
  }

  /** Whether steps may run before a graph has its regions: not if tests want sessions from the first, or GPUs have tensors. */
  get mayFormLate(): boolean {
    return this.#environment.mode === "auto" && this.#gpus.length === 0;
  }

  /** Bytes of tensors on each GPU. */
  get gpuBytes(): readonly number[] {
    return this.#gpus.map(({ device }) => device.usedBytes);
  }

  /** The number of sessions that exist or are being created. */
  get sessions(): number {
    return this.#sessions.size;
  }

  /** Whether ONNX Runtime is loaded. */
  get isRunning(): boolean {
    return this.#device.isRunning;
  }

  /** Creates the regions of one registered graph and the functions of its library. */
  forGraph(): GraphRegions {
    return new GraphRegions(this.#lowerings, this.#updates, (device) => {
      const { type, index = 0 } = parseDeviceName(device);
      return (type === "GPU" ? this.#gpus[index]?.environment : undefined) ?? this.#environment;
    });
  }

  /** Ends the device's thread, as if it had failed: runs in progress continue with kernels. */
  async restart(): Promise<void> {
    await this.#device.restart();
  }

  /** Ends the device's thread. Runs in progress fail. */
  async close(): Promise<void> {
    await Promise.all([this.#device.close(), ...this.#gpus.map(({ device }) => device.close())]);
  }
}

/** The regions of one registered graph. */
export class GraphRegions implements RegionFormer {
  readonly lowerings: LoweringRegistry;
  readonly #environmentOf: (device: string) => RegionEnvironment;
  readonly #regions: Region[] = [];
  readonly #updateLowerings: LoweringRegistry<UpdateLowering>;

  /** @param environmentOf returns the shared environment of a device's regions by its full name. */
  constructor(
    lowerings: LoweringRegistry,
    updates: LoweringRegistry<UpdateLowering>,
    environmentOf: (device: string) => RegionEnvironment,
  ) {
    this.lowerings = lowerings;
    this.#updateLowerings = updates;
    this.#environmentOf = environmentOf;
  }

  make(outline: RegionOutline): NodeWork {
    const region = new Region(outline, this.#environmentOf(outline.members[0]?.node.device ?? ""));
    this.#regions.push(region);
    return { kind: "region", run: (inputs, host) => region.run(inputs, host) };
  }

  updateLowering({ node, work }: BoundNode): UpdateLowering | undefined {
    const lowering = work.kind === "stateful" ? this.#updateLowerings.find(node) : undefined;
    if (lowering === undefined || !this.#environmentOf(node.device).sessions.device.isGpu) {
      return lowering;
    }
    // On a GPU it is of use only if the new value stays there; assignments leave a value where it is.
    return lowering.isCopy || !staysOnDevice(variableType(node)) ? undefined : lowering;
  }

  /** Releases the graph's sessions. */
  release(): void {
    for (const region of this.#regions) {
      region.release();
    }
  }
}
