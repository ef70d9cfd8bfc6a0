import { invalidArgument } from "../../protocol/status.js";
import type { Graph } from "../graph.js";
import type { Output } from "../operation.js";
import type { Initializer } from "../ops/initializers.js";
import { getVariable, variableScope, variableScopePrefix } from "../ops/variable-scope.js";
import { shapeLabel } from "../shape.js";
import type { Variable } from "../variable.js";

export interface LayerOptions {
  /** The scope of the layer's variables and nodes; defaults to that of TensorFlow, with a number: "dense", "dense_1", …. */
  readonly name?: string | undefined;
  /** Uses the variables that a layer of this name made before. */
  readonly reuse?: boolean | undefined;
  /** Whether optimizers train its variables; defaults to true. */
  readonly trainable?: boolean | undefined;
}

/** How many layers without a name there are, by graph, and by variable scope and kind of layer. */
const given = new WeakMap<Graph, Map<string, number>>();

function defaultName(graph: Graph, kind: string): string {
  const counts = given.get(graph) ?? new Map<string, number>();
  given.set(graph, counts);
  const key = `${variableScopePrefix(graph)}${kind}`;
  const count = counts.get(key) ?? 0;
  counts.set(key, count + 1);
  return count === 0 ? kind : `${kind}_${count}`;
}

/** Makes variables of a layer by their names in its scope. */
export type MakeVariable = (
  name: string,
  shape: readonly number[],
  initializer: Initializer | undefined,
  options?: { readonly trainable?: boolean },
) => Variable;

/** Makes a layer in its scope. */
export function inLayer<T>(
  graph: Graph,
  kind: string,
  options: LayerOptions,
  body: (variable: MakeVariable) => T,
): T {
  const name = options.name ?? defaultName(graph, kind);
  const { trainable = true } = options;
  return variableScope(
    graph,
    name,
    () =>
      body((variableName, shape, initializer, own = {}) =>
        getVariable(graph, variableName, {
          shape,
          initializer,
          trainable: trainable && (own.trainable ?? true),
        }),
      ),
    { reuse: options.reuse },
  );
}

/** The size of a dimension. @throws TensorFlowError INVALID_ARGUMENT if it is not known */
export function sizeOf(input: Output, axis: number, layer: string): number {
  const size = input.shape?.at(axis) ?? -1;
  if (size >= 0) return size;
  throw invalidArgument(
    `${layer} must know dimension ${axis} of ${input.name}, whose shape is ${shapeLabel(input.shape)}.`,
  );
}

/** @throws TensorFlowError INVALID_ARGUMENT unless the input has so many dimensions */
export function requireRank(input: Output, rank: number, layer: string): void {
  if (input.shape?.length === rank) return;
  throw invalidArgument(
    `${layer} takes ${rank} dimensions; the shape of ${input.name} is ${shapeLabel(input.shape)}.`,
  );
}
