import type { AttrValue } from "../../../../protos/generated/tensorflow/attr_value.js";
import { DataType } from "../../../../protos/generated/tensorflow/types.js";
import { outputTypes } from "../../../../worker-runtime/graph/node-signature.js";
import { bundledOpRegistry } from "../../../../worker-runtime/graph/op-registry.js";
import type { DType } from "../../../../worker-runtime/protocol/dtype.js";
import type { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import { constant, type Node, placeholder, shape, text, type, types } from "../../peers/nodes.js";

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
}

/** How far two engines may lie apart where an op rounds. The exact ops have none at all. */
export interface Tolerance {
  /** In units of the last place of the dtype. */
  readonly ulps: number;
  /**
   * A unit of the last place is taken at this magnitude where the value is smaller; 0 unless given.
   * - a number: a sum of numbers up to 100 that happens to be near 0 cannot be exact to its own last place
   * - "element": that of the complex number which the value is a part of
   * - "largest": that of the tensor's largest element. What a stable computation with whole matrices or images loses is
   *   small beside that, however small a single element is
   */
  readonly scale?: number | "element" | "largest";
  /** Whether 0 may stand for -0. So it may wherever an op rounds. */
  readonly eitherZero?: boolean;
}

export const exact: Tolerance = { ulps: 0 };

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

/** A case as nodes of a graph. */
export interface CaseNodes {
  readonly nodes: readonly Node[];
  readonly feeds: Readonly<Record<string, Tensor>>;
  readonly fetches: readonly string[];
}

/** @param name of the node; its inputs are named after it. */
export function nodesOfCase(
  { op, inputs, attrs, outputs = fetchableOutputs(op, attrs) }: OpCase,
  name: string,
  style: InputStyle,
): CaseNodes {
  const inputNames = inputs.map((_, i) => `${name}_in${i}`);
  const inputNodes = inputs.map((tensor, i) => {
    const inputName = inputNames[i] ?? "";
    return style === "fed" ? placeholder(inputName, tensor.dtype) : constant(inputName, tensor);
  });
  const feeds = style === "fed" ? inputs.map((tensor, i) => [`${inputNames[i]}:0`, tensor] as const) : [];
  return {
    nodes: [...inputNodes, { name, op, input: inputNames, attr: attrs }],
    feeds: Object.fromEntries(feeds),
    fetches: outputs.map((index) => `${name}:${index}`),
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
export function caseText({ op, inputs, attrs }: OpCase): string {
  const shown = inputs.map((tensor) => `${tensor.dtype}[${tensor.shape}] ${elementsText(tensor)}`);
  const json = JSON.stringify(attrs, (_, value: unknown) =>
    typeof value === "bigint"
      ? String(value)
      : value instanceof Uint8Array
        ? new TextDecoder().decode(value)
        : value,
  );
  return `${op}(${shown.join("; ")}) ${json}`.slice(0, LONGEST_TEXT);
}

/** The elements of a tensor, the first of many. */
export function elementsText(tensor: Tensor, limit = 12): string {
  const shown = Array.from({ length: Math.min(limit, tensor.size) }, (_, i) => tensor.elementText(i));
  return `{${shown.join(", ")}${tensor.size > limit ? ", …" : ""}}`;
}
