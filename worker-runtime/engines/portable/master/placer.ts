import {
  type DeviceParts,
  deviceMatches,
  formatDeviceName,
  parseDeviceName,
} from "../../../cluster/device-name.js";
import { invalidArgument } from "../../../protocol/status.js";
import type { OpFactsSource } from "../kernels/op-facts.js";
import type { KernelRegistry } from "../kernels/registry.js";
import { eachOf, NODES_PER_PAUSE, type PausingWork } from "../pauses.js";
import { type ColocationGroup, colocate } from "./colocation.js";
import { withoutDevice } from "./device-spec.js";
import type { GraphNode, NodeLookup } from "./graph-node.js";

/** Full device names by node. */
export type PlacedDevices = ReadonlyMap<string, string>;

/** A device that nodes may be placed on. */
export interface PlacementDevice {
  readonly name: string;
  readonly parts: DeviceParts;
  /** Whether it belongs to the master's own task, whose kernels we know; what others can do only they know. */
  readonly isLocal: boolean;
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
): PausingWork<PlacedDevices> {
  const { softPlacement } = placement;
  const choices = new DeviceChoices(placement);
  const problems: string[] = [];
  const groupOf = new Map<string, ColocationGroup>();
  const devices = new Map<string, string>();
  const place = (group: ColocationGroup) => {
    const device = group.fixed ?? choices.bestFor(group)?.name;
    if (device === undefined) {
      problems.push(...group.members.slice(0, 1).map((member) => choices.problem(member, group)));
    }
    for (const member of device === undefined ? [] : group.members) {
      devices.set(member.name, device ?? "");
      groupOf.set(member.name, group);
    }
  };
  yield* eachOf(yield* colocate({ added, graph, placed, softPlacement }), place, NODES_PER_PAUSE);
  if (problems.length > 0) {
    throw invalidArgument(problems.join("\n"));
  }
  yield* followNeighbours(added, groupOf, devices, placed, choices, placement.kernels);
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

  constructor(placement: Placement) {
    this.#placement = placement;
    for (const device of placement.devices) {
      this.#parsed.set(device.name, device);
    }
  }

  bestFor({ spec, members }: ColocationGroup): PlacementDevice | undefined {
    const able = this.#matches(spec).filter((device) => this.#hasKernels(device, members));
    const { softPlacement } = this.#placement;
    const found =
      able.length > 0 || !softPlacement
        ? able
        : this.#matches(withoutDevice(spec)).filter((device) => this.#hasKernels(device, members));
    const [first] = found;
    const mayBeAccelerator = first?.isLocal && spec.type === undefined;
    const accelerator = mayBeAccelerator
      ? found.find(({ isLocal, parts }) => isLocal && parts.type !== "CPU")
      : undefined;
    return accelerator ?? first;
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

  problem(node: GraphNode, { spec }: ColocationGroup): string {
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
  #hasKernels({ isLocal, parts }: PlacementDevice, nodes: readonly GraphNode[]): boolean {
    const type = parts.type ?? "CPU";
    return (
      !isLocal ||
      type === "CPU" ||
      nodes.every(({ kernelNode }) => this.#placement.kernels.find(kernelNode, type) !== undefined)
    );
  }
}

/** Constants with one consumer go to it, and ops on shapes to their tensor: that saves sending. */
function* followNeighbours(
  added: readonly GraphNode[],
  groupOf: ReadonlyMap<string, ColocationGroup>,
  devices: Map<string, string>,
  placed: PlacedDevices,
  choices: DeviceChoices,
  facts: OpFactsSource,
): PausingWork<void> {
  const follow = (node: GraphNode, neighbour: string | undefined) => {
    const device = neighbour === undefined ? undefined : (devices.get(neighbour) ?? placed.get(neighbour));
    const group = groupOf.get(node.name);
    if (device !== undefined && group !== undefined && choices.allows(group, device)) {
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

/** The devices of a session in the order in which nodes are placed on them. */
export function placementDevices(local: readonly string[], remote: readonly string[]): PlacementDevice[] {
  const own = local.map((name) => ({ name, parts: parseDeviceName(name), isLocal: true }));
  const others = remote.map((name) => ({ name, parts: parseDeviceName(name), isLocal: false }));
  others.sort(
    ({ parts: a }, { parts: b }) =>
      compareTexts(a.job ?? "", b.job ?? "") ||
      (a.task ?? 0) - (b.task ?? 0) ||
      compareTexts(a.type ?? "", b.type ?? "") ||
      (a.index ?? 0) - (b.index ?? 0),
  );
  return [...own, ...others];
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
