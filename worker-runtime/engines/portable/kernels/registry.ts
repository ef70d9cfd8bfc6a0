import type { DType } from "../../../protocol/dtype.js";
import type { KernelDefinition } from "./kernel.js";
import type { KernelNode } from "./kernel-node.js";
import { isRegisteredForCpu } from "./registered-types.js";

/**
 * Why a node has no kernel: nobody has the op, or not for the node's dtypes or on its device. "refused" are dtypes for which
 * TensorFlow has none on the CPU either.
 */
export type MissingKernel =
  | { readonly reason: "op" }
  | { readonly reason: "refused"; readonly types: Readonly<Record<string, DType>> }
  | { readonly reason: "types"; readonly types: Readonly<Record<string, DType>> }
  | { readonly reason: "device"; readonly deviceTypes: readonly string[] };

/** The kernels of this engine by op, device type and dtype. Whoever brings a device adds its kernels here. */
export class KernelRegistry {
  readonly #byOp = new Map<string, KernelDefinition[]>();

  /** Adds kernels; an op may have any number. */
  add(...definitions: readonly KernelDefinition[]): this {
    for (const definition of definitions) {
      const list = this.#byOp.get(definition.op);
      if (list === undefined) {
        this.#byOp.set(definition.op, [definition]);
      } else {
        list.push(definition);
      }
    }
    return this;
  }

  /** The ops that have a kernel, sorted. */
  ops(): readonly string[] {
    return [...this.#byOp.keys()].sort();
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
        (definition.deviceType ?? "CPU") === deviceType &&
        typesFit(definition, node) &&
        (definition.fits?.(node) ?? true) &&
        (best === undefined || (definition.priority ?? 0) > (best.priority ?? 0))
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
    const deviceTypes = [...new Set(definitions.map((definition) => definition.deviceType ?? "CPU"))];
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

function typesFit({ types }: KernelDefinition, node: KernelNode): boolean {
  return (
    types === undefined ||
    Object.entries(types).every(([attr, allowed]) => !node.has(attr) || allowed.includes(node.type(attr)))
  );
}
