/** Cases of other dtypes: the same graph and steps with one dtype in the place of another. */
import { AttrValue } from "../../../../protos/generated/tensorflow/attr_value.js";
import { GraphDef } from "../../../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import type { OpDef, OpDef_ArgDef, OpDef_AttrDef } from "../../../../protos/generated/tensorflow/op_def.js";
import { DataType } from "../../../../protos/generated/tensorflow/types.js";
import { KernelNode } from "../../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import type { KernelRegistry } from "../../../../worker-runtime/engines/portable/kernels/registry.js";
import { argLength, attrOf } from "../../../../worker-runtime/graph/node-signature.js";
import { bundledOpRegistry } from "../../../../worker-runtime/graph/op-registry.js";
import { baseDataType, type DType, dataTypeOf, dtypeOf } from "../../../../worker-runtime/protocol/dtype.js";
import { type Tensor, tensorFromProto, tensorToProto } from "../../../../worker-runtime/protocol/tensor.js";
import type { Case } from "./case.js";
import { converted } from "./elements.js";
import { typeAttrs } from "./registered-pairs.js";

/** A dtype that a graph names: of a type attribute, an entry of a list of types, or an argument of a function. */
interface Slot {
  readonly type: number;
  write(type: number): void;
  /** Every slot that is of one dtype with this one, since an edge joins them, has the same root. */
  parent: Slot | undefined;
}

function rootOf(slot: Slot): Slot {
  let root = slot;
  while (root.parent !== undefined) root = root.parent;
  return root;
}

/** The attribute that joins slots where an op's definition says the dtype. */
const fixed: Slot = { type: 0, write: () => {}, parent: undefined };

function join(one: Slot, other: Slot): void {
  const [left, right] = [rootOf(one), rootOf(other)];
  if (left === right) return;
  // The fixed one stays a root.
  if (left === fixed) right.parent = left;
  else left.parent = right;
}

/** The nodes of a graph or of a function's body. */
interface Scope {
  readonly name: string;
  readonly nodes: readonly NodeDef[];
  /** The slots of what a tensor's name means here: "node:0" in a graph, "node:output:0" or an argument in a function. */
  readonly outputs: Map<string, Slot>;
}

class Slots {
  readonly all: Slot[] = [];
  readonly #byKey = new Map<string, Slot>();
  /** The slots of the graph's tensors by name: "node:0". */
  readonly tensors: ReadonlyMap<string, Slot>;

