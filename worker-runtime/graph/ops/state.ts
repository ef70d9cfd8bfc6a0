import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import { VariableDef } from "../../../protos/generated/tensorflow/variable.js";
import type { DType } from "../../protocol/dtype.js";
import { invalidArgument } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import { stringListAttr, UNKNOWN_RANK } from "../attr-values.js";
import { COLOCATION_ATTR, colocationGroup } from "../colocation-groups.js";
import type { Graph } from "../graph.js";
import type { OpValue } from "../graph-op-builder.js";
import { Operation, Output } from "../operation.js";
import type { Shape } from "../shape.js";
import { graphOf, type OpOptions, toTensor } from "./common.js";
import { group } from "./control-flow.js";

/** TensorFlow's names of collections. */
export const GraphKeys = {
  GLOBAL_VARIABLES: "variables",
  TRAINABLE_VARIABLES: "trainable_variables",
  LOCAL_VARIABLES: "local_variables",
  TRAIN_OP: "train_op",
} as const;

/** A value that a task keeps between runs. */
export interface Variable {
  readonly kind: "reference" | "resource";
  /** The variable itself: a reference, or the handle of a resource. */
  readonly handle: Output;
  /** Sets its initial value; must run before anything else. */
  readonly initializer: Operation;
  /** Its value. */
  readonly value: Output;
  readonly initialValue: Output;
  readonly dtype: DType;
  readonly shape: Shape | undefined;
}

export interface VariableOptions extends OpOptions {
  readonly dtype?: DType | undefined;
  /** "reference" (VariableV2) as in tf.compat.v1 without resource variables, or "resource" (VarHandleOp). */
  readonly kind?: Variable["kind"] | undefined;
  /** Whether it is also listed among the trainable variables; defaults to true. */
  readonly trainable?: boolean | undefined;
  /** The variables' collections; defaults to the global one (and the trainable one). */
  readonly collections?: readonly string[] | undefined;
}

/** A variable with its initializer and a node that reads it, as created by tf.compat.v1.Variable. */
export function variable(graph: Graph, initialValue: OpValue, options: VariableOptions = {}): Variable {
  const kind = options.kind ?? "reference";
  // An initializer must not inherit the control dependencies of the code around it.
  const made = graph.withControlDependencies(undefined, () =>
    graph.withNameScope(options.name ?? "Variable", (scope) =>
      kind === "reference"
        ? referenceVariable(graph, initialValue, scope, options)
        : resourceVariable(graph, initialValue, scope, options),
    ),
  );
  const trainable = options.trainable ?? true;
  const collections = new Set<string>(options.collections ?? [GraphKeys.GLOBAL_VARIABLES]);
  if (trainable) collections.add(GraphKeys.TRAINABLE_VARIABLES);
  const item = { variableDef: variableDef(made, trainable) };
  for (const name of collections) graph.addToCollection(name, item);
  return made;
}

function referenceVariable(
  graph: Graph,
  initialValue: OpValue,
  scope: string,
  options: VariableOptions,
): Variable {
  const initial = toTensor(graph, initialValue, "initial_value", options.dtype);
  const { dtype, shape } = initial;
  const handle = graph.op("VariableV2", [], { dtype, shape: shape ?? UNKNOWN_RANK }, scope).output;
  const initializer = graph.op(
    "Assign",
    [handle, initial],
    { validate_shape: shape !== undefined },
    "Assign",
  );
  const value = graph.withColocation(handle, () => graph.op("Identity", [handle], {}, "read").output);
  return { kind: "reference", handle, initializer, value, initialValue: initial, dtype, shape };
}

/** A value that becomes a Const is colocated with the variable. */
function resourceInitialValue(
  graph: Graph,
  initialValue: OpValue,
  together: { readonly _class: AttrValue },
  options: VariableOptions,
): Output {
  if (initialValue instanceof Output) return initialValue;
  if (initialValue instanceof Operation) return initialValue.output;
  const value = initialValue instanceof Tensor ? initialValue : Tensor.of(initialValue, options.dtype);
  const attrs = { value, dtype: value.dtype, ...together };
  return graph.withDevice(undefined, () => graph.op("Const", [], attrs, "initial_value").output);
}

