import type { DType } from "../../../protocol/dtype.js";
import type { KernelRegistry } from "../kernels/registry.js";

/** The nodes that a kernel supports, without the kernel itself. */
export interface CatalogueEntry {
  readonly op: string;
  /** "CPU" */
  readonly deviceType: string;
  /** dtypes by type attribute; an attribute that is not named may be any. */
  readonly types: Readonly<Record<string, readonly DType[]>>;
}

/**
 * The entries of a registry, equal ones once. Conditions that only code can check (`KernelSelector.fits`) are not
 * included: a node without an entry certainly has no kernel, a node with one very probably has.
 */
export function catalogueOf(registry: KernelRegistry): readonly CatalogueEntry[] {
  const entries = new Map<string, CatalogueEntry>();
  for (const op of registry.ops()) {
    for (const { deviceType = "CPU", types = {} } of registry.of(op)) {
      const entry = { op, deviceType, types };
      entries.set(JSON.stringify(entry), entry);
    }
  }
  return [...entries.values()];
}
