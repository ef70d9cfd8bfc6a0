import { DataType } from "../../../../protos/generated/tensorflow/types.js";
import { type DeviceParts, formatDeviceName, parseDeviceName } from "../../../cluster/device-name.js";
import { colocatedNodes } from "../../../graph/colocation-groups.js";
import { invalidArgument } from "../../../protocol/status.js";
import { eachOf, NODES_PER_PAUSE, type PausingWork } from "../pauses.js";
import { mergeSpecs } from "./device-spec.js";
import type { GraphNode, NodeLookup } from "./graph-node.js";

/** Nodes that must be on the same device. */
export interface ColocationGroup {
  /** Members that are not placed yet, in the order in which they joined. */
  readonly members: readonly GraphNode[];
  /** The devices that the members request. */
  readonly spec: DeviceParts;
  /** The device of the members that are placed already; undefined if there are none. */
  readonly fixed: string | undefined;
}

interface GrowingGroup {
  members: GraphNode[];
  /** All of its nodes, including those that are already placed. */
  names: string[];
  requested: DeviceParts;
  /** The device of the group's variable (or other resource): it takes precedence over nodes that only use it. */
  resource: DeviceParts;
  fixed: string | undefined;
}

export interface ColocationInput {
  readonly added: readonly GraphNode[];
  readonly graph: NodeLookup;
  /** Devices of the nodes that are already placed. */
  readonly placed: ReadonlyMap<string, string>;
  readonly softPlacement: boolean;
}

/** Which of the added nodes must be together. */
export interface Colocation {
  /** The group of a node; undefined for most nodes, which may be anywhere. */
  groupOf(node: GraphNode): ColocationGroup | undefined;
  /** The device that a node requests. */
  specOf(node: GraphNode): DeviceParts;
}

/**
 * Groups nodes that must be colocated: `_class` attributes ("loc:@other"), references and resource handles. Sets are
 * joined as in a union-find, the smaller into the larger.
 * @throws TensorFlowError INVALID_ARGUMENT if members request different devices: always for resources, without soft
 *   placement for `_class`.
 */
export function* colocate(input: ColocationInput): PausingWork<Colocation> {
  const groups = new Groups(input);
  yield* eachOf(input.added, (node) => groups.specOf(node), NODES_PER_PAUSE);
  yield* eachOf(input.added, (node) => groups.joinClasses(node), NODES_PER_PAUSE);
  yield* eachOf(input.added, (node) => groups.joinResources(node), NODES_PER_PAUSE);
  return groups;
}

class Groups implements Colocation {
  readonly #input: ColocationInput;
  /** The groups of nodes about which something was found out; the others are by themselves. */
  readonly #byNode = new Map<string, GrowingGroup>();
  readonly #finished = new Map<GrowingGroup, ColocationGroup>();
  readonly #specs = new Map<string, DeviceParts>();

  constructor(input: ColocationInput) {
    this.#input = input;
  }

  groupOf({ name }: GraphNode): ColocationGroup | undefined {
    const group = this.#byNode.get(name);
    if (group === undefined) {
      return undefined;
    }
    const known = this.#finished.get(group);
    if (known !== undefined) {
      return known;
    }
    const { members, requested, resource, fixed } = group;
    const merged = mergeSpecs(resource, requested);
    const finished = { members, fixed, spec: "spec" in merged ? merged.spec : resource };
    this.#finished.set(group, finished);
    return finished;
  }

  joinClasses(node: GraphNode): void {
    for (const name of colocatedNodes(node.attrs)) {
      const other = this.#groupOf(name);
      const own = this.#groupOf(node.name);
      if (other === undefined || own === undefined || other === own) {
        // A name that the graph does not have is ignored, as in TensorFlow.
        continue;
      }
      const { softPlacement } = this.#input;
      const merged = mergeSpecs(own.requested, other.requested, softPlacement);
      if ("spec" in merged) {
        this.#join(own, other, merged.spec, this.#mergeResources(own, other, name, node.name));
      } else if (!softPlacement) {
        throw invalidArgument(
          `Cannot colocate nodes {{colocation_node ${node.name}}} and {{colocation_node ${name}}}: ${merged.conflict}` +
            `\n\t [[{{node ${node.name}}}]]`,
        );
      }
    }
  }

