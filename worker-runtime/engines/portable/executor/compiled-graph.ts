import type { FunctionDefLibrary } from "../../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import type { OpDef } from "../../../../protos/generated/tensorflow/op_def.js";
import { formatDeviceName, mergeDevice, parseDeviceName } from "../../../cluster/device-name.js";
import { type SignatureArg, typesFit } from "../../../graph/node-signature.js";
import type { OpRegistry } from "../../../graph/op-registry.js";
import { roleOf } from "../../../graph/structural-ops.js";
import { dtypeOf } from "../../../protocol/dtype.js";
import { invalidArgument } from "../../../protocol/status.js";
import type { KernelDefinition } from "../kernels/kernel.js";
import { KernelNode } from "../kernels/kernel-node.js";
import type { OpFacts } from "../kernels/op-facts.js";
import type { KernelRegistry } from "../kernels/registry.js";
import { cppTypeName } from "../kernels/support/dtypes.js";
import { eachOf, mapped, NODES_PER_PAUSE, type PausingWork, withoutPauses } from "../pauses.js";
import type { RegionFormer } from "../regions/contraction.js";
import { formRegions } from "../regions/form-regions.js";
import { type BoundNode, boundaryWork, callWork, kernelWork } from "./bind-kernel.js";
import { addMissingOfFunctions } from "./check-functions.js";
import type { CompiledGraph } from "./compiled-node.js";
import {
  type GraphLinks,
  graphLinks,
  isInOrder,
  linkNodes,
  linksOfNodes,
  sourcesOf,
  topologicalNumbers,
} from "./graph-links.js";
import { MissingKernels } from "./missing-kernels.js";
import { findFrames } from "./static-frames.js";
import { wireGraph } from "./wire-graph.js";

export type { CompiledGraph } from "./compiled-node.js";

export interface CompileOptions {
  /** The ops of TensorFlow and the functions of `library`. */
  readonly ops: OpRegistry;
  readonly kernels: KernelRegistry;
  /** The full name of the device of nodes that name none; also completes names that are not full. */
  readonly defaultDevice: string;
  readonly library?: FunctionDefLibrary | undefined;
  /** For the body of a function: what distinguishes it from others (`KernelNode.scope`). */
  readonly scope?: string;
  /** Nodes are grouped in regions; not unless given. */
  readonly regions?: RegionFormer | undefined;
}

/** As `compilingGraph`, in one piece: for the bodies of functions. */
export function compileGraph(nodes: readonly NodeDef[], options: CompileOptions): CompiledGraph {
  return withoutPauses(compilingGraph(nodes, options));
}

/**
 * Prepares the nodes of a partition, or of a function's body, for any number of runs.
 * @throws TensorFlowError UNIMPLEMENTED naming every node without a kernel at once; INVALID_ARGUMENT for an invalid
 *   graph: names used twice, inputs that do not exist, mismatched dtypes, cycles, frames that do not nest.
 */
export function* compilingGraph(
  nodes: readonly NodeDef[],
  options: CompileOptions,
): PausingWork<CompiledGraph> {
  const links = yield* linkNodes(nodes);
  // Regions are formed along the order in which nodes become ready, not along the one in which they are listed.
  const order =
    options.regions === undefined && isInOrder(links)
      ? Int32Array.from(nodes.keys())
      : yield* topologicalNumbers(nodes, links);
  const bound = yield* bindNodes(nodes, options);
  yield* checkEdges(bound, links);
  const roles = yield* mapped(nodes, ({ op }) => roleOf(op));
  const framed = yield* findFrames(
    yield* mapped(bound, ({ node }) => node),
    roles,
    (index) => sourcesOf(links, index),
    order,
  );
  if (options.regions === undefined) {
    return yield* wireGraph({ bound, roles, framed }, links);
  }
  const withRegions = yield* formRegions(
    { bound, roles, links: yield* linksOfNodes(links), framed },
    [...order],
    options.regions,
  );
  return yield* wireGraph(withRegions, graphLinks(withRegions.links));
}

function* bindNodes(nodes: readonly NodeDef[], options: CompileOptions): PausingWork<readonly BoundNode[]> {
  const functions = new Set(options.library?.function.map(({ signature }) => signature?.name));
  const placements = new Placements(options.defaultDevice);
  const missing = new MissingKernels();
  const bound: BoundNode[] = [];
  const byAttrs = new Map<NodeDef["attr"], ChosenKernel>();
  const bind = (def: NodeDef) => {
    const opDef = options.ops.get(def.op);
    if (opDef === undefined) {
      missing.addUnknownOp(def.op, def.name);
      return;
    }
    const { name: device, type: deviceType, onHost } = placements.of(def.device);
    const chosen = byAttrs.get(def.attr);
    const isLike = chosen?.node.opDef === opDef;
    const node = nodeOn(def, device, opDef, options.scope, isLike ? chosen.node : undefined);
    if (isLike && chosen.askedType === deviceType) {
      const { definition, facts } = chosen;
      bound.push({ node, deviceType: chosen.deviceType, facts, work: kernelWork(definition, node) });
      return;
    }
    const facts = options.kernels.facts(def.op);
    const boundary = boundaryWork(node);
    if (boundary !== undefined) {
      bound.push({ node, deviceType, facts, work: boundary });
      return;
    }
    const definition = options.kernels.find(node, deviceType);
    if (definition !== undefined) {
      // On a GPU that may be the kernel of the CPU, which compute threads look up anew.
      const { deviceType: kernelDevice = "CPU" } = definition;
      byAttrs.set(def.attr, { node, askedType: deviceType, definition, deviceType: kernelDevice, facts });
      bound.push({ node, deviceType: kernelDevice, facts, work: kernelWork(definition, node) });
      return;
    }
    if (functions.has(def.op)) {
      bound.push({ node, deviceType, facts, work: callWork(node) });
      return;
    }
    // The body of a function that is called on a GPU: what has no kernel there is on the CPU, as in TensorFlow.
    const moved = onHost === undefined ? undefined : nodeOn(def, onHost, opDef, options.scope);
    const onCpu = moved && options.kernels.find(moved, "CPU");
    if (moved !== undefined && onCpu !== undefined) {
      bound.push({ node: moved, deviceType: "CPU", facts, work: kernelWork(onCpu, moved) });
    } else {
      missing.add(node, deviceType, options.kernels);
    }
  };
  yield* eachOf(nodes, bind, NODES_PER_PAUSE);
  // A body was checked together with the graph that calls it.
  if (options.library !== undefined && functions.size > 0 && options.scope === undefined) {
    const { library, ops, kernels } = options;
    const deviceType = placements.of("").type;
    addMissingOfFunctions(nodes, { library, ops, kernels, deviceType }, missing);
  }
  if (!missing.isEmpty) {
    throw missing.error();
  }
  return bound;
}

