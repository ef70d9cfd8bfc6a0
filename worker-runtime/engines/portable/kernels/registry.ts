import type { DType } from "../../../protocol/dtype.js";
import { internalError } from "../../../protocol/status.js";
import type { KernelDefinition } from "./kernel.js";
import type { KernelNode } from "./kernel-node.js";
import type { OpFacts, OpFactsSource } from "./op-facts.js";
import { isRegisteredForCpu } from "./registered-types.js";
import { anyType } from "./support/dtypes.js";

const NO_FACTS: OpFacts = {};

/**
 * Why a node has no kernel: the op has none, or not for the node's dtypes or on its device. "refused" are dtypes for which
 * TensorFlow has none on the CPU either.
 */
export type MissingKernel =
  | { readonly reason: "op" }
  | { readonly reason: "refused"; readonly types: Readonly<Record<string, DType>> }
  | { readonly reason: "types"; readonly types: Readonly<Record<string, DType>> }
  | { readonly reason: "device"; readonly deviceTypes: readonly string[] };

/**
 * The kernels of this engine by op, device type and dtype, and what is known of their ops. It is strict: which kernel a node
 * gets never depends on the order in which kernels were added.
 */
export class KernelRegistry implements OpFactsSource {
  readonly #byOp = new Map<string, KernelDefinition[]>();

  /**
   * Adds kernels; an op may have any number, for other devices or dtypes or with another priority.
   * @throws TensorFlowError INTERNAL for two kernels that fit a node equally well, and for two that say different things of
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

  /** The kernel for a node on a device of this type; undefined where there is none: `explain` says why. */
  find(node: KernelNode, deviceType: string): KernelDefinition | undefined {
    if (deviceType === "CPU" && !isRegisteredForCpu(node)) {
      return undefined;
    }
    let best: KernelDefinition | undefined;
    for (const definition of this.of(node.op)) {
      if (
        deviceTypeOf(definition) === deviceType &&
        typesFit(definition, node) &&
        (definition.fits?.(node) ?? true) &&
        (best === undefined || priorityOf(definition) > priorityOf(best))
      ) {
        best = definition;
      }
    }
    return best;
  }

  /** Why `find` has nothing. */
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

function typesFit({ types }: KernelDefinition, node: KernelNode): boolean {
  for (const attr in types) {
    const allowed = types[attr];
    // Any type fits, also one that does not exist: that is said with the whole graph.
    if (
      allowed !== undefined &&
      allowed !== anyType &&
      !node.typesIn(attr).every((type) => allowed.includes(type))
    ) {
      return false;
    }
  }
  return true;
}

/** @throws TensorFlowError INTERNAL where two kernels cannot both be registered. */
function checkTogether(one: KernelDefinition, other: KernelDefinition): void {
  if (
    deviceTypeOf(one) === deviceTypeOf(other) &&
    priorityOf(one) === priorityOf(other) &&
    typesOverlap(one, other)
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

/** Whether some dtypes fit both. A list may be empty, or have dtypes of both: it excludes nothing. */
function typesOverlap({ types }: KernelDefinition, { types: others }: KernelDefinition): boolean {
  return Object.entries(types).every(([attr, allowed]) => {
    const wanted = others[attr];
    return wanted === undefined || allowed.some((type) => wanted.includes(type));
  });
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
