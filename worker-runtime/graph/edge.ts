import { invalidArgument } from "../protocol/status.js";

/** The meaning of an entry of `NodeDef.input`: an output of a node, or a node that must run first. */
export type Edge =
  | { readonly control: false; readonly node: string; readonly output: number }
  | { readonly control: true; readonly node: string };

/**
 * Reads an entry of `NodeDef.input` ("node", "node:1" or "^node") or the name of a tensor that is fed or fetched.
 * @throws TensorFlowError INVALID_ARGUMENT for an entry without a node, or an output that is not a number.
 */
export function parseEdge(text: string): Edge {
  if (text.startsWith("^")) {
    const node = text.slice(1);
    if (node === "" || node.includes(":"))
      throw invalidArgument(`"${text}" is no control input; write ^node.`);
    return { control: true, node };
  }
  const colon = text.lastIndexOf(":");
  const node = colon < 0 ? text : text.slice(0, colon);
  const output = colon < 0 ? "0" : text.slice(colon + 1);
  if (node === "" || !/^[0-9]+$/.test(output)) {
    throw invalidArgument(`"${text}" names no tensor; write node or node:output, for example x:0.`);
  }
  return { control: false, node, output: Number(output) };
}

/** An edge as TensorFlow writes it in `NodeDef.input`: the number of output 0 is omitted. */
export function formatEdge(edge: Edge): string {
  if (edge.control) return `^${edge.node}`;
  return edge.output === 0 ? edge.node : `${edge.node}:${edge.output}`;
}

/** A tensor as sessions and Python name it: always with the output's number, "x:0". */
export function tensorName(node: string, output = 0): string {
  return `${node}:${output}`;
}
