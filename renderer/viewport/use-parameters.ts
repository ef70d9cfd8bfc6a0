/** The weights that are folded into a node. */
import { useMemo } from "react";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { hierarchyFor, isArranged } from "../document/arrangement.js";
import type { GraphDocument } from "../document/model.js";
import { parameterShape } from "../document/visible-graph.js";
import { useGraph } from "../stores/document-store.js";
import { useGraphView } from "../stores/graph-view-store.js";

export interface ShownParameter {
  /** The constant or variable. */
  readonly node: NodeDef;
  /** Position in `NodeDef.input` of the node that uses it. */
  readonly input: number;
  /** "[3,3,16,32]"; "" where it is not known. */
  readonly shape: string;
}

const NONE: readonly ShownParameter[] = [];

/** Empty in a graph that is not drawn in scopes: its weights are nodes. */
export function useParameters(name: string): readonly ShownParameter[] {
  const document = useGraph((state) => state.document);
  const weights = useGraphView((state) => state.openness.weights);
  const { nodes } = document;
  const arranged = isArranged(document);
  return useMemo(
    () => (arranged ? parametersOf(name, nodes, weights) : NONE),
    [name, nodes, weights, arranged],
  );
}

function parametersOf(
  name: string,
  nodes: GraphDocument["nodes"],
  weights: Parameters<typeof hierarchyFor>[1],
): readonly ShownParameter[] {
  return (hierarchyFor(nodes, weights).weights.parameters.get(name) ?? []).flatMap((parameter) => {
    const node = nodes.get(parameter.name);
    return node ? [{ node, input: parameter.input, shape: parameterShape(node) }] : [];
  });
}
