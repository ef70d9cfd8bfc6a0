import type { NameAttrList } from "../../../../protos/generated/tensorflow/attr_value.js";
import type { FunctionDef, FunctionDefLibrary } from "../../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import { structureOf } from "../../../graph/structural-ops.js";
import { invalidArgument } from "../../../protocol/status.js";
import type { FunctionTools } from "./inline-body.js";
import { type Lowered, lowerCall, lowerCase, lowerIf, lowerWhile } from "./lowering.js";
import { type KnownOps, namesTask, usesSeveralTasks } from "./resource-tasks.js";

/** Limits how deeply functions may call each other. */
const MAX_DEPTH = 100;

/**
 * Replaces calls, Ifs, Cases and Whiles whose bodies place nodes on tasks, or whose arguments are variables of several
 * tasks, by the nodes of these bodies, as TensorFlow's master does with all of them: a worker runs a function as a
 * whole, so only the graph itself can be cut between tasks. Other functions stay calls. A node with the old name has
 * the outputs, so that they can be used and fetched as before.
 * @param earlier nodes that the graph already has, by name
 * @throws TensorFlowError INVALID_ARGUMENT for functions that call themselves.
 */
export function lowerFunctions(
  nodes: readonly NodeDef[],
  library: FunctionDefLibrary | undefined,
  known: KnownOps,
  earlier: (name: string) => NodeDef | undefined = () => undefined,
): readonly NodeDef[] {
  if (library === undefined || library.function.length === 0) {
    return nodes;
  }
  const functions = new Map(library.function.map((one) => [one.signature?.name ?? "", one]));
  return new GraphLowering(functions, known, earlier).lower(nodes);
}

class GraphLowering {
  readonly #tools: FunctionTools;
  readonly #known: KnownOps;
  readonly #earlier: (name: string) => NodeDef | undefined;
  /** Functions that name tasks. */
  readonly #spanning: ReadonlySet<string>;
  readonly #nodes = new Map<string, NodeDef>();
  /** Replacements for outputs that are handles. */
  readonly #handles = new Map<string, string>();

  constructor(
    functions: FunctionTools["functions"],
    known: KnownOps,
    earlier: (name: string) => NodeDef | undefined,
  ) {
    this.#tools = { functions, ops: known.ops };
    this.#known = known;
    this.#earlier = earlier;
    this.#spanning = functionsOverTasks(functions);
  }

  lower(nodes: readonly NodeDef[]): readonly NodeDef[] {
    const lowered = this.#lowerAll(nodes, 0);
    if (this.#handles.size === 0) {
      return lowered;
    }
    return lowered.map((node) => ({ ...node, input: node.input.map((input) => this.#resolve(input)) }));
  }

  #lowerAll(nodes: readonly NodeDef[], depth: number): readonly NodeDef[] {
    if (depth > MAX_DEPTH) {
      throw invalidArgument(
        "Functions that are placed on several tasks call themselves, or each other, endlessly.",
      );
    }
    for (const node of nodes) {
      this.#nodes.set(node.name, node);
    }
    return nodes.flatMap((node) => {
      const lowered = this.#isSpanning(node) ? lower(node, this.#tools) : undefined;
      if (lowered === undefined) {
        return [node];
      }
      for (const [output, handle] of lowered.handles) {
        this.#handles.set(output, handle);
      }
      return this.#lowerAll(lowered.nodes, depth + 1);
    });
  }

  #isSpanning(node: NodeDef): boolean {
    const callees = calleesOf(node);
    return (
      callees.some(({ name }) => this.#spanning.has(name)) ||
      (callees.length > 0 && usesSeveralTasks(node, this.#nodeOf, this.#resolve, this.#known))
    );
  }

  readonly #resolve = (input: string): string => {
    const handle = this.#handles.get(input);
    return handle === undefined ? input : this.#resolve(handle);
  };

  readonly #nodeOf = (name: string): NodeDef | undefined => this.#nodes.get(name) ?? this.#earlier(name);
}

/** undefined for nodes that cannot be lowered; the worker then reports that. */
function lower(node: NodeDef, tools: FunctionTools): Lowered | undefined {
  const callee = (attr: string) => {
    const value = node.attr.get(attr)?.value;
    return value?.$case === "func" ? value.value : undefined;
  };
  switch (structureOf(node.op).calls) {
    case "call": {
      const body = callee("f");
      return body && lowerCall(node, body, tools);
    }
    case "if": {
      const [whenTrue, whenFalse] = [callee("then_branch"), callee("else_branch")];
      return whenTrue && whenFalse ? lowerIf(node, { whenTrue, whenFalse }, tools) : undefined;
    }
    case "case": {
      const branches = node.attr.get("branches")?.value;
      const callees = branches?.$case === "list" ? branches.value.func : [];
      return callees.length > 0 ? lowerCase(node, callees, tools) : undefined;
    }
    case "while": {
      const [condition, body] = [callee("cond"), callee("body")];
      return condition && body ? lowerWhile(node, { condition, body }, tools) : undefined;
    }
    default:
      return undefined;
  }
}

/** The functions that have a node that names a job or a task, or that call such a function. */
function functionsOverTasks(functions: ReadonlyMap<string, FunctionDef>): ReadonlySet<string> {
  const callers = new Map<string, string[]>();
  const todo: string[] = [];
  for (const [name, { nodeDef }] of functions) {
    if (nodeDef.some(namesTask)) {
      todo.push(name);
    }
    for (const callee of nodeDef.flatMap(calleesOf)) {
      callers.set(callee.name, [...(callers.get(callee.name) ?? []), name]);
    }
  }
  const spanning = new Set<string>();
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (!spanning.has(name)) {
      spanning.add(name);
      todo.push(...(callers.get(name) ?? []));
    }
  }
  return spanning;
}

function calleesOf({ attr }: NodeDef): NameAttrList[] {
  return [...attr.values()].flatMap(({ value }) =>
    value?.$case === "func" ? [value.value] : value?.$case === "list" ? value.value.func : [],
  );
}
