import type { DType } from "../../../protocol/dtype.js";
import { internalError } from "../../../protocol/status.js";
import type { KernelDefinition } from "./kernel.js";
import type { KernelNode } from "./kernel-node.js";
import type { OpFacts, OpFactsSource } from "./op-facts.js";
import { isRegisteredForCpu } from "./registered-types.js";
import { anyType } from "./support/dtypes.js";
import { typesFit, typesOverlap } from "./type-constraints.js";

const NO_FACTS: OpFacts = {};

/**
 * Why a node has no kernel: the op has none at all, or none for the node's dtypes or device. "refused" means dtypes for
 * which TensorFlow has no CPU kernel either.
 */
export type MissingKernel =
  | { readonly reason: "op" }
  | { readonly reason: "refused"; readonly types: Readonly<Record<string, DType>> }
  | { readonly reason: "types"; readonly types: Readonly<Record<string, DType>> }
  | { readonly reason: "device"; readonly deviceTypes: readonly string[] };

/** Which nodes may run on a GPU: they use CPU kernels, or regions of the graph replace them. */
export interface GpuSupport {
  has(node: KernelNode): boolean;
}

/**
 * The kernels of this engine by op, device type and dtype, and what is known of their ops. The kernel of a node never
 * depends on the order in which kernels were added.
 */
export class KernelRegistry implements OpFactsSource {
  readonly #byOp = new Map<string, KernelDefinition[]>();
  readonly #gpu: GpuSupport | undefined;

  /** @param gpu which nodes run on GPUs; unless given, only those with kernels that are registered for GPUs. */
  constructor(gpu?: GpuSupport) {
    this.#gpu = gpu;
  }

  /**
   * Adds kernels; an op may have several, for different devices, dtypes or priorities.
   * @throws TensorFlowError INTERNAL for two kernels that fit a node equally well, or that give different facts of
   *   their op.
   */
  add(...definitions: readonly KernelDefinition[]): this {
    for (const definition of definitions) {
      const list = this.#byOp.get(definition.op);
      if (list === undefined) {
        this.#byOp.set(definition.op, [definition]);
      } else {
        for (const other of list) {
          checkTogether(other, definition);
        }
        list.push(definition);
      }
    }
    return this;
  }

  /** The ops that have a kernel, sorted. */
  ops(): readonly string[] {
    return [...this.#byOp.keys()].sort();
  }

  facts(op: string): OpFacts {
    return this.#byOp.get(op)?.[0]?.facts ?? NO_FACTS;
  }

  /** All kernels of an op. */
  of(op: string): readonly KernelDefinition[] {
    return this.#byOp.get(op) ?? [];
  }

  /** The kernel for a node on a device of this type; undefined if there is none: `explain` returns the reason. */
  find(node: KernelNode, deviceType: string): KernelDefinition | undefined {
    if (deviceType === "CPU" && !isRegisteredForCpu(node)) {
      return undefined;
    }
    let best: KernelDefinition | undefined;
    for (const definition of this.of(node.op)) {
      if (
        deviceTypeOf(definition) === deviceType &&
        typesFit(definition.types, node) &&
        (definition.fits?.(node) ?? true) &&
        (best === undefined || priorityOf(definition) > priorityOf(best))
      ) {
        best = definition;
      }
    }
    if (best === undefined && deviceType === "GPU" && this.#gpu?.has(node)) {
      return this.find(node, "CPU");
    }
    return best;
  }

  /** Why `find` returned undefined. */
  explain(node: KernelNode, deviceType: string): MissingKernel {
    const definitions = this.of(node.op);
    if (definitions.length === 0) {
      return { reason: "op" };
    }
    const deviceTypes = [...new Set(definitions.map(deviceTypeOf))];
    if (!deviceTypes.includes(deviceType)) {
      return { reason: "device", deviceTypes };
    }
    const types: Record<string, DType> = {};
    for (const attr of node.opDef.attr) {
      if (attr.type === "type" && node.has(attr.name)) {
        types[attr.name] = node.type(attr.name);
      }
    }
    return { reason: deviceType === "CPU" && !isRegisteredForCpu(node) ? "refused" : "types", types };
  }
}

function deviceTypeOf({ deviceType = "CPU" }: KernelDefinition): string {
  return deviceType;
}

function priorityOf({ priority = 0 }: KernelDefinition): number {
  return priority;
}

/** @throws TensorFlowError INTERNAL if the two kernels cannot both be registered. */
function checkTogether(one: KernelDefinition, other: KernelDefinition): void {
  if (
    deviceTypeOf(one) === deviceTypeOf(other) &&
    priorityOf(one) === priorityOf(other) &&
    typesOverlap(one.types, other.types)
  ) {
    throw internalError(
      `Two kernels of ${one.op} fit the same nodes equally: ${describe(one)} and ${describe(other)}. ` +
        "Let their dtypes exclude each other, or give them different priorities.",
    );
  }
  if (!sameFacts(one.facts, other.facts)) {
    throw internalError(
      `Two kernels of ${one.op} say different things of it: ${describe(one)} and ${describe(other)} must have the same facts.`,
    );
  }
}

function sameFacts(one: OpFacts = NO_FACTS, other: OpFacts = NO_FACTS): boolean {
  const [facts, others] = [Object.entries(one), new Map(Object.entries(other))];
  return facts.length === others.size && facts.every(([name, value]) => others.get(name) === value);
}

/** "the pure kernel for CPU with T in [float32, float64], priority 0". */
function describe(definition: KernelDefinition): string {
  const { kind, types } = definition;
  const constraints = Object.entries(types).map(
    ([attr, allowed]) => `${attr} in [${allowed === anyType ? "any type" : allowed.join(", ")}]`,
  );
  const dtypes = constraints.length === 0 ? "any dtypes" : constraints.join(" and ");
  return `the ${kind} kernel for ${deviceTypeOf(definition)} with ${dtypes}, priority ${priorityOf(definition)}`;
}
