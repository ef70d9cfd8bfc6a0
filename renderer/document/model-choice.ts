/** The inputs and outputs of a model of the document, as far as the document tells. */
import {
  type ModelTensors,
  placeholdersFor,
  signatureNames,
} from "../../worker-runtime/graph/model-export/model-tensors.js";
import type { GraphDocument } from "./model.js";
import { chosenRun } from "./run-inputs.js";
import type { ShapeMap } from "./shapes.js";
import { type OpLookup, signatureOf } from "./signature.js";
import { parseTensorName, tensorName } from "./tensor-names.js";

/** The tensors in a text with commas between, "x" as "x:0"; or the name of a node that the graph does not have. */
export function readTensors(
  { nodes }: Pick<GraphDocument, "nodes">,
  lookup: OpLookup,
  text: string,
): readonly string[] | { readonly unknown: string } {
  const tensors: string[] = [];
  for (const name of text.split(",").map((part) => part.trim())) {
    if (name === "") continue;
    const { node, output } = parseTensorName(name);
    const def = nodes.get(node);
    const outputs = def && signatureOf(def, lookup)?.outputs;
    if (!outputs || output >= outputs.length) return { unknown: name };
    tensors.push(tensorName(node, output));
  }
  return [...new Set(tensors)];
}

/** The outputs to begin with: those of the selected nodes, else what runs fetch, without losses and the like. */
export function firstOutputs(
  document: GraphDocument,
  lookup: OpLookup,
  shapes: ShapeMap,
  selection: ReadonlySet<string>,
): readonly string[] {
  const computes = (name: string) => {
    const { node, output } = parseTensorName(name);
    return shapes.outputs.get(node)?.[output]?.length !== 0;
  };
  const selected = [...selection].flatMap((name) => {
    const node = document.nodes.get(name);
    const outputs = (node && signatureOf(node, lookup)?.outputs) ?? [];
    return node?.op === "Placeholder" || outputs.length !== 1 ? [] : [tensorName(name, 0)];
  });
  if (selected.length > 0) return selected;
  return chosenRun(document, lookup).fetches.filter(computes);
}

/** @param more tensors that are inputs besides the placeholders which the outputs need */
export function modelTensors(
  { nodes }: Pick<GraphDocument, "nodes">,
  outputs: readonly string[],
  more: readonly string[],
): ModelTensors {
  const fed = new Set(more);
  const needed = Object.values(placeholdersFor([...nodes.values()], outputs, fed));
  return { inputs: signatureNames([...new Set([...needed, ...more])]), outputs: signatureNames(outputs) };
}