function resourceVariable(
  graph: Graph,
  initialValue: OpValue,
  scope: string,
  options: VariableOptions,
): Variable {
  const sharedName = scope.slice(0, -1);
  const together = { [COLOCATION_ATTR]: stringListAttr([colocationGroup(sharedName)]) };
  const initial = graph.withNameScope("Initializer", () =>
    resourceInitialValue(graph, initialValue, together, options),
  );
  const { dtype, shape } = initial;
  const attrs = {
    dtype,
    shape: shape ?? UNKNOWN_RANK,
    shared_name: sharedName,
    debug_name: scope,
    ...together,
  };
  const handle = graph.op("VarHandleOp", [], attrs, scope).output;
  graph.withNameScope("IsInitialized", () => graph.op("VarIsInitializedOp", [handle]));
  const initializer = graph.op("AssignVariableOp", [handle, initial], {}, "Assign");
  const value = graph.withNameScope("Read", () => graph.op("ReadVariableOp", [handle], { dtype }).output);
  return { kind: "resource", handle, initializer, value, initialValue: initial, dtype, shape };
}

/** The variable as the collections of a MetaGraphDef list it. */
export function variableDef(v: Variable, trainable = true): VariableDef {
  return VariableDef.fromPartial({
    variableName: v.handle.name,
    initializerName: v.initializer.name,
    snapshotName: v.value.name,
    initialValueName: v.initialValue.name,
    isResource: v.kind === "resource",
    trainable,
  });
}

const RESOURCE_OPS = {
  Assign: "AssignVariableOp",
  AssignAdd: "AssignAddVariableOp",
  AssignSub: "AssignSubVariableOp",
};

export interface AssignOptions extends OpOptions {
  /** For reference variables: whether concurrent assignments are serialized. Defaults to that of Python's functions. */
  readonly useLocking?: boolean | undefined;
}

function update(op: keyof typeof RESOURCE_OPS, locking: boolean) {
  return (v: Variable, value: OpValue, options: AssignOptions = {}): Output => {
    const graph = graphOf(v.handle);
    if (v.kind === "reference") {
      const attrs = { use_locking: options.useLocking ?? locking };
      return graph.op(op, [v.handle, value], attrs, options.name ?? op).output;
    }
    const input = toTensor(graph, value, "Const", v.dtype);
    const type = RESOURCE_OPS[op];
    const attrs = type === "AssignVariableOp" ? { validate_shape: true } : {};
    const assigned = graph.op(type, [v.handle, input], attrs, options.name ?? type);
    return graph.withControlDependencies(
      [assigned],
      () => graph.op("ReadVariableOp", [v.handle], { dtype: v.dtype }).output,
    );
  };
}

/** Assigns a value to a variable and returns the new value. The same holds for the two functions below. */
export const assign = update("Assign", true);
export const assignAdd = update("AssignAdd", false);
export const assignSub = update("AssignSub", false);

/** The value of a variable at this point, unlike `variable.value`, which may be read at any time in a step. */
export function readVariable(v: Variable, options: OpOptions = {}): Output {
  const graph = graphOf(v.handle);
  if (v.kind === "reference") return graph.op("Identity", [v.handle], {}, options.name ?? "read").output;
  return graph.op("ReadVariableOp", [v.handle], { dtype: v.dtype }, options.name ?? "ReadVariableOp").output;
}

/** An operation that initializes all of a graph's global variables. */
export function globalVariablesInitializer(graph: Graph, options: OpOptions = {}): Operation {
  return initializerOf(graph, GraphKeys.GLOBAL_VARIABLES, options);
}

/** An operation that initializes all of a graph's local variables, which no checkpoint has. */
export function localVariablesInitializer(graph: Graph, options: OpOptions = {}): Operation {
  return initializerOf(graph, GraphKeys.LOCAL_VARIABLES, options);
}

function initializerOf(graph: Graph, collection: string, options: OpOptions): Operation {
  const initializers = graph.collection(collection).map((item) => {
    if (typeof item === "object" && "variableDef" in item)
      return graph.operation(item.variableDef.initializerName);
    throw invalidArgument(`The collection "${collection}" holds something that is no variable.`);
  });
  return group(graph, initializers, { name: options.name ?? "init" });
}