  joinResources(node: GraphNode): void {
    const args = node.kernelNode.inputs;
    if (!hasResource(args)) {
      return;
    }
    for (const [index, input] of node.inputs.entries()) {
      const arg = args[index];
      if (arg === undefined || !(arg.isRef || arg.dtype === DataType.DT_RESOURCE)) {
        continue;
      }
      const source = this.#groupOf(input.node);
      const own = this.#groupOf(node.name);
      if (source !== undefined && own !== undefined && source !== own) {
        const resource = this.#mergeResources(source, own, input.node, node.name);
        const merged = mergeSpecs(source.requested, own.requested);
        this.#join(source, own, "spec" in merged ? merged.spec : source.requested, resource);
      }
      if (callsFunction(node)) {
        // A function may use variables of several tasks; it runs on the task of the first one.
        return;
      }
    }
  }

  #mergeResources(one: GrowingGroup, other: GrowingGroup, source: string, target: string): DeviceParts {
    const merged = mergeSpecs(one.resource, other.resource, this.#input.softPlacement);
    if ("spec" in merged) {
      return merged.spec;
    }
    throw invalidArgument(
      "Cannot place the graph because a reference or resource edge connects colocation groups with incompatible " +
        `resource devices: ${formatDeviceName(one.resource)} vs ${formatDeviceName(other.resource)}. The edge src node ` +
        `is ${source} , and the dst node is ${target}`,
    );
  }

  #join(one: GrowingGroup, other: GrowingGroup, requested: DeviceParts, resource: DeviceParts): void {
    const [large, small] = one.names.length >= other.names.length ? [one, other] : [other, one];
    for (const member of small.members) {
      large.members.push(member);
    }
    for (const name of small.names) {
      large.names.push(name);
      this.#byNode.set(name, large);
    }
    large.requested = requested;
    large.resource = resource;
    large.fixed ??= small.fixed;
  }

  /** The group of a node; a node that is already placed stands for its device. */
  #groupOf(name: string): GrowingGroup | undefined {
    const known = this.#byNode.get(name);
    if (known !== undefined) {
      return known;
    }
    const fixed = this.#input.placed.get(name);
    if (fixed === undefined) {
      const node = this.#input.graph.get(name);
      return node && this.#addAlone(node);
    }
    const spec = parseDeviceName(fixed);
    const group: GrowingGroup = { members: [], names: [name], requested: spec, resource: spec, fixed };
    this.#byNode.set(name, group);
    return group;
  }

  #addAlone(node: GraphNode): GrowingGroup {
    const asked = this.specOf(node);
    const makesResource = hasResource(node.outputs) && !hasResource(node.kernelNode.inputs);
    const group = {
      members: [node],
      names: [node.name],
      requested: asked,
      resource: makesResource ? asked : {},
      fixed: undefined,
    };
    this.#byNode.set(node.name, group);
    return group;
  }

  specOf(node: GraphNode): DeviceParts {
    const text = node.requestedDevice;
    const known = this.#specs.get(text);
    if (known !== undefined) {
      return known;
    }
    try {
      const spec = parseDeviceName(text);
      this.#specs.set(text, spec);
      return spec;
    } catch (cause) {
      throw invalidArgument(
        `Malformed device specification '${text}' in node: {{node ${node.name}}}\n\t [[${node.name}]]`,
        { cause },
      );
    }
  }
}

/** By signature, which nodes share. */
const resourceArgs = new WeakMap<GraphNode["outputs"], boolean>();

function hasResource(args: GraphNode["outputs"]): boolean {
  const known =
    resourceArgs.get(args) ?? args.some(({ isRef, dtype }) => isRef || dtype === DataType.DT_RESOURCE);
  resourceArgs.set(args, known);
  return known;
}

/** Whether a node runs the body of a function: a call, If, While, Case. */
function callsFunction(node: GraphNode): boolean {
  return [...node.attrs.values()].some(
    ({ value }) => value?.$case === "func" || (value?.$case === "list" && value.value.func.length > 0),
  );
}
