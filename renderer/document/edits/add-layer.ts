import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { TensorFlowError } from "../../../worker-runtime/protocol/status.js";
import type { GraphDocument } from "../model.js";
import { uniqueName } from "../tensor-names.js";
import { type EditResult, edit, refused } from "./types.js";

/**
 * Adds the nodes of a layer, with its variables and their initializers, in a scope of its own. They have no positions, so
 * that the window draws them as that scope.
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
      label: `Add ${scope}`,
      operations: [
        {
          type: "nodes",
          changes: nodes.map((after, number) => ({ after, index: document.nodes.size + number })),
        },
      ],
      select: nodes.map((node) => node.name),
    });
  } catch (error) {
    if (error instanceof TensorFlowError) return refused(error.message);
    throw error;
  }
}
