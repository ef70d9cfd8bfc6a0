/** The variables of a graph, as they are declared. Pure. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { isVariable } from "../../worker-runtime/graph/initialisers.js";
import { knownSize, partialShapeFromProto, type Shape } from "../../worker-runtime/graph/shape.js";
import { type DType, dtypeOf, itemSize } from "../../worker-runtime/protocol/dtype.js";
import { rememberedOf } from "./differing-keys.js";

export interface Variable {
  readonly name: string;
  readonly dtype: DType | undefined;
  /** Undefined for an unknown rank. */
  readonly shape: Shape | undefined;
  /** Undefined if the shape or the size of an element is not known. */
  readonly byteLength: number | undefined;
  /** The device to which the node is pinned. */
  readonly device: string;
}

/** In the order of the nodes; the same list after an edit of other nodes. */
export const variablesOf = rememberedOf<string, NodeDef, readonly Variable[]>(
  (nodes) => {
    const found: Variable[] = [];
    for (const node of nodes.values()) if (isVariable(node)) found.push(declared(node));
    return found;
  },
  (known, before, after, names) => {
    const concerns = [before, after].some((nodes) =>
      names.some((name) => {
        const node = nodes.get(name);
        return node !== undefined && isVariable(node);
      }),
    );
    return concerns ? undefined : known;
  },
);

function declared({ name, attr, device }: NodeDef): Variable {
  const type = attr.get("dtype")?.value;
  const dtype = type?.$case === "type" ? dtypeOf(type.value) : undefined;
  const dims = attr.get("shape")?.value;
  const shape = dims?.$case === "shape" ? partialShapeFromProto(dims.value) : undefined;
  const size = knownSize(shape);
  const bytes = dtype === undefined ? 0 : itemSize(dtype);
  return {
    name,
    dtype,
    shape,
    byteLength: size === undefined || bytes === 0 ? undefined : size * bytes,
    device,
  };
}
