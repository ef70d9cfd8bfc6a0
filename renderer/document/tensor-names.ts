/** Names of nodes and tensors as NodeDef.input writes them: "node", "node:1", "^node". */
import { formatEdge } from "../../worker-runtime/graph/edge.js";
import { MISSING_INPUT } from "./model.js";

export { tensorName } from "../../worker-runtime/graph/edge.js";

export type InputReference =
  | { readonly kind: "missing" }
  | { readonly kind: "control"; readonly node: string }
  | { readonly kind: "data"; readonly node: string; readonly output: number };

/** Also accepts "node:arg:0", the form used inside function bodies; its output is then the last number. */
export function parseInput(input: string): InputReference {
  if (input === MISSING_INPUT) return { kind: "missing" };
  if (input.startsWith("^")) return { kind: "control", node: input.slice(1) };
  const colon = input.indexOf(":");
  if (colon < 0) return { kind: "data", node: input, output: 0 };
  return {
    kind: "data",
    node: input.slice(0, colon),
    output: Number(input.slice(input.lastIndexOf(":") + 1)),
  };
}

/** The canonical form: output 0 is written without its number, as in TensorFlow. */
export function dataInput(node: string, output: number): string {
  return formatEdge({ control: false, node, output });
}

export function parseTensorName(name: string): { node: string; output: number } {
  const colon = name.lastIndexOf(":");
  if (colon < 0) return { node: name, output: 0 };
  return { node: name.slice(0, colon), output: Number(name.slice(colon + 1)) };
}

/** The names that TensorFlow accepts for a node (graph/validate: [A-Za-z0-9.][A-Za-z0-9_.\\/>-]*). */
const NODE_NAME = /^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$/;

export function isNodeName(name: string): boolean {
  return NODE_NAME.test(name);
}

/** `wanted`, or `wanted_1`, `wanted_2`, … as TensorFlow's Python client counts. */
export function uniqueName(wanted: string, taken: { has(name: string): boolean }): string {
  if (!taken.has(wanted)) return wanted;
  const base = wanted.replace(/_\d+$/, "");
  for (let number = 1; ; number++) {
    const name = `${base}_${number}`;
    if (!taken.has(name)) return name;
  }
}

/** The input with references to `from` turned into references to `to`. */
export function renameInput(input: string, from: string, to: string): string {
  if (input === from) return to;
  if (input === `^${from}`) return `^${to}`;
  return input.startsWith(`${from}:`) ? to + input.slice(from.length) : input;
}
