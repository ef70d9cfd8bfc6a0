import { CPU_TYPES, DTYPE_SETS } from "./cpu-types.js";
import type { KernelNode } from "./kernel-node.js";

/** The dtypes that one of TensorFlow's kernels takes, by type attribute. */
type Choice = ReadonlyMap<string, ReadonlySet<string>>;

// Read when an op is first asked for: a graph uses a few dozen of them.
const choicesByOp = new Map<string, readonly Choice[]>();

/**
 * Whether TensorFlow has a kernel on the CPU for a node's dtypes. Where it has none, ours has none either: the same graph
 * is refused by both engines, whatever a kernel of ours could compute.
 */
export function isRegisteredForCpu(node: KernelNode): boolean {
  const choices = choicesOf(node.op);
  return (
    choices.length === 0 ||
    choices.some((choice) => [...choice].every(([attr, set]) => hasOnly(node, attr, set)))
  );
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
