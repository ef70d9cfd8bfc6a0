/** Which kernels the nodes of a graph need: their own, and those of the functions that they call. */
import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { FunctionDef } from "../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { OpDef } from "../../protos/generated/tensorflow/op_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { structureOf } from "../../worker-runtime/graph/structural-ops.js";
import { dtypeName } from "../../worker-runtime/protocol/dtype.js";
import { attrOrDefault, type OpLookup } from "../document/signature.js";
import type { KernelNeed } from "./kernel-catalogue.js";

/** Caches its results, so that only the edited part of a large graph is checked again. For one library and op list. */
export class KernelNeeds {
  readonly #lookup: OpLookup;
  readonly #functions: ReadonlyMap<string, FunctionDef>;
  readonly #ofNode = new WeakMap<NodeDef, readonly KernelNeed[]>();
  readonly #ofFunction = new Map<string, readonly KernelNeed[]>();

  constructor(lookup: OpLookup, library: readonly FunctionDef[]) {
    this.#lookup = lookup;
    this.#functions = new Map(library.map((definition) => [definition.signature?.name ?? "", definition]));
  }

  /** Empty for an unknown op: that is another problem. */
  of(node: NodeDef): readonly KernelNeed[] {
    const known = this.#ofNode.get(node);
    if (known) return known;
    const own = this.#own(node);
    const called = this.#functions.size === 0 ? [] : this.#callees(node);
    const needs = called.length === 0 ? own : [...own, ...this.#ofFunctions(called)];
    this.#ofNode.set(node, needs);
    return needs;
  }

  #own(node: NodeDef, calledBy?: string): KernelNeed[] {
    const opDef = this.#lookup(node.op);
    // The executor passes values between a function and its caller without a kernel.
    const isBoundary = structureOf(node.op).boundary !== undefined;
    if (!opDef || isBoundary || this.#functions.has(node.op)) return [];
    const { op, device } = node;
    return [{ op, device, types: knownTypes(node, opDef), ...(calledBy === undefined ? {} : { calledBy }) }];
  }

  /** The functions of the library that a node names. */
  #callees({ op, attr }: NodeDef): string[] {
    const named = [...attr.values()].flatMap(functionsOf);
    return [op, ...named].filter((name) => this.#functions.has(name));
  }

  /** The needs of the bodies of these functions, and of those that they call. */
  #ofFunctions(names: readonly string[]): KernelNeed[] {
    const seen = new Set<string>();
    const needs: KernelNeed[] = [];
    const open = [...names];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      const definition = this.#functions.get(name);
      if (seen.has(name) || !definition) continue;
      seen.add(name);
      needs.push(...this.#ofBody(name, definition));
      for (const node of definition.nodeDef) open.push(...this.#callees(node));
    }
    return needs;
  }

  #ofBody(name: string, { nodeDef }: FunctionDef): readonly KernelNeed[] {
    const known = this.#ofFunction.get(name);
    if (known) return known;
    const needs = nodeDef.flatMap((node) => this.#own(node, name));
    this.#ofFunction.set(name, needs);
    return needs;
  }
}

function functionsOf({ value }: AttrValue): string[] {
  if (value?.$case === "func") return [value.value.name];
  return value?.$case === "list" ? value.value.func.map(({ name }) => name) : [];
}

/** The dtypes set by the node or by the op's default; a body may leave them to its caller. */
function knownTypes(node: NodeDef, opDef: OpDef): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const { name, type } of opDef.attr) {
    if (type !== "type") continue;
    const value = attrOrDefault(node, opDef, name)?.value;
    if (value?.$case !== "type" || value.value === DataType.DT_INVALID) continue;
    types.set(name, dtypeName(value.value).replace(/_ref$/, ""));
  }
  return types;
}
