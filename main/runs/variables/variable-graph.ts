/** A graph with nodes that check, read and assign its variables. */
import { createHash } from "node:crypto";
import { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { stringListAttr, typeAttr } from "../../../worker-runtime/graph/attr-values.js";
import { COLOCATION_ATTR, colocationGroup } from "../../../worker-runtime/graph/colocation-groups.js";
import { isVariable } from "../../../worker-runtime/graph/initialisers.js";
import { partialShapeFromProto, type Shape } from "../../../worker-runtime/graph/shape.js";
import { type DType, dtypeOf } from "../../../worker-runtime/protocol/dtype.js";
import { messageOf, problem } from "../../shared/problems.js";

/** A variable with the nodes that were added for it. */
export interface GraphVariable {
  readonly name: string;
  readonly dtype: DType;
  /** As declared; undefined for an unknown rank. */
  readonly shape: Shape | undefined;
  /** The tensor that says whether it has a value. */
  readonly check: string;
  /** The tensor of its value. */
  readonly value: string;
  /** The tensor that is fed, and the operation that then assigns it. */
  readonly fed: string;
  readonly assign: string;
}

export interface VariableGraph {
  /** The same for the same graph. */
  readonly id: string;
  /** The user's graph and the added nodes. */
  readonly graphDef: GraphDef;
  readonly bytes: Uint8Array;
  /** The user's nodes. */
  readonly nodes: ReadonlyMap<string, NodeDef>;
  readonly variables: ReadonlyMap<string, GraphVariable>;
}

/**
 * The whole graph is kept, since where a variable lives can depend on the nodes that use it.
 *
 * @throws ProblemError INVALID_ARGUMENT if it is not a GraphDef
 */
export function variableGraph(bytes: Uint8Array): VariableGraph {
  const graph = decoded(bytes);
  const nodes = new Map(graph.node.map((node) => [node.name, node]));
  const prefix = freePrefix(nodes);
  const variables = new Map<string, GraphVariable>();
  const added: NodeDef[] = [];
  for (const node of graph.node) {
    const dtype = node.attr.get("dtype")?.value;
    if (!isVariable(node) || dtype?.$case !== "type") continue;
    const nodesOf = accessTo(node, `${prefix}/${variables.size}`);
    added.push(...nodesOf.nodes);
    const shape = node.attr.get("shape")?.value;
    variables.set(node.name, {
      name: node.name,
      dtype: dtypeOf(dtype.value),
      shape: shape?.$case === "shape" ? partialShapeFromProto(shape.value) : undefined,
      ...nodesOf.names,
    });
  }
  const graphDef = { ...graph, node: [...graph.node, ...added] };
  return {
    id: createHash("sha256").update(bytes).digest("hex"),
    graphDef,
    bytes: GraphDef.encode(graphDef).finish(),
    nodes,
    variables,
  };
}

function decoded(bytes: Uint8Array): GraphDef {
  try {
    return GraphDef.decode(bytes);
  } catch (error) {
    throw problem("INVALID_ARGUMENT", "The graph cannot be read.", {
      reason: "The window did not send a GraphDef.",
      details: messageOf(error),
    });
  }
}

/** A scope that the graph does not have. */
function freePrefix(nodes: ReadonlyMap<string, NodeDef>): string {
  const scopes = new Set([...nodes.keys()].map((name) => name.split("/", 1)[0]));
  let prefix = "tensordeck_variables";
  for (let number = 1; scopes.has(prefix); number++) prefix = `tensordeck_variables_${number}`;
  return prefix;
}

type AccessNames = Pick<GraphVariable, "check" | "value" | "fed" | "assign">;

function accessTo(variable: NodeDef, scope: string): { nodes: NodeDef[]; names: AccessNames } {
  const isResource = variable.op === "VarHandleOp";
  const type = variable.attr.get("dtype") ?? typeAttr("float32");
  const at = stringListAttr([colocationGroup(variable.name)]);
  const make = (name: string, op: string, input: readonly string[], attr: Record<string, AttrValue>) =>
    NodeDef.fromPartial({
      name: `${scope}/${name}`,
      op,
      input: [...input],
      attr: new Map(Object.entries(attr)),
    });
  const handle = variable.name;
  const fed = make("value", "Placeholder", [], {
    dtype: type,
    shape: AttrValue.fromPartial({ value: { $case: "shape", value: { unknownRank: true } } }),
  });
  const nodes = isResource
    ? [
        make("check", "VarIsInitializedOp", [handle], { [COLOCATION_ATTR]: at }),
        make("read", "ReadVariableOp", [handle], { dtype: type, [COLOCATION_ATTR]: at }),
        make("assign", "AssignVariableOp", [handle, fed.name], { dtype: type, [COLOCATION_ATTR]: at }),
      ]
    : [
        make("check", "IsVariableInitialized", [handle], { dtype: type, [COLOCATION_ATTR]: at }),
        make("read", "Identity", [handle], { T: type, [COLOCATION_ATTR]: at }),
        make("assign", "Assign", [handle, fed.name], {
          T: type,
          validate_shape: AttrValue.fromPartial({ value: { $case: "b", value: true } }),
          use_locking: AttrValue.fromPartial({ value: { $case: "b", value: true } }),
          [COLOCATION_ATTR]: at,
        }),
      ];
  return {
    nodes: [fed, ...nodes],
    names: {
      check: `${scope}/check:0`,
      value: `${scope}/read:0`,
      fed: `${fed.name}:0`,
      assign: `${scope}/assign`,
    },
  };
}
