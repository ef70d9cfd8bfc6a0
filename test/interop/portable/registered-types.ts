/** For which dtypes TensorFlow and this engine have kernels on the CPU. */
import type { KernelRegistry } from "../../../worker-runtime/engines/portable/kernels/registry.js";
import { dataTypes } from "../../../worker-runtime/engines/portable/kernels/support/dtypes.js";
import { bundledOpRegistry } from "../../../worker-runtime/graph/op-registry.js";
import { dataTypeOf } from "../../../worker-runtime/protocol/dtype.js";
import { tensorflowResult } from "../../support/tensorflow-script.js";
import { type Choice, choicesOf, nodeOf } from "./differential/registered-pairs.js";

/** The types that a kernel takes, by type attribute. */
export type Constraints = Readonly<Record<string, readonly number[]>>;

const script = `
import json
from tensorflow.python.framework import kernels
found = {}
for kernel in kernels.get_all_registered_kernels().kernel:
    if kernel.device_type in ("CPU", "DEFAULT") and not kernel.label:
        found.setdefault(kernel.op, []).append({c.name: list(c.allowed_values.list.type) for c in kernel.constraint})
print("RESULT " + json.dumps(found))
`;

/** The kernels that a real TensorFlow has registered for the CPU, by op. */
export function registeredByTensorflow(): Promise<Readonly<Record<string, readonly Constraints[]>>> {
  return tensorflowResult(script);
}

const textOf = (choice: Choice): string => [...choice].map(([name, dtype]) => `${name}=${dtype}`).join(",");

export interface Comparison {
  /** Choices that this engine takes and TensorFlow refuses: "Round(T=int8)". */
  readonly surplus: readonly string[];
  /** The dtypes of data that TensorFlow takes and this engine refuses: "AvgPool T: float16 bfloat16 float64". */
  readonly lacking: readonly string[];
}

/** Compares all ops of this engine with what TensorFlow has registered, for each choice of dtypes. */
export function compareRegistrations(
  kernels: KernelRegistry,
  registered: Readonly<Record<string, readonly Constraints[]>>,
): Comparison {
  const surplus: string[] = [];
  const lacking: string[] = [];
  for (const op of kernels.ops()) {
    const opDef = bundledOpRegistry().require(op);
    const theirs = registered[op];
    // TensorFlow replaces such an op by others before it looks for kernels.
    if (theirs === undefined) continue;
    const [taken, refused] = [new Set<string>(), new Set<string>()];
    for (const choice of choicesOf(opDef)) {
      const isTheirs = theirs.some((constraints) =>
        [...choice].every(([name, dtype]) => constraints[name]?.includes(dataTypeOf(dtype)) ?? true),
      );
      const isOurs = kernels.find(nodeOf(opDef, choice), "CPU") !== undefined;
      if (isOurs && !isTheirs) surplus.push(`${op}(${textOf(choice)})`);
      if (isTheirs) for (const [name, dtype] of choice) (isOurs ? taken : refused).add(`${name} ${dtype}`);
    }
    for (const { name } of opDef.attr) {
      const missing = dataTypes.filter((dtype) => {
        const one = `${name} ${dtype}`;
        return refused.has(one) && !taken.has(one);
      });
      if (missing.length > 0) lacking.push(`${op} ${name}: ${missing.join(" ")}`);
    }
  }
  return { surplus, lacking };
}
