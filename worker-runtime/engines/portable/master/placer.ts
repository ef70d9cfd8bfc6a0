import type { DeviceAttributes } from "../../../../protos/generated/tensorflow/device_attributes.js";
import {
  type DeviceParts,
  deviceMatches,
  formatDeviceName,
  parseDeviceName,
} from "../../../cluster/device-name.js";
import { invalidArgument } from "../../../protocol/status.js";
import { isDescribedByUs } from "../device.js";
import type { OpFactsSource } from "../kernels/op-facts.js";
import type { KernelRegistry } from "../kernels/registry.js";
import { eachOf, NODES_PER_PAUSE, type PausingWork } from "../pauses.js";
import { type Colocation, type ColocationGroup, colocate } from "./colocation.js";
import { withoutDevice } from "./device-spec.js";
import type { GraphNode, NodeLookup } from "./graph-node.js";

/** Full device names by node. */
export type PlacedDevices = ReadonlyMap<string, string>;

/** Finds them by the names of nodes. */
export type DeviceLookup = Pick<PlacedDevices, "get">;

/** A device that nodes may be placed on. */
export interface PlacementDevice {
  readonly name: string;
  readonly parts: DeviceParts;
  /** Whether it belongs to the master's own task. */
  readonly isLocal: boolean;
  /** Whether this engine has it, so that its kernels are known; what others can do only they know. */
  readonly isOurs: boolean;
}

/** How nodes are placed. */
export interface Placement {
  /** In order of preference: the master's own task first, then the others by name. */
  readonly devices: readonly PlacementDevice[];
  readonly kernels: KernelRegistry;
  /** ConfigProto.allow_soft_placement: another device of the same task will do. */
  readonly softPlacement: boolean;
  /** Takes a line for every node, for ConfigProto.log_device_placement. */
  readonly log?: ((line: string) => void) | undefined;
}

/**
 * Finds a device for each new node: what it asks for, together with the nodes that it is colocated with; else the
 * master's own task.
 * @throws TensorFlowError INVALID_ARGUMENT in TensorFlow's words, for all nodes without a device at once.
 */
export function* placeNodes(
  added: readonly GraphNode[],
  { graph, devices: placed }: { readonly graph: NodeLookup; readonly devices: PlacedDevices },
  placement: Placement,
): PausingWork<Map<string, string>> {
  const { softPlacement } = placement;
  const choices = new DeviceChoices(placement);
  const problems: string[] = [];
  const devices = new Map<string, string>();
  const used = new Set<string>();
  const colocation = yield* colocate({ added, graph, placed, softPlacement });
  const placedGroups = new Set<ColocationGroup>();
  const place = (node: GraphNode) => {
    const group = colocation.groupOf(node);
    if (group === undefined) {
      const device = choices.ofAlone(node, colocation);
      if (device === undefined) {
        problems.push(choices.problem(node, colocation.specOf(node)));
      } else {
        used.add(device);
        devices.set(node.name, device);
      }
      return;
    }
    if (placedGroups.has(group)) {
      return;
    }
    placedGroups.add(group);
    const device = group.fixed ?? choices.bestFor(group);
    if (device === undefined) {
      problems.push(choices.problem(group.members[0] ?? node, group.spec));
      return;
    }
    used.add(device);
    for (const member of group.members) {
      devices.set(member.name, device);
    }
  };
  yield* eachOf(added, place, NODES_PER_PAUSE);
  if (problems.length > 0) {
    throw invalidArgument(problems.join("\n"));
  }
  // Where all nodes are on one device, none is nearer to another.
  if (used.size > 1 || placed.size > 0) {
    yield* followNeighbours(added, colocation, devices, placed, choices, placement.kernels);
  }
  const { log } = placement;
  if (log !== undefined) {
    yield* eachOf(
      added,
      (node) => log(`${node.name}: (${node.op}): ${devices.get(node.name) ?? ""}`),
      NODES_PER_PAUSE,
    );
  }
  return devices;
}

/** Which devices a group may have; answers for equal wishes are found once. */
class DeviceChoices {
  readonly #placement: Placement;
  readonly #matching = new Map<string, readonly PlacementDevice[]>();
  readonly #parsed = new Map<string, PlacementDevice>();
  /** The devices of nodes by themselves, by the device that they request; only while it does not depend on their kernels. */
  readonly #ofAlone = new Map<string, string | undefined>();
  readonly #hasAccelerators: boolean;

  constructor(placement: Placement) {
    this.#placement = placement;
    for (const device of placement.devices) {
      this.#parsed.set(device.name, device);
    }
    this.#hasAccelerators = placement.devices.some(({ isOurs, parts }) => isOurs && parts.type !== "CPU");
  }

  /** The device of a node that is in no group. */
  ofAlone(node: GraphNode, colocation: Colocation): string | undefined {
    if (this.#hasAccelerators) {
      return this.bestFor(alone(node, colocation));
    }
    const { requestedDevice } = node;
    const known = this.#ofAlone.get(requestedDevice);
    if (known !== undefined || this.#ofAlone.has(requestedDevice)) {
      return known;
    }
    const device = this.bestFor(alone(node, colocation));
    this.#ofAlone.set(requestedDevice, device);
    return device;
  }

