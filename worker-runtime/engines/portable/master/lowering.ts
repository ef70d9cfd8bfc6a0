import type { AttrValue, NameAttrList } from "../../../../protos/generated/tensorflow/attr_value.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../../protos/generated/tensorflow/types.js";
import { stringAttr, typeAttr } from "../../../graph/attr-values.js";
import { formatEdge } from "../../../graph/edge.js";
import { makeNodeDef } from "./graph-node.js";
import { type FunctionTools, inlineBody } from "./inline-body.js";

const BOOL: AttrValue = typeAttr("bool");
const INT32: AttrValue = typeAttr("int32");
const TWO = intAttr(2);
const DEFAULT_PARALLEL_ITERATIONS = intAttr(10);

function isResource(type: AttrValue | undefined): boolean {
  return type?.value?.$case === "type" && type.value.value === DataType.DT_RESOURCE;
}

function isBool(type: AttrValue | undefined): boolean {
  return type?.value?.$case === "type" && type.value.value === DataType.DT_BOOL;
}

function intAttr(value: number): AttrValue {
  return { value: { $case: "i", value: BigInt(value) } };
}

/** The replacement of a node that calls functions. */
export interface Lowered {
  readonly nodes: readonly NodeDef[];
  /**
   * Outputs of the old node that are resource handles, with their replacements, both as in NodeDef.input. The consumer
   * of a handle is placed where the handle comes from, and no node can be on several tasks.
   */
  readonly handles: ReadonlyMap<string, string>;
}

/** A call as the nodes of its body. */
export function lowerCall(node: NodeDef, callee: NameAttrList, tools: FunctionTools): Lowered {
  const lowering = new Lowering(node);
  const start = lowering.add("start", "NoOp", lowering.controls);
  const site = { ...lowering.site("body"), inputs: lowering.inputs, pivot: start };
  const body = inlineBody(callee, site, tools);
  return lowering.finish(body.nodes, body.results, body.resultTypes, [`^${start}`, ...body.ends]);
}

/**
 * An If as Switches before the bodies of both branches, and a Merge behind them. A condition of another type is made a
 * boolean first, by TensorFlow's idea of truth.
 */
export function lowerIf(
  node: NodeDef,
  { whenTrue, whenFalse }: { readonly whenTrue: NameAttrList; readonly whenFalse: NameAttrList },
  tools: FunctionTools,
): Lowered {
  const branches = [
    { name: "else", callee: whenFalse },
    { name: "then", callee: whenTrue },
  ];
  const given = node.attr.get("Tcond");
  const choice = { switchOp: "Switch", switchAttrs: {}, selector: BOOL, branches };
  return lowerChoice(node, isBool(given) ? choice : { ...choice, judged: given }, tools);
}

/** A Case as _SwitchNs before the bodies of its branches, and a Merge behind them. */
export function lowerCase(node: NodeDef, callees: readonly NameAttrList[], tools: FunctionTools): Lowered {
  const switchAttrs = { num_outs: intAttr(callees.length) };
  const branches = callees.map((callee, i) => ({ name: `branch${i}`, callee }));
  return lowerChoice(node, { switchOp: "_SwitchN", switchAttrs, selector: INT32, branches }, tools);
}

/** How one of several functions is chosen. */
interface Choice {
  /** An op that passes its first input to the output that its second one selects. */
  readonly switchOp: string;
  readonly switchAttrs: Readonly<Record<string, AttrValue>>;
  /** The type of the selector, which is the node's first input. */
  readonly selector: AttrValue;
  /** The type of the node's first input, if only its truth value selects. */
  readonly judged?: AttrValue | undefined;
  /** Branches by the output of the switch. */
  readonly branches: readonly { readonly name: string; readonly callee: NameAttrList }[];
}

function lowerChoice(
  node: NodeDef,
  { switchOp, switchAttrs, selector, judged, branches }: Choice,
  tools: FunctionTools,
): Lowered {
  const lowering = new Lowering(node);
  const [first = "", ...given] = lowering.inputs;
  const chosen =
    judged === undefined
      ? first
      : lowering.add("truth", "ToBool", [first, ...lowering.controls], { T: judged });
  const types = lowering.types("Tin");
  const decision = lowering.add("decision", switchOp, [chosen, chosen, ...lowering.controls], {
    ...switchAttrs,
    T: selector,
  });
  const switches = given.map((input, i) =>
    lowering.add(`switch_${i}`, switchOp, [input, chosen], { ...switchAttrs, T: types[i] }),
  );
  const bodies = branches.map(({ name, callee }, output) => {
    const outputOf = (source: string) => formatEdge({ control: false, node: source, output });
    const pivot = lowering.add(`${name}_pivot`, "Identity", [outputOf(decision)], { T: selector });
    const site = { ...lowering.site(name), inputs: switches.map(outputOf), pivot };
    const body = inlineBody(callee, site, tools);
    return {
      ...body,
      done: lowering.add(`${name}_done`, "Identity", [pivot, ...body.ends], { T: selector }),
    };
  });
  const N = intAttr(bodies.length);
  const resultTypes = bodies[0]?.resultTypes ?? [];
  const results = resultTypes.map((T, i) =>
    lowering.add(
      `merge_${i}`,
      "Merge",
      bodies.map((body) => body.results[i] ?? ""),
      { T, N },
    ),
  );
  const ends = bodies.map(({ done }) => done);
  const done = lowering.add("done", "Merge", ends, { T: selector, N });
  return lowering.finish(
    bodies.flatMap(({ nodes }) => nodes),
    results,
    resultTypes,
    [`^${done}`],
  );
}