  constructor(graph: GraphDef) {
    const scope: Scope = { name: "", nodes: graph.node, outputs: new Map() };
    this.#addScope(scope);
    this.tensors = scope.outputs;
    for (const { signature, nodeDef, ret } of graph.library?.function ?? []) {
      const name = signature?.name ?? "";
      const outputs = new Map<string, Slot>();
      const argument = (kind: string, arg: OpDef_ArgDef): Slot =>
        this.#slot(`${name}/${kind} ${arg.name}`, arg.type, (type) => {
          arg.type = type;
        });
      for (const arg of signature?.inputArg ?? []) outputs.set(arg.name, argument("argument", arg));
      this.#addScope({ name, nodes: nodeDef, outputs });
      for (const arg of signature?.outputArg ?? []) {
        const result = outputs.get(ret.get(arg.name) ?? "");
        const slot = argument("result", arg);
        if (result !== undefined) join(slot, result);
      }
    }
  }

  /** The slot of a node's attribute: see `TypedPlace`. */
  find(key: string): Slot | undefined {
    return this.#byKey.get(key);
  }

  #slot(key: string, type: number, write: (type: number) => void): Slot {
    const slot: Slot = { type: baseDataType(type), write, parent: undefined };
    this.#byKey.set(key, slot);
    this.all.push(slot);
    return slot;
  }

  #addScope(scope: Scope): void {
    for (const node of scope.nodes) this.#addNode(scope, node);
    for (const node of scope.nodes) this.#connect(scope, node);
  }

  #addNode(scope: Scope, node: NodeDef): void {
    const opDef = bundledOpRegistry().get(node.op);
    if (opDef === undefined) return;
    for (const { name } of typeAttrs(opDef)) {
      const value = attrOf(opDef, node, name)?.value;
      const key = `${scope.name}/${node.name} ${name}`;
      if (value?.$case === "type") {
        this.#slot(key, value.value, (type) => {
          node.attr.set(name, AttrValue.fromPartial({ value: { $case: "type", value: type } }));
        });
      } else if (value?.$case === "list") {
        for (const [i, type] of value.value.type.entries()) {
          this.#slot(`${key}[${i}]`, type, (changed) => {
            const list = node.attr.get(name)?.value;
            if (list?.$case === "list") list.value.type[i] = changed;
          });
        }
      }
    }
    let next = 0;
    for (const arg of opDef.outputArg) {
      for (const [i, slot] of this.#argSlots(scope, node, arg).entries()) {
        scope.outputs.set(`${node.name}:${arg.name}:${i}`, slot);
        scope.outputs.set(`${node.name}:${next}`, slot);
        if (next === 0) scope.outputs.set(node.name, slot);
        next += 1;
      }
    }
  }

  /** The slots of the tensors of an argument. */
  #argSlots(scope: Scope, node: NodeDef, arg: OpDef_ArgDef): Slot[] {
    const opDef = bundledOpRegistry().require(node.op);
    const length = argLength(opDef, node, arg) ?? 1;
    const key = `${scope.name}/${node.name} `;
    return Array.from({ length }, (_, i) => {
      if (arg.typeListAttr !== "") return this.#byKey.get(`${key}${arg.typeListAttr}[${i}]`) ?? fixed;
      return arg.typeAttr === "" ? fixed : (this.#byKey.get(key + arg.typeAttr) ?? fixed);
    });
  }

  #connect(scope: Scope, node: NodeDef): void {
    const opDef = bundledOpRegistry().get(node.op);
    if (opDef === undefined) return;
    const inputs = opDef.inputArg.flatMap((arg) => this.#argSlots(scope, node, arg));
    for (const [i, slot] of inputs.entries()) {
      const source = scope.outputs.get(node.input[i] ?? "");
      if (source !== undefined) join(slot, source);
    }
  }
}

/** Which dtype is replaced by which. */
export interface Retyping {
  readonly from: DType;
  readonly to: DType;
  /** Only what edges join with this attribute of a node: see `TypedPlace`. Everything of the dtype unless given. */
  readonly only?: string;
}

/** An attribute of a node that is a dtype, or an entry of one that is a list of them. */
export interface TypedPlace {
  /** "/node T" or "/node Tin[1]"; of a node in a function "function/node T". */
  readonly key: string;
  readonly op: string;
  readonly attr: string;
  readonly dtype: DType;
  /** Whether it says what a handle stands for: of which dtype a variable, a queue or a table is. */
  readonly isOfHandle: boolean;
}

/** Attributes that say of nodes with handles what these stand for. */
const handleAttr =
  /^(dtypes?|T|Tin|Tout|Tkeys?|Tval(ues)?|Tcomponents|\w*(component|element|elem|key|value|output|input)_d?types?)$/;

const hasHandle = ({ inputArg, outputArg }: OpDef): boolean =>
  [...inputArg, ...outputArg].some(
    ({ isRef, type }) => isRef || type === DataType.DT_RESOURCE || type === DataType.DT_VARIANT,
  );

