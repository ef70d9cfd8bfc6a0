import type { KernelTypes } from "./kernel.js";
import type { KernelNode } from "./kernel-node.js";
import { anyType } from "./support/dtypes.js";

/**
 * Whether the dtypes of a node are among the accepted ones. `anyType` accepts even invalid ones, which are reported for
 * the whole graph.
 */
export function typesFit(types: KernelTypes, node: KernelNode): boolean {
  for (const attr in types) {
    const allowed = types[attr];
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

/** Whether some dtypes fit both. A list attribute may be empty or mix dtypes of both, so it excludes nothing. */
export function typesOverlap(types: KernelTypes, others: KernelTypes): boolean {
  return Object.entries(types).every(([attr, allowed]) => {
    const wanted = others[attr];
    return wanted === undefined || allowed.some((type) => wanted.includes(type));
  });
}