/**
 * A While as a loop of Enter, Merge, Switch, NextIteration and Exit. Resources do not change from iteration to iteration.
 * @returns undefined for a loop without a variable, which has nothing to drive it.
 */
export function lowerWhile(
  node: NodeDef,
  { condition, body }: { readonly condition: NameAttrList; readonly body: NameAttrList },
  tools: FunctionTools,
): Lowered | undefined {
  const lowering = new Lowering(node);
  const types = lowering.types("T");
  const isFixed = types.map(isResource);
  const first = isFixed.indexOf(false);
  if (first < 0) {
    return undefined;
  }
  const entered = lowering.inputs.map((input, i) =>
    lowering.add(`enter_${i}`, "Enter", [input, ...lowering.controls], {
      T: types[i],
      frame_name: stringAttr(node.name),
      is_constant: { value: { $case: "b", value: isFixed[i] ?? false } },
      parallel_iterations: node.attr.get("parallel_iterations") ?? DEFAULT_PARALLEL_ITERATIONS,
    }),
  );
  const merged = entered.map((enter, i) =>
    isFixed[i]
      ? enter
      : lowering.add(`merge_${i}`, "Merge", [enter, lowering.name(`next_${i}`)], { T: types[i], N: TWO }),
  );
  // Nodes that only use handles must run again in every iteration, also where it is the only part of the loop on its
  // task.
  const inIteration = (part: string, values: readonly string[], pivot: string) =>
    values.map((value, i) =>
      isFixed[i]
        ? lowering.add(`${part}_handle_${i}`, "Identity", [value, `^${pivot}`], { T: types[i] })
        : value,
    );
  const testPivot = merged[first] ?? "";
  const tested = inIteration("cond", merged, testPivot);
  const test = inlineBody(condition, { ...lowering.site("cond"), inputs: tested, pivot: testPivot }, tools);
  const [answer = ""] = test.results;
  const [T] = test.resultTypes;
  const truth = isBool(T) ? answer : lowering.add("truth", "ToBool", [answer], { T });
  const goesOn = lowering.add("condition", "LoopCond", [truth, ...test.ends]);
  const switches = merged.map((merge, i) =>
    isFixed[i] ? merge : lowering.add(`switch_${i}`, "Switch", [merge, goesOn], { T: types[i] }),
  );
  const kept = switches.map((one, i) => (isFixed[i] ? one : `${one}:1`));
  const pivot = lowering.add("body_pivot", "Identity", [kept[first] ?? ""], { T: types[first] });
  const turned = inIteration("body", kept, pivot);
  const turn = inlineBody(body, { ...lowering.site("body"), inputs: turned, pivot }, tools);
  const results = switches.map((one, i) => {
    if (isFixed[i]) {
      return lowering.inputs[i] ?? "";
    }
    lowering.add(`next_${i}`, "NextIteration", [turn.results[i] ?? "", ...turn.ends], { T: types[i] });
    return lowering.add(`exit_${i}`, "Exit", [one], { T: types[i] });
  });
  return lowering.finish([...test.nodes, ...turn.nodes], results, types, []);
}

/** Collects the nodes that replace one node. */
class Lowering {
  readonly #node: NodeDef;
  readonly #added: NodeDef[] = [];
  /** The data inputs, followed by the control inputs with their "^". */
  readonly inputs: readonly string[];
  readonly controls: readonly string[];

  constructor(node: NodeDef) {
    this.#node = node;
    this.inputs = node.input.filter((input) => !input.startsWith("^"));
    this.controls = node.input.filter((input) => input.startsWith("^"));
  }

  name(part: string): string {
    return `${this.#node.name}/${part}`;
  }

  site(part: string): { readonly prefix: string; readonly device: string } {
    return { prefix: this.name(part), device: this.#node.device };
  }

  /** The entries of an attribute that is a list of types, as attributes. */
  types(attr: string): readonly AttrValue[] {
    const value = this.#node.attr.get(attr)?.value;
    return value?.$case === "list" ? value.value.type.map((type) => typeAttr(type)) : [];
  }

  /** @returns the new node's name. */
  add(
    part: string,
    op: string,
    input: readonly string[],
    attrs: Readonly<Record<string, AttrValue | undefined>> = {},
  ): string {
    const known = Object.entries(attrs).flatMap(([name, value]): [string, AttrValue][] =>
      value === undefined ? [] : [[name, value]],
    );
    const def = makeNodeDef(this.name(part), op, known);
    this.#added.push({ ...def, device: this.#node.device, input: [...input] });
    return def.name;
  }

  /** All nodes, followed by one with the old name. It has an unused output in place of each handle. */
  finish(
    body: readonly NodeDef[],
    results: readonly string[],
    types: readonly AttrValue[],
    ends: readonly string[],
  ): Lowered {
    const { name, device } = this.#node;
    const usable = types.findIndex((type) => !isResource(type));
    const kept = usable < 0 ? [] : results.map((_, i) => (isResource(types[i]) ? usable : i));
    const list = kept.flatMap((i) => {
      const value = types[i]?.value;
      return value?.$case === "type" ? [value.value] : [];
    });
    const T: AttrValue = {
      value: {
        $case: "list",
        value: { s: [], i: [], f: [], b: [], type: list, shape: [], tensor: [], func: [] },
      },
    };
    const end = kept.length === 0 ? makeNodeDef(name, "NoOp") : makeNodeDef(name, "IdentityN", [["T", T]]);
    const input = [...kept.map((i) => results[i] ?? ""), ...ends];
    const handles = results.flatMap((result, output): [string, string][] =>
      isResource(types[output]) ? [[formatEdge({ control: false, node: name, output }), result]] : [],
    );
    return { nodes: [...this.#added, ...body, { ...end, device, input }], handles: new Map(handles) };
  }
}
