import type { DType } from "../../../protocol/dtype.js";
import { CPU_TYPES, DTYPE_SETS } from "./cpu-types.js";
import type { KernelNode } from "./kernel-node.js";

/** The dtypes that one of TensorFlow's kernels accepts, by type attribute. */
type Choice = ReadonlyMap<string, ReadonlySet<string>>;

// Parsed when an op is first looked up: a graph uses a few dozen of them.
const choicesByOp = new Map<string, readonly Choice[]>();

/**
 * Whether TensorFlow has a CPU kernel for a node's dtypes. If not, this engine has none either, so that both engines
 * reject the same graphs, whatever its kernels could compute.
 */
export function isRegisteredForCpu(node: KernelNode): boolean {
  const choices = choicesOf(node.op);
  return choices.length === 0 || choices.some((choice) => fits(node, choice));
}

/** Whether TensorFlow has a CPU kernel of an op with this dtype in a type attribute. */
export function hasCpuKernelOf(op: string, attr: string, dtype: DType): boolean {
  const choices = choicesOf(op);
  return choices.length === 0 || choices.some((choice) => choice.get(attr)?.has(dtype) ?? true);
}

function fits(node: KernelNode, choice: Choice): boolean {
  for (const [attr, set] of choice) {
    if (!hasOnly(node, attr, set)) {
      return false;
    }
  }
  return true;
}

function choicesOf(op: string): readonly Choice[] {
  const known = choicesByOp.get(op);
  if (known !== undefined) {
    return known;
  }
  const text = CPU_TYPES[op];
  const choices = text === undefined ? [] : text.split(";").map(choiceOf);
  choicesByOp.set(op, choices);
  return choices;
}

function choiceOf(text: string): Choice {
  return new Map(
    text.split(",").map((part) => {
      const [attr = "", set = ""] = part.split("=");
      return [attr, new Set(DTYPE_SETS[Number(set)]?.split(" "))];
    }),
  );
}

function hasOnly(node: KernelNode, attr: string, set: ReadonlySet<string>): boolean {
  return node.typesIn(attr).every((type) => set.has(type));
}