  bestFor({ spec, members }: ColocationGroup): string | undefined {
    const able = this.#matches(spec).filter((device) => this.#hasKernels(device, members));
    const { softPlacement } = this.#placement;
    const found =
      able.length > 0 || !softPlacement
        ? able
        : this.#matches(withoutDevice(spec)).filter((device) => this.#hasKernels(device, members));
    const [first] = found;
    // As in TensorFlow, a GPU goes before the CPU; a soft "/gpu:0" that there is no kernel for is not asked for again.
    const accelerator =
      first !== undefined && (spec.type === undefined || able.length === 0)
        ? found.find((device) => device.isOurs && device.parts.type !== "CPU" && sameTask(device, first))
        : undefined;
    return (accelerator ?? first)?.name;
  }

  /** Whether a single node that asks for nothing more may as well be on that device. */
  allows({ spec, members, fixed }: ColocationGroup, device: string): boolean {
    const known = this.#parsed.get(device);
    return (
      fixed === undefined &&
      members.length === 1 &&
      known !== undefined &&
      deviceMatches(spec, known.parts) &&
      this.#hasKernels(known, members)
    );
  }

  problem(node: GraphNode, spec: DeviceParts): string {
    const asked = node.requestedDevice || formatDeviceName(spec);
    const start = `Cannot assign a device for operation ${node.name}: `;
    const end = `\n\t [[${node.name}]]`;
    if (this.#matches(spec).length > 0) {
      return `${start}Could not satisfy explicit device specification '${asked}' because no supported kernel for ${spec.type} devices is available.${end}`;
    }
    const available = this.#placement.devices.map(({ name }) => name).sort();
    return (
      `${start}{{node ${node.name}}} was explicitly assigned to ${asked} but available devices are ` +
      `[ ${available.join(", ")} ]. Make sure the device specification refers to a valid device.${end}`
    );
  }

  #matches(spec: DeviceParts): readonly PlacementDevice[] {
    const key = formatDeviceName(spec);
    const known = this.#matching.get(key);
    if (known !== undefined) {
      return known;
    }
    const found = this.#placement.devices.filter(({ parts }) => deviceMatches(spec, parts));
    this.#matching.set(key, found);
    return found;
  }

  /**
   * Other tasks check their own kernels when a graph is registered. So does ours for its CPU, which lists everything that
   * is missing and the way out, and only for what a step needs.
   */
  #hasKernels({ isOurs, parts }: PlacementDevice, nodes: readonly GraphNode[]): boolean {
    const type = parts.type ?? "CPU";
    return (
      !isOurs ||
      type === "CPU" ||
      nodes.every(({ kernelNode }) => this.#placement.kernels.find(kernelNode, type) !== undefined)
    );
  }
}

function alone(node: GraphNode, colocation: Colocation): ColocationGroup {
  return { members: [node], spec: colocation.specOf(node), fixed: undefined };
}

/** Constants with one consumer go to it, and ops on shapes to their tensor: that saves sending. */
function* followNeighbours(
  added: readonly GraphNode[],
  colocation: Colocation,
  devices: Map<string, string>,
  placed: PlacedDevices,
  choices: DeviceChoices,
  facts: OpFactsSource,
): PausingWork<void> {
  const follow = (node: GraphNode, neighbour: string | undefined) => {
    const device = neighbour === undefined ? undefined : (devices.get(neighbour) ?? placed.get(neighbour));
    if (device !== undefined && choices.allows(colocation.groupOf(node) ?? alone(node, colocation), device)) {
      devices.set(node.name, device);
    }
  };
  const consumers = new Map<string, { readonly name: string; count: number }>();
  const followTensor = (node: GraphNode) => {
    for (const source of [...node.inputs.map((input) => input.node), ...node.controls]) {
      const known = consumers.get(source);
      if (known === undefined) {
        consumers.set(source, { name: node.name, count: 1 });
      } else {
        known.count += 1;
      }
    }
    if (facts.facts(node.op).readsShapeOnly) {
      follow(node, node.inputs[0]?.node);
    }
  };
  const followConsumer = (node: GraphNode) => {
    const consumer = consumers.get(node.name);
    const isGenerator =
      node.inputs.length + node.controls.length === 0 && node.outputs.length === 1 && !node.outputs[0]?.isRef;
    if (isGenerator && consumer?.count === 1) {
      follow(node, consumer.name);
    }
  };
  yield* eachOf(added, followTensor, NODES_PER_PAUSE);
  yield* eachOf(added, followConsumer, NODES_PER_PAUSE);
}

type DescribedDevice = Pick<DeviceAttributes, "name" | "physicalDeviceDesc">;

/** The devices of a session in the order in which nodes are placed on them. */
export function placementDevices(
  local: readonly DescribedDevice[],
  remote: readonly DescribedDevice[],
): PlacementDevice[] {
  const own = local.map(({ name }) => ({
    name,
    parts: parseDeviceName(name),
    isLocal: true,
    isOurs: true,
  }));
  const others = remote.map((device) => ({
    name: device.name,
    parts: parseDeviceName(device.name),
    isLocal: false,
    isOurs: isDescribedByUs(device),
  }));
  others.sort(
    ({ parts: a }, { parts: b }) =>
      compareTexts(a.job ?? "", b.job ?? "") ||
      (a.task ?? 0) - (b.task ?? 0) ||
      compareTexts(a.type ?? "", b.type ?? "") ||
      (a.index ?? 0) - (b.index ?? 0),
  );
  return [...own, ...others];
}

function sameTask({ parts: one }: PlacementDevice, { parts: other }: PlacementDevice): boolean {
  return one.job === other.job && one.replica === other.replica && one.task === other.task;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
