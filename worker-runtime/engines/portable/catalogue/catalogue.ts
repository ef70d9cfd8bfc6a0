import type { DType } from "../../../protocol/dtype.js";
import type { KernelRegistry } from "../kernels/registry.js";

/** What a kernel says of the nodes that it is for, without the kernel itself. */
export interface CatalogueEntry {
  readonly op: string;
  /** "CPU" */
  readonly deviceType: string;
  /** dtypes by type attribute; an attribute that is not named may be any. */
  readonly types: Readonly<Record<string, readonly DType[]>>;
}

/**
 * The entries of a registry, equal ones once. Conditions that only code can tell (`KernelSelector.fits`) are not in them:
 * a node without an entry has no kernel for certain, a node with one most probably has.
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
