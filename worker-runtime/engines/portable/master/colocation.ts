import { DataType } from "../../../../protos/generated/tensorflow/types.js";
import { type DeviceParts, formatDeviceName, parseDeviceName } from "../../../cluster/device-name.js";
import { invalidArgument } from "../../../protocol/status.js";
import { eachOf, NODES_PER_PAUSE, type PausingWork } from "../pauses.js";
import { mergeSpecs } from "./device-spec.js";
import type { GraphNode, NodeLookup } from "./graph-node.js";

const utf8 = new TextDecoder();
const COLOCATION_ATTR = "_class";
const COLOCATION_PREFIX = "loc:@";

/** Nodes that have to be on one device. */
export interface ColocationGroup {
  /** The members that are not placed yet, in the order in which they joined. */
  readonly members: readonly GraphNode[];
  /** What the members ask for. */
  readonly spec: DeviceParts;
  /** The device of the members that are placed already; undefined where there are none. */
  readonly fixed: string | undefined;
}

interface GrowingGroup {
  members: GraphNode[];
  /** All of its nodes, the ones that are placed already included. */
  names: string[];
  requested: DeviceParts;
  /** Where the variable (or other resource) of the group has to be: it wins over those that only use it. */
  resource: DeviceParts;
  fixed: string | undefined;
}

export interface ColocationInput {
  readonly added: readonly GraphNode[];
  readonly graph: NodeLookup;
  /** Devices of the nodes that are placed already. */
  readonly placed: ReadonlyMap<string, string>;
  readonly softPlacement: boolean;
}

/**
 * Groups nodes by what keeps them together: `_class` attributes ("loc:@other"), references and resource handles.
 * Sets are joined as in a union-find, the smaller into the larger.
 * @throws TensorFlowError INVALID_ARGUMENT where members ask for different devices: always for resources of their own,
 *   without soft placement for `_class`.
 */
export function* colocate(input: ColocationInput): PausingWork<ColocationGroup[]> {
  const groups = new Groups(input);
  yield* eachOf(input.added, (node) => groups.add(node), NODES_PER_PAUSE);
  yield* eachOf(input.added, (node) => groups.joinClasses(node), NODES_PER_PAUSE);
  yield* eachOf(input.added, (node) => groups.joinResources(node), NODES_PER_PAUSE);
  return yield* groups.finish();
}

class Groups {
  readonly #input: ColocationInput;
  readonly #byNode = new Map<string, GrowingGroup>();
  readonly #specs = new Map<string, DeviceParts>();

  constructor(input: ColocationInput) {
    this.#input = input;
  }

  /** A node by itself. All are added before any are joined. */
  add(node: GraphNode): void {
    const asked = this.#specOf(node);
    const makesResource = hasResource(node.outputs) && !hasResource(node.kernelNode.inputs);
    this.#byNode.set(node.name, {
      members: [node],
      names: [node.name],
      requested: asked,
      resource: makesResource ? asked : {},
      fixed: undefined,
    });
  }

  joinClasses(node: GraphNode): void {
    for (const name of colocationClasses(node)) {
      const other = this.#groupOf(name);
      const own = this.#groupOf(node.name);
      if (other === undefined || own === undefined || other === own) {
        // A name that the graph does not have is passed over, as in TensorFlow.
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
        // A function may use variables of several tasks; it runs where its first one is.
        return;
      }
    }
  }

  *finish(): PausingWork<ColocationGroup[]> {
    const groups = new Map<GrowingGroup, ColocationGroup>();
    const finishOne = (group: GrowingGroup) => {
      const { members, requested, resource, fixed } = group;
      if (members.length > 0 && !groups.has(group)) {
        const merged = mergeSpecs(resource, requested);
        groups.set(group, { members, fixed, spec: "spec" in merged ? merged.spec : resource });
      }
    };
    yield* eachOf(this.#byNode.values(), finishOne, NODES_PER_PAUSE);
    return [...groups.values()];
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

  /** The group of a node; one that is placed already stands for its device. */
  #groupOf(name: string): GrowingGroup | undefined {
    const known = this.#byNode.get(name);
    if (known !== undefined) {
      return known;
    }
    const fixed = this.#input.placed.get(name);
    if (fixed === undefined) {
      return undefined;
    }
    const spec = parseDeviceName(fixed);
    const group: GrowingGroup = { members: [], names: [name], requested: spec, resource: spec, fixed };
    this.#byNode.set(name, group);
    return group;
  }

  #specOf(node: GraphNode): DeviceParts {
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

function hasResource(args: GraphNode["outputs"]): boolean {
  return args.some(({ isRef, dtype }) => isRef || dtype === DataType.DT_RESOURCE);
}

/** Whether a node runs the body of a function: a call, If, While, Case. */
function callsFunction(node: GraphNode): boolean {
  return [...node.attrs.values()].some(
    ({ value }) => value?.$case === "func" || (value?.$case === "list" && value.value.func.length > 0),
  );
}

function colocationClasses(node: GraphNode): string[] {
  const value = node.attrs.get(COLOCATION_ATTR)?.value;
  return value?.$case === "list"
    ? value.value.s
        .map((text) => utf8.decode(text))
        .filter((text) => text.startsWith(COLOCATION_PREFIX))
        .map((text) => text.slice(COLOCATION_PREFIX.length))
    : [];
}
