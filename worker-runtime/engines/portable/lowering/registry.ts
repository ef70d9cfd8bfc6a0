import { internalError } from "../../../protocol/status.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import { typesFit, typesOverlap } from "../kernels/type-constraints.js";
import type { Lowering } from "./lowering.js";

/** Selects the nodes of a lowering. */
type LoweringSelector = Pick<Lowering, "op" | "types" | "fits">;

/** The lowerings of one kind by op. An op may have several, for disjoint dtypes. */
export class LoweringRegistry<L extends LoweringSelector = Lowering> {
  readonly #byOp = new Map<string, L[]>();

  /** @throws TensorFlowError INTERNAL if the dtypes of two lowerings of an op overlap. */
  add(...lowerings: readonly L[]): this {
    for (const lowering of lowerings) {
      const list = this.#byOp.get(lowering.op) ?? [];
      if (list.some((other) => typesOverlap(other.types, lowering.types))) {
        throw internalError(`Two lowerings of ${lowering.op} take the same dtypes.`);
      }
      list.push(lowering);
      this.#byOp.set(lowering.op, list);
    }
    return this;
  }

  /** The ops that have a lowering, sorted. */
  ops(): readonly string[] {
    return [...this.#byOp.keys()].sort();
  }

  /** All lowerings of an op. */
  of(op: string): readonly L[] {
    return this.#byOp.get(op) ?? [];
  }

  /** The lowering for a node; undefined if there is none for its op, its dtypes or its attributes. */
  find(node: KernelNode): L | undefined {
    return this.of(node.op).find(
      (lowering) => typesFit(lowering.types, node) && (lowering.fits?.(node) ?? true),
    );
  }
}