/** All of a case. */
export function typedPlaces({ graph }: Case): TypedPlace[] {
  const scopes = [
    { scope: "", nodes: graph.node },
    ...(graph.library?.function ?? []).map((body) => ({
      scope: body.signature?.name ?? "",
      nodes: body.nodeDef,
    })),
  ];
  return scopes.flatMap(({ scope, nodes }) =>
    nodes.flatMap((node) => {
      const opDef = bundledOpRegistry().get(node.op);
      return (opDef === undefined ? [] : typeAttrs(opDef)).flatMap(({ name }) => {
        const value = attrOf(opDef as OpDef, node, name)?.value;
        const [types, isList] =
          value?.$case === "type"
            ? [[value.value], false]
            : value?.$case === "list"
              ? [value.value.type, true]
              : [[], false];
        return types.map((type, i) => ({
          key: `${scope}/${node.name} ${name}${isList ? `[${i}]` : ""}`,
          op: node.op,
          attr: name,
          dtype: dtypeOf(baseDataType(type)),
          isOfHandle: opDef !== undefined && hasHandle(opDef) && handleAttr.test(name),
        }));
      });
    }),
  );
}

/**
 * A case with a dtype in the place of another, wherever no op's definition asks for the old one; undefined where the
 * engine lacks a kernel for one of its nodes then.
 */
export function retyped(one: Case, { from, to, only }: Retyping, kernels: KernelRegistry): Case | undefined {
  const graph = GraphDef.decode(GraphDef.encode(one.graph).finish());
  const slots = new Slots(graph);
  const part = only === undefined ? undefined : rootOf(slots.find(only) ?? fixed);
  const changed = new Set(
    slots.all.filter((slot) => {
      const root = rootOf(slot);
      return slot.type === dataTypeOf(from) && root !== fixed && (part === undefined || root === part);
    }),
  );
  if (changed.size === 0) {
    return undefined;
  }
  const nodes = [...graph.node, ...(graph.library?.function.flatMap((body) => body.nodeDef) ?? [])];
  for (const slot of changed) slot.write(dataTypeOf(to));
  for (const node of nodes) {
    convertConstant(node);
    nameApart(node, one.name);
  }
  if (!nodes.every((node) => hasKernel(node, kernels))) {
    return undefined;
  }
  const convertFeed = ([name, value]: readonly [string, Tensor]): [string, Tensor] => {
    const slot = slots.tensors.get(name);
    return [name, slot !== undefined && changed.has(slot) ? converted(value, to) : value];
  };
  return {
    ...one,
    graph,
    steps: one.steps.map((step) => ({
      ...step,
      feeds: Object.fromEntries(Object.entries(step.feeds).map(convertFeed)),
    })),
  };
}

function hasKernel(node: NodeDef, kernels: KernelRegistry): boolean {
  const opDef = bundledOpRegistry().get(node.op);
  // A name that no op has is that of a function, which is called.
  return (
    opDef === undefined ||
    (typeAttrs(opDef).every((attr) => allows(attr, node)) &&
      kernels.find(new KernelNode(node, opDef), "CPU") !== undefined)
  );
}

function allows({ name, allowedValues }: OpDef_AttrDef, node: NodeDef): boolean {
  const [allowed, value] = [allowedValues?.value, node.attr.get(name)?.value];
  return allowed?.$case !== "list" || value?.$case !== "type" || allowed.value.type.includes(value.value);
}

/** The state that the node keeps under a name of its own is not that of the original's node. */
function nameApart(node: NodeDef, suffix: string): void {
  const value = node.attr.get("shared_name")?.value;
  if (value?.$case === "s" && value.value.length > 0) {
    const name = new TextEncoder().encode(`${new TextDecoder().decode(value.value)}_${suffix}`);
    node.attr.set("shared_name", AttrValue.fromPartial({ value: { $case: "s", value: name } }));
  }
}

/** Gives a constant the dtype that its node now has. */
function convertConstant(node: NodeDef): void {
  const [dtype, value] = [node.attr.get("dtype")?.value, node.attr.get("value")?.value];
  if (node.op !== "Const" || dtype?.$case !== "type" || value?.$case !== "tensor") {
    return;
  }
  if (value.value.dtype !== dtype.value) {
    const tensor = converted(tensorFromProto(value.value), dtypeOf(dtype.value));
    node.attr.set(
      "value",
      AttrValue.fromPartial({ value: { $case: "tensor", value: tensorToProto(tensor) } }),
    );
  }
}