/** The kernel of nodes with equal attributes, by which kernels are chosen. */
interface ChosenKernel {
  /** One of these nodes. */
  readonly node: KernelNode;
  /** The type of device for which it was looked for. */
  readonly askedType: string;
  readonly definition: KernelDefinition;
  readonly deviceType: string;
  readonly facts: OpFacts;
}

/** @param like a node with the same op and attributes, if there is one. */
function nodeOn(
  def: NodeDef,
  device: string,
  opDef: OpDef,
  scope: string | undefined,
  like?: KernelNode | undefined,
): KernelNode {
  return new KernelNode(def.device === device ? def : { ...def, device }, opDef, scope, like);
}

interface Placed {
  /** The full name of a device. */
  readonly name: string;
  readonly type: string;
  /** The CPU that will do as well, where the node did not ask for this type; undefined for a CPU. */
  readonly onHost: string | undefined;
}

/** Completes device names; a graph has few different ones. */
class Placements {
  readonly #default: string;
  readonly #known = new Map<string, Placed>();

  constructor(defaultDevice: string) {
    this.#default = defaultDevice;
  }

  of(device: string): Placed {
    const known = this.#known.get(device);
    if (known !== undefined) {
      return known;
    }
    const name = device === "" ? this.#default : mergeDevice(this.#default, device);
    const { type = "CPU", ...parts } = parseDeviceName(name);
    const isOpen = type !== "CPU" && parseDeviceName(device).type === undefined;
    const onHost = isOpen ? formatDeviceName({ ...parts, type: "CPU", index: 0 }) : undefined;
    const placement = { name, type, onHost };
    this.#known.set(device, placement);
    return placement;
  }
}

function* checkEdges(bound: readonly BoundNode[], links: GraphLinks): PausingWork<undefined> {
  const { first, dataCount, source, output } = links;
  const known = new Set<readonly SignatureArg[]>();
  const check = ({ node }: BoundNode, index: number) => {
    const count = dataCount[index] ?? 0;
    if (count !== node.inputs.length) {
      throw invalidArgument(
        `NodeDef expected inputs '${node.inputs.map(typeText).join(", ")}' do not match ${count} inputs specified; ` +
          `Op<name=${node.op}>; NodeDef: {{node ${node.name}}}`,
      );
    }
    for (let position = 0; position < count; position += 1) {
      const input = (first[index] ?? 0) + position;
      checkEdge(node, position, bound[source[input] ?? 0]?.node, output[input] ?? 0);
    }
    checkDtypes(node, node.inputs, known);
    checkDtypes(node, node.outputs, known);
  };
  return yield* eachOf(bound, check, NODES_PER_PAUSE);
}

function checkEdge(node: KernelNode, position: number, from: KernelNode | undefined, output: number): void {
  const out = from?.outputs[output];
  const into = node.inputs[position];
  if (from === undefined || out === undefined || into === undefined) {
    throw invalidArgument(
      `Node '${node.name}': Connecting to invalid output ${output} of source node ${from?.name} which has ` +
        `${from?.outputs.length} outputs.`,
    );
  }
  if (!typesFit(out, into)) {
    throw invalidArgument(
      `Input ${position} of node ${node.name} was passed ${typeText(out)} from ${from.name}:${output} incompatible with ` +
        `expected ${typeText(into)}.`,
    );
  }
}

/**
 * A missing or unknown dtype is reported now, with the graph, not in the middle of a step.
 * @param known arguments without one, which nodes of equal types share.
 */
function checkDtypes(
  node: KernelNode,
  args: readonly SignatureArg[],
  known: Set<readonly SignatureArg[]>,
): void {
  if (known.has(args)) {
    return;
  }
  for (const { name, dtype } of args) {
    if (dtype === undefined) {
      throw invalidArgument(
        `NodeDef has no dtype for '${name}'; Op<name=${node.op}>; NodeDef: {{node ${node.name}}}`,
      );
    }
    dtypeOf(dtype);
  }
  known.add(args);
}

function typeText({ dtype, isRef }: SignatureArg): string {
  return dtype === undefined ? "?" : `${cppTypeName(dtypeOf(dtype))}${isRef ? "_ref" : ""}`;
}
