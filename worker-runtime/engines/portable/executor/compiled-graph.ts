import type { FunctionDefLibrary } from "../../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import { mergeDevice, parseDeviceName } from "../../../cluster/device-name.js";
import { type SignatureArg, typesFit } from "../../../graph/node-signature.js";
import type { OpRegistry } from "../../../graph/op-registry.js";
import { roleOf } from "../../../graph/structural-ops.js";
import { dtypeOf } from "../../../protocol/dtype.js";
import { invalidArgument } from "../../../protocol/status.js";
import { KernelNode } from "../kernels/kernel-node.js";
import type { KernelRegistry } from "../kernels/registry.js";
import { cppTypeName } from "../kernels/support/dtypes.js";
import { eachOf, mapped, NODES_PER_PAUSE, type PausingWork, withoutPauses } from "../pauses.js";
import { type BoundNode, boundaryWork, callWork, kernelWork } from "./bind-kernel.js";
import { addMissingOfFunctions } from "./check-functions.js";
import type { CompiledGraph } from "./compiled-node.js";
import { linkNodes, type NodeLinks, sourcesOf, topologicalNumbers } from "./graph-links.js";
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
  /** For the body of a function: what tells it from others (`KernelNode.scope`). */
  readonly scope?: string;
}

/** As `compilingGraph`, in one piece: for the bodies of functions. */
export function compileGraph(nodes: readonly NodeDef[], options: CompileOptions): CompiledGraph {
  return withoutPauses(compilingGraph(nodes, options));
}

/**
 * Prepares the nodes of a partition, or of a function's body, for any number of runs.
 * @throws TensorFlowError UNIMPLEMENTED naming every node without a kernel at once; INVALID_ARGUMENT for a graph that is
 *   not sound: names used twice, inputs that do not exist, dtypes that do not fit, cycles, frames that do not nest.
 */
export function* compilingGraph(
  nodes: readonly NodeDef[],
  options: CompileOptions,
): PausingWork<CompiledGraph> {
  const links = yield* linkNodes(nodes);
  const order = yield* topologicalNumbers(nodes, links);
  const bound = yield* bindNodes(nodes, options);
  yield* checkEdges(bound, links);
  const roles = yield* mapped(nodes, ({ op }) => roleOf(op));
  const framed = yield* findFrames(
    yield* mapped(bound, ({ node }) => node),
    roles,
    yield* mapped(links, sourcesOf, NODES_PER_PAUSE),
    order,
  );
  return yield* wireGraph(bound, roles, links, framed);
}

function* bindNodes(nodes: readonly NodeDef[], options: CompileOptions): PausingWork<readonly BoundNode[]> {
  const functions = new Set(options.library?.function.map(({ signature }) => signature?.name));
  const placements = new Placements(options.defaultDevice);
  const missing = new MissingKernels();
  const bound: BoundNode[] = [];
  const bind = (def: NodeDef) => {
    const opDef = options.ops.get(def.op);
    if (opDef === undefined) {
      missing.addUnknownOp(def.op, def.name);
      return;
    }
    const { name: device, type: deviceType } = placements.of(def.device);
    const node = new KernelNode(def.device === device ? def : { ...def, device }, opDef, options.scope);
    const mayLeaveDead = options.kernels.facts(def.op).leavesDead ?? false;
    const boundary = boundaryWork(node);
    if (boundary !== undefined) {
      bound.push({ node, deviceType, mayLeaveDead, work: boundary });
      return;
    }
    const definition = options.kernels.find(node, deviceType);
    if (definition !== undefined) {
      bound.push({ node, deviceType, mayLeaveDead, work: kernelWork(definition, node) });
    } else if (functions.has(def.op)) {
      bound.push({ node, deviceType, mayLeaveDead, work: callWork(node) });
    } else {
      missing.add(node, deviceType, options.kernels);
    }
  };
  yield* eachOf(nodes, bind, NODES_PER_PAUSE);
  // A body was looked through with the graph that calls it.
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

/** Completes device names; a graph has few different ones. */
class Placements {
  readonly #default: string;
  readonly #known = new Map<string, { readonly name: string; readonly type: string }>();

  constructor(defaultDevice: string) {
    this.#default = defaultDevice;
  }

  of(device: string) {
    const known = this.#known.get(device);
    if (known !== undefined) {
      return known;
    }
    const name = device === "" ? this.#default : mergeDevice(this.#default, device);
    const placement = { name, type: parseDeviceName(name).type ?? "CPU" };
    this.#known.set(device, placement);
    return placement;
  }
}

function* checkEdges(bound: readonly BoundNode[], links: readonly NodeLinks[]): PausingWork<undefined> {
  const check = ({ node }: BoundNode, index: number) => {
    const data = links[index]?.data ?? [];
    if (data.length !== node.inputs.length) {
      throw invalidArgument(
        `NodeDef expected inputs '${node.inputs.map(typeText).join(", ")}' do not match ${data.length} inputs specified; ` +
          `Op<name=${node.op}>; NodeDef: {{node ${node.name}}}`,
      );
    }
    for (const [place, { source, output }] of data.entries()) {
      const from = bound[source]?.node;
      const out = from?.outputs[output];
      const into = node.inputs[place];
      if (from === undefined || out === undefined || into === undefined) {
        throw invalidArgument(
          `Node '${node.name}': Connecting to invalid output ${output} of source node ${from?.name} which has ` +
            `${from?.outputs.length} outputs.`,
        );
      }
      if (!typesFit(out, into)) {
        throw invalidArgument(
          `Input ${place} of node ${node.name} was passed ${typeText(out)} from ${from.name}:${output} incompatible with ` +
            `expected ${typeText(into)}.`,
        );
      }
    }
    for (const { name, dtype } of [...node.inputs, ...node.outputs]) {
      // A dtype that is not given or does not exist is said now, with the graph, not in the middle of a step.
      if (dtype === undefined) {
        throw invalidArgument(
          `NodeDef has no dtype for '${name}'; Op<name=${node.op}>; NodeDef: {{node ${node.name}}}`,
        );
      }
      dtypeOf(dtype);
    }
  };
  return yield* eachOf(bound, check, NODES_PER_PAUSE);
}

function typeText({ dtype, isRef }: SignatureArg): string {
  return dtype === undefined ? "?" : `${cppTypeName(dtypeOf(dtype))}${isRef ? "_ref" : ""}`;
}
