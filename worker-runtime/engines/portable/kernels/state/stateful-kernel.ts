import type { StatefulKernelDefinition } from "../kernel.js";

/** A kernel with state; `create` reads the attributes once. */
export function statefulKernel(
  op: string,
  create: StatefulKernelDefinition["create"],
  options: Omit<StatefulKernelDefinition, "kind" | "op" | "create">,
): StatefulKernelDefinition {
  return { kind: "stateful", op, create, ...options };
}
