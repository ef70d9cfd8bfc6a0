import type { Tensor } from "../../../protocol/tensor.js";
import type { ExecutableNode } from "../executor/compiled-node.js";
import type { Lowering, UpdateLowering } from "../lowering/lowering.js";

/**
 * A node of a region. The values in a region are held in numbered slots: first the region's inputs, then each member's
 * outputs, followed by a slot that only indicates that the member has run.
 */
export interface RegionMember {
  readonly node: ExecutableNode;
  /** The slots of its data inputs. */
  readonly inputs: readonly number[];
  /** The slots of its control inputs. */
  readonly waits: readonly number[];
  readonly outputs: readonly number[];
  /** The slot that is set once the node has run, and stays empty if it is dead. */
  readonly done: number;
  /** undefined for an update, for a constant, and for a NoOp, which has no outputs. */
  readonly lowering: Lowering | undefined;
  /**
   * Set if it changes variables. They are inputs of the region, as handles or references, and no other member waits for
   * it.
   */
  readonly update: UpdateLowering | undefined;
  readonly constant: Tensor | undefined;
}

/** A constant that is no node of the graph any more. */
export interface AbsorbedConstant {
  readonly node: ExecutableNode;
  readonly value: Tensor;
}

/** A region of a registered graph. Immutable. */
export interface RegionOutline {
  /** The number of its inputs, which occupy the first slots. */
  readonly inputCount: number;
  readonly slotCount: number;
  /** Each after those whose outputs it uses. */
  readonly members: readonly RegionMember[];
  /** The slots of its outputs. */
  readonly outputs: readonly number[];
  /** The slots of variables of which kernels use single rows, on the host. */
  readonly usedByRows: ReadonlySet<number>;
  /** The slots and values of constants outside of the region. Those that wait for something, and may be dead, are inputs. */
  readonly constants: ReadonlyMap<number, Tensor>;
  /** Those of them that only regions use, so that no graph runs them: step statistics name them with this region. */
  readonly absorbed: readonly AbsorbedConstant[];
}

/**
 * The members whose outputs outside the region are the memory of reference variables, which an Identity passes on as it
 * is: a session would copy it.
 */
export function lendingMembers({ members, outputs }: RegionOutline): readonly RegionMember[] {
  return members.filter(
    ({ node, outputs: made }) =>
      node.facts.passesHandle === true &&
      node.referencesToRead.includes(0) &&
      made.some((slot) => outputs.includes(slot)),
  );
}
