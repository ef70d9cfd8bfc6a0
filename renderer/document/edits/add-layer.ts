import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { TensorFlowError } from "../../../worker-runtime/protocol/status.js";
import { texts } from "../../texts/texts.js";
import { isArranged } from "../arrangement.js";
import type { GraphDocument } from "../model.js";
import type { Move } from "../operations.js";
import { uniqueName } from "../tensor-names.js";
import { type EditResult, edit, refused } from "./types.js";

const words = texts.document.edits.addLayer;

/**
 * Adds the nodes of a layer, with its variables and their initializers, in a scope of its own. The graph is then arranged
 * by the window, which draws that scope as a block: no node keeps a position.
 *
 * @param make makes its nodes in a scope; throws a TensorFlowError that says why it cannot
 */
export function addLayer(
  document: GraphDocument,
  name: string,
  make: (scope: string) => readonly NodeDef[],
): EditResult {
  const scopes = new Set([...document.nodes.keys()].map((node) => node.split("/", 1)[0] ?? ""));
  const scope = uniqueName(name, scopes);
  try {
    const nodes = make(scope);
    return edit({
      label: words.label({ scope }),
      operations: [
        {
          type: "nodes",
          changes: nodes.map((after, number) => ({ after, index: document.nodes.size + number })),
        },
        { type: "layout", moves: isArranged(document) ? [] : withoutPositions(document) },
      ],
      // Selected nodes would be shown, and so the scope opened.
      select: [],
    });
  } catch (error) {
    if (error instanceof TensorFlowError) return refused(error.message);
    throw error;
  }
}

function withoutPositions({ layout }: GraphDocument): Move[] {
  return [...layout].map(([node, from]) => ({ node, from }));
}
