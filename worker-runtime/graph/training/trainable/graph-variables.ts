/** The variables of a graph that was read, each with the nodes that belong to it. */
import type { Graph } from "../../graph.js";
import { type GraphIndex, indexOf, readersOf } from "../../graph-index.js";
import { assignmentKind, isVariable } from "../../initialisers.js";
import { partialShapeFromProto } from "../../shape.js";
import { Variable } from "../../variable.js";

export interface GraphVariables {
  readonly variables: readonly Variable[];
  /** Nodes of variables that no node gives a first value. */
  readonly withoutFirstValue: readonly string[];
}

/** In the order of the nodes. Whether they were made to be trained, their nodes do not tell: of floats it is assumed. */
export function variablesOfGraph(graph: Graph): GraphVariables {
  const nodes = new Map(graph.operations.map((op) => [op.name, op.toNodeDef()]));
  const index = indexOf(nodes);
  const variables: Variable[] = [];
  const withoutFirstValue: string[] = [];
  for (const [name, node] of nodes) {
    if (!isVariable(node)) continue;
    const found = variableAt(graph, index, name);
    if (found) variables.push(found);
    else withoutFirstValue.push(name);
  }
  return { variables, withoutFirstValue };
}

function variableAt(graph: Graph, index: GraphIndex, name: string): Variable | undefined {
  const readers = readersOf(index, name).filter(({ output }) => output === 0);
  const assigns = readers.filter(({ node }) => assignmentKind(index, node) === "first-value");
  const assign = assigns.find(({ node }) => node === `${name}/Assign`) ?? assigns[0];
  if (!assign) return undefined;
  const op = graph.operation(name);
  const initializer = graph.operation(assign.node);
  const initialValue = initializer.inputs[1];
  const dtype = op.attrs.get("dtype")?.value;
  if (!initialValue || dtype?.$case !== "type") return undefined;
  const shape = op.attrs.get("shape")?.value;
  const reads = op.type === "VarHandleOp" ? "ReadVariableOp" : "Identity";
  const read = readers.map(({ node }) => graph.operation(node)).find(({ type }) => type === reads);
  return new Variable({
    kind: op.type === "VarHandleOp" ? "resource" : "reference",
    handle: op.output,
    initializer,
    initialValue,
    value: read?.output ?? op.output,
    dtype: initialValue.dtype,
    shape: shape?.$case === "shape" ? partialShapeFromProto(shape.value) : undefined,
    trainable: true,
  });
}
