import type { FunctionDefLibrary } from "../../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import type { KernelRegistry } from "./registry.js";

/**
 * Loads what the kernels of a graph and of its functions need into this thread. Must be awaited before the graph runs,
 * preferably when it is registered; cheap if there is nothing to do.
 * @param nodes the graph's nodes, which need not be placed yet.
 */
export async function prepareKernels(
  nodes: Iterable<NodeDef>,
  library: FunctionDefLibrary | undefined,
  kernels: KernelRegistry,
): Promise<void> {
  const ops = new Set<string>();
  for (const { op } of nodes) {
    ops.add(op);
  }
  for (const { nodeDef } of library?.function ?? []) {
    for (const { op } of nodeDef) {
      ops.add(op);
    }
  }
  const preparations = new Set<() => Promise<void>>();
  for (const op of ops) {
    for (const { prepare } of kernels.of(op)) {
      if (prepare !== undefined) {
        preparations.add(prepare);
      }
    }
  }
  await Promise.all([...preparations].map((prepare) => prepare()));
}
