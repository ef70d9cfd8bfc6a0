import type { AttrValue } from "../../../../protos/generated/tensorflow/attr_value.js";
import { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../../protos/generated/tensorflow/types.js";
import { outputTypes } from "../../../../worker-runtime/graph/node-signature.js";
import { bundledOpRegistry } from "../../../../worker-runtime/graph/op-registry.js";
import { type DType, dtypeOf } from "../../../../worker-runtime/protocol/dtype.js";
import type { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import { constant, graphOf, placeholder, shape, text, type, types } from "../../peers/nodes.js";
import type { Case, CaseStep, Tolerance } from "./case.js";

export { exact, type Tolerance } from "./case.js";

/** The value of a node's attribute. */
export type Attr = AttrValue["value"];
export type Attrs = Readonly<Record<string, Attr>>;

/** One node with everything that it computes from. */
export interface OpCase {
  readonly op: string;
  readonly inputs: readonly Tensor[];
  readonly attrs: Attrs;
  readonly tolerance: Tolerance;
  /** The outputs that are compared, where what the others hold is not said. All unless given. */
  readonly outputs?: readonly number[];
  /** Whether its inputs are never constants. */
  readonly onlyFed?: boolean;
  /** Why TensorFlow has no kernel for it: both engines refuse it. */
  readonly noKernel?: string;
}

export const attr = {
  type,
  types: (...list: DType[]): Attr => types(...list),
  shape,
  text,
  int: (value: number | bigint): Attr => ({ $case: "i", value: BigInt(value) }),
  float: (value: number): Attr => ({ $case: "f", value }),
  bool: (value: boolean): Attr => ({ $case: "b", value }),
  unknownShape: { $case: "shape", value: { dim: [], unknownRank: true } } as Attr,
  ints: (...values: number[]): Attr => list({ i: values.map(BigInt) }),
  floats: (...values: number[]): Attr => list({ f: values }),
  texts: (...values: string[]): Attr => list({ s: values.map((value) => new TextEncoder().encode(value)) }),
  shapes: (...values: (readonly number[])[]): Attr =>
    list({
      shape: values.map((sizes) => ({
        dim: sizes.map((size) => ({ size: BigInt(size), name: "" })),
        unknownRank: false,
      })),
    }),
} as const;

type ListValue = Extract<NonNullable<Attr>, { $case: "list" }>["value"];

function list(part: Partial<ListValue>): Attr {
  return {
    $case: "list",
    value: { s: [], i: [], f: [], b: [], type: [], shape: [], tensor: [], func: [], ...part },
  };
}

/** How a case's inputs reach its node: at run time, or where a master may compute with them beforehand. */
export type InputStyle = "fed" | "constant";

/** The node of a case, without its inputs. */
export function nodeDefOf({ op, attrs }: OpCase): NodeDef {
  return NodeDef.fromPartial({
    name: "node",
    op,
    attr: new Map(Object.entries(attrs).map(([name, value]) => [name, { value }])),
  });
}

/** @param name of the node; its inputs are named after it. */
export function caseOfNode(one: OpCase, name: string, style: InputStyle): Case {
  const { op, inputs, attrs, outputs = fetchableOutputs(op, attrs) } = one;
  const inputNames = inputs.map((_, i) => `${name}_in${i}`);
  const inputNodes = inputs.map((tensor, i) => {
    const inputName = inputNames[i] ?? "";
    return style === "fed" ? placeholder(inputName, tensor.dtype) : constant(inputName, tensor);
  });
  const feeds = style === "fed" ? inputs.map((tensor, i) => [`${inputNames[i]}:0`, tensor] as const) : [];
  const step: CaseStep = {
    fetches: outputs.map((index) => `${name}:${index}`),
    targets: outputs.length === 0 ? [name] : [],
    feeds: Object.fromEntries(feeds),
  };
  return {
    name,
    text: `${style}: ${caseText(one)}`,
    graph: graphOf(...inputNodes, { name, op, input: inputNames, attr: attrs }),
    steps: [step],
    tolerance: one.tolerance,
    sharesGraph: true,
    optimized: style === "constant",
    ...(one.noKernel === undefined ? {} : { noKernel: one.noKernel }),
  };
}

/** Handles and variants cannot be fetched. */
function fetchableOutputs(op: string, attrs: Attrs): number[] {
  const node = { attr: new Map(Object.entries(attrs).map(([name, value]) => [name, { value }])) };
  return outputTypes(bundledOpRegistry().require(op), node).flatMap(({ dtype }, index) =>
    dtype === DataType.DT_RESOURCE || dtype === DataType.DT_VARIANT ? [] : [index],
  );
}

const LONGEST_TEXT = 400;

/** The case for a person who is to find out why it failed. */
function caseText({ op, inputs, attrs }: OpCase): string {
  const shown = inputs.map((tensor) => `${tensor.dtype}[${tensor.shape}] ${elementsText(tensor)}`);
  const given = Object.entries(attrs).map(([name, value]) => `${name}=${attrText(value)}`);
  return `${op}(${shown.join("; ")}) ${given.join(" ")}`.slice(0, LONGEST_TEXT);
}

/** The value of an attribute, in short. */
export function attrText(value: Attr): string {
  const typesText = (list: readonly number[]) => list.map((one) => dtypeOf(one)).join(",");
  switch (value?.$case) {
    case "type":
      return typesText([value.value]);
    case "s":
      return new TextDecoder().decode(value.value);
    case "list":
      return value.value.type.length > 0
        ? typesText(value.value.type)
        : [
            ...value.value.i,
            ...value.value.f,
            ...value.value.s.map((one) => new TextDecoder().decode(one)),
          ].join(",");
    case "shape":
      return `[${value.value.unknownRank ? "?" : value.value.dim.map(({ size }) => size)}]`;
    default:
      return String(value?.value);
  }
}

/** The elements of a tensor, the first of many. */
export function elementsText(tensor: Tensor, limit = 12): string {
  const shown = Array.from({ length: Math.min(limit, tensor.size) }, (_, i) => tensor.elementText(i));
  return `{${shown.join(", ")}${tensor.size > limit ? ", …" : ""}}`;
}
