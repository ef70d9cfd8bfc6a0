import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import type { DType } from "../../protocol/dtype.js";
import { invalidArgument } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import { stringListAttr, UNKNOWN_RANK } from "../attr-values.js";
import { COLOCATION_ATTR, colocationGroup } from "../colocation-groups.js";
import type { Graph } from "../graph.js";
import type { OpValue } from "../graph-op-builder.js";
import { Operation, Output } from "../operation.js";
import type { Shape } from "../shape.js";
import { Variable, type VariableParts } from "../variable.js";
import { graphOf, type OpOptions, toTensor } from "./common.js";
import { group } from "./control-flow.js";

export { Variable, type VariableParts } from "../variable.js";

/** TensorFlow's names of collections. */
export const GraphKeys = {
  GLOBAL_VARIABLES: "variables",
  TRAINABLE_VARIABLES: "trainable_variables",
  LOCAL_VARIABLES: "local_variables",
  TRAIN_OP: "train_op",
  LOSSES: "losses",
  UPDATE_OPS: "update_ops",
  METRIC_VARIABLES: "metric_variables",
  REGULARIZATION_LOSSES: "regularization_losses",
} as const;

export interface VariableOptions extends OpOptions {
  readonly dtype?: DType | undefined;
  /** "reference" (VariableV2) as in tf.compat.v1 without resource variables, or "resource" (VarHandleOp). */
  readonly kind?: Variable["kind"] | undefined;
  /** Whether it is also listed among the trainable variables; defaults to true. */
  readonly trainable?: boolean | undefined;
  /** The variables' collections; defaults to the global one (and the trainable one). */
  readonly collections?: readonly string[] | undefined;
}

/** An initial value whose nodes are created on the variable's device, once that has been chosen. */
export interface InitialValue {
  readonly shape: Shape;
  readonly dtype: DType;
  make(): Output;
}

function isInitialValue(value: OpValue | InitialValue): value is InitialValue {
  return typeof value === "object" && "make" in value;
}

/** A variable with its initializer and a node that reads it, as created by tf.compat.v1.Variable. */
export function variable(
  graph: Graph,
  initialValue: OpValue | InitialValue,
  options: VariableOptions = {},
): Variable {
  const kind = options.kind ?? "reference";
  // A variable is not part of the loop that uses it, and its initializer waits for nothing of the code around it.
  const made = graph.outsideLoops(() =>
    graph.withNameScope(options.name ?? "Variable", (scope) =>
      kind === "reference"
        ? referenceVariable(graph, initialValue, scope, options)
        : resourceVariable(graph, initialValue, scope, options),
    ),
  );
  const trainable = options.trainable ?? true;
  const collections = new Set<string>(options.collections ?? [GraphKeys.GLOBAL_VARIABLES]);
  if (trainable) collections.add(GraphKeys.TRAINABLE_VARIABLES);
  const result = new Variable({ ...made, trainable });
  for (const name of collections) graph.addToCollection(name, result);
  return result;
}

type Nodes = Omit<VariableParts, "trainable">;

function initialOf(graph: Graph, handle: Output, initialValue: InitialValue): Output {
  return graph.withColocation(handle, () => graph.withNameScope("Initializer", () => initialValue.make()));
}

function referenceVariable(
  graph: Graph,
  initialValue: OpValue | InitialValue,
  scope: string,
  options: VariableOptions,
): Nodes {
  const handleOf = (dtype: DType, shape: Shape | undefined) =>
    graph.op("VariableV2", [], { dtype, shape: shape ?? UNKNOWN_RANK }, scope).output;
  if (isInitialValue(initialValue)) {
    const handle = handleOf(initialValue.dtype, initialValue.shape);
    return referenceNodes(graph, handle, initialOf(graph, handle, initialValue));
  }
  const initial = toTensor(graph, initialValue, "initial_value", options.dtype);
  return referenceNodes(graph, handleOf(initial.dtype, initial.shape), initial);
}

function referenceNodes(graph: Graph, handle: Output, initial: Output): Nodes {
  const { dtype, shape } = initial;
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
  initialValue: OpValue | InitialValue,
  scope: string,
  options: VariableOptions,
): Nodes {
  const sharedName = scope.slice(0, -1);
  const together = { [COLOCATION_ATTR]: stringListAttr([colocationGroup(sharedName)]) };
  const handleOf = (dtype: DType, shape: Shape | undefined) => {
    const names = { shared_name: sharedName, debug_name: scope };
    const attrs = { dtype, shape: shape ?? UNKNOWN_RANK, ...names, ...together };
    return graph.op("VarHandleOp", [], attrs, scope).output;
  };
  if (isInitialValue(initialValue)) {
    const handle = handleOf(initialValue.dtype, initialValue.shape);
    return resourceNodes(graph, handle, initialOf(graph, handle, initialValue));
  }
  const initial = graph.withNameScope("Initializer", () =>
    resourceInitialValue(graph, initialValue, together, options),
  );
  return resourceNodes(graph, handleOf(initial.dtype, initial.shape), initial);
}

function resourceNodes(graph: Graph, handle: Output, initial: Output): Nodes {
  const { dtype, shape } = initial;
  graph.withNameScope("IsInitialized", () => graph.op("VarIsInitializedOp", [handle]));
  // Where the variable is, also where a device function would place them elsewhere.
  const onItsDevice = <T>(make: () => T): T => graph.withDevice(handle.op.device, make);
  const initializer = onItsDevice(() => graph.op("AssignVariableOp", [handle, initial], {}, "Assign"));
  const value = onItsDevice(() =>
    graph.withNameScope("Read", () => graph.op("ReadVariableOp", [handle], { dtype }).output),
  );
  return { kind: "resource", handle, initializer, value, initialValue: initial, dtype, shape };
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
    throw invalidArgument(`The collection "${collection}" holds something that is not a variable.`);
  });
  return group(graph, initializers, { name: options.name ?? "init" });
}

/** The graph's global variables, in the order of their creation. */
export function globalVariables(graph: Graph): readonly Variable[] {
  return variablesIn(graph, GraphKeys.GLOBAL_VARIABLES);
}

/** The graph's variables that optimizers train. */
export function trainableVariables(graph: Graph): readonly Variable[] {
  return variablesIn(graph, GraphKeys.TRAINABLE_VARIABLES);
}

/** The graph's local variables, such as those of metrics, which no checkpoint has. */
export function localVariables(graph: Graph): readonly Variable[] {
  return variablesIn(graph, GraphKeys.LOCAL_VARIABLES);
}

function variablesIn(graph: Graph, collection: string): readonly Variable[] {
  return graph.collection(collection).filter((item) => item instanceof Variable);
}
