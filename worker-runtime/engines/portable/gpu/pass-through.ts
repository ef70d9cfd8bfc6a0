import type { ExecutableNode } from "../executor/compiled-node.js";

/** Whether a node accepts tensors in device memory without a copy to the host. */
export function takesDeviceTensors({ facts, work }: ExecutableNode): boolean {
  switch (work.kind) {
    case "region":
    case "argument":
    case "result":
      return true;
    case "stateful":
    case "pure":
      return facts.takesDeviceTensors === true;
  }
}
