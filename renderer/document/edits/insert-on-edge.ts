import { texts } from "../../texts/texts.js";
import type { GraphDocument, Point } from "../model.js";
import type { Operation } from "../operations.js";
import { apply } from "../operations.js";
import { type OpLookup, signatureOf } from "../signature.js";
import { parseInput } from "../tensor-names.js";
import { addNode, fittingOutput } from "./add.js";
import { connect, type InputEnd } from "./connect.js";
import { type EditResult, edit, refused } from "./types.js";

const words = texts.document.edits.insertOnEdge;

/** The input that an edge leads to; control edges have none. */
export interface DataEnd extends InputEnd {
  readonly input: number;
}

/**
 * Adds a node of an op between an input and the output that it reads: the node reads the output, and the input reads the
 * node. Other readers of the output stay. One step of undo.
 */
export function insertOnEdge(
  document: GraphDocument,
  lookup: OpLookup,
  op: string,
  end: DataEnd,
  position: Point,
): EditResult {
  const reference = parseInput(document.nodes.get(end.node)?.input[end.input] ?? "");
  if (reference.kind !== "data") return refused(words.noTensor);
  const added = addNode(document, lookup, op, position, {
    type: "output",
    end: { node: reference.node, output: reference.output },
  });
  if (!added.ok) return added;
  const { operations, select } = added.transaction;
  const [name = ""] = select ?? [];
  const withNode = apply(document, operations);
  const node = withNode.nodes.get(name);
  if (!node?.input.includes(document.nodes.get(end.node)?.input[end.input] ?? "")) {
    return refused(words.noInputFits({ op }));
  }
  const output = fittingOutput(withNode, lookup, name, end);
  if (output === undefined) return refused(noOutputFits(document, lookup, op, end));
  const connected = connect(withNode, lookup, { node: name, output }, end);
  if (!connected.ok) return connected;
  const all: Operation[] = [...operations, ...connected.transaction.operations];
  return edit({ label: words.label({ added: name, node: end.node }), operations: all, select: [name] });
}

function noOutputFits(
  document: GraphDocument,
  lookup: OpLookup,
  op: string,
  { node, input }: DataEnd,
): string {
  const consumer = document.nodes.get(node);
  const slot = consumer && signatureOf(consumer, lookup)?.inputs[input];
  return slot
    ? words.noOutputFits({ op, input: slot.label, node })
    : words.noOutputFitsNumber({ op, input, node });
}
