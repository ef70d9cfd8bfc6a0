import type { DType } from "../../protocol/dtype.js";
import { alreadyExists, invalidArgument, notFound } from "../../protocol/status.js";
import type { Graph } from "../graph.js";
import type { Variable } from "../variable.js";
import { glorotUniformInitializer, type Initializer, zerosInitializer } from "./initializers.js";
import { type VariableOptions, variable } from "./state.js";

/** Whether variables that exist are used again: never, always, or if they exist. */
export type Reuse = boolean | "auto";

/** A graph's variables by name, and the scope in which names are given. */
interface VariableStore {
  readonly byName: Map<string, Variable>;
  prefix: string;
  reuse: Reuse;
}

const stores = new WeakMap<Graph, VariableStore>();

function storeOf(graph: Graph): VariableStore {
  const known = stores.get(graph);
  if (known) return known;
  const store: VariableStore = { byName: new Map(), prefix: "", reuse: false };
  stores.set(graph, store);
  return store;
}

/** Names of variables in `body` begin with `name/`, and so do those of all nodes: tf.compat.v1.variable_scope. */
export function variableScope<T>(
  graph: Graph,
  name: string,
  body: () => T,
  { reuse }: { readonly reuse?: Reuse | undefined } = {},
): T {
  const store = storeOf(graph);
  const before = { prefix: store.prefix, reuse: store.reuse };
  store.prefix = `${store.prefix}${name}/`;
  store.reuse = reuse ?? store.reuse;
  try {
    return graph.withNameScope(name, body);
  } finally {
    store.prefix = before.prefix;
    store.reuse = before.reuse;
  }
}

/** The prefix of variables' names where the call is: "model/", or "" outside of all scopes. */
export function variableScopePrefix(graph: Graph): string {
  return storeOf(graph).prefix;
}

export interface GetVariableOptions extends Omit<VariableOptions, "name"> {
  /** Required for a variable that does not exist yet. */
  readonly shape?: readonly number[] | undefined;
  /** Glorot's uniform numbers for floating-point variables unless given, zeros for others. */
  readonly initializer?: Initializer | undefined;
}

/**
 * The variable of this name in the current variable scope, as tf.compat.v1.get_variable: a new one, or, where the
 * scope says so, the one that exists.
 * @param options.kind "resource" unless given, as in TensorFlow 2
 * @throws TensorFlowError ALREADY_EXISTS or NOT_FOUND, as the scope demands
 */
export function getVariable(graph: Graph, name: string, options: GetVariableOptions = {}): Variable {
  const store = storeOf(graph);
  const full = `${store.prefix}${name}`;
  const known = store.byName.get(full);
  if (known && store.reuse !== false) return fitting(known, options);
  if (known) {
    throw alreadyExists(
      `Variable ${full} already exists. To use it again, open the scope with variableScope(…, { reuse: true }).`,
    );
  }
  if (store.reuse === true) {
    throw notFound(`Variable ${full} does not exist, and the scope uses only variables that do (reuse).`);
  }
  const { shape, dtype = "float32" } = options;
  if (!shape) throw invalidArgument(`Variable ${full} is new: give its shape.`);
  const initializer = options.initializer ?? defaultInitializer(dtype);
  const made = graph.withNameScope("", () =>
    variable(
      graph,
      { shape, dtype, make: () => initializer(graph, shape, dtype) },
      { kind: "resource", ...options, name: full },
    ),
  );
  store.byName.set(full, made);
  return made;
}

function defaultInitializer(dtype: DType): Initializer {
  return /float/.test(dtype) ? glorotUniformInitializer() : zerosInitializer();
}

function fitting(known: Variable, { shape, dtype }: GetVariableOptions): Variable {
  if (shape && known.shape && JSON.stringify(shape) !== JSON.stringify(known.shape)) {
    throw invalidArgument(
      `Variable ${known.name} has shape [${known.shape.join(", ")}], but [${shape.join(", ")}] is wanted.`,
    );
  }
  if (dtype && dtype !== known.dtype) {
    throw invalidArgument(`Variable ${known.name} is ${known.dtype}, but ${dtype} is wanted.`);
  }
  return known;
}
