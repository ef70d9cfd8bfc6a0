import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { OpDef, OpDef_AttrDef } from "../../protos/generated/tensorflow/op_def.js";
import type { DataType } from "../../protos/generated/tensorflow/types.js";
import { dtypeName } from "../protocol/dtype.js";
import { parseEdge } from "./edge.js";
import { inputArgs } from "./node-signature.js";
import { tryDecodeUtf8 } from "./text-format/escapes.js";

type ScalarCase = "s" | "i" | "f" | "b" | "type" | "shape" | "tensor" | "func";

/** The field of an AttrValue that holds an attribute of each type. */
const CASES: Readonly<Record<string, ScalarCase>> = {
  string: "s",
  int: "i",
  float: "f",
  bool: "b",
  type: "type",
  shape: "shape",
  tensor: "tensor",
  func: "func",
};

/** The type inside "list(type)"; undefined if the attribute is not a list. */
export function listElementType(attrType: string): string | undefined {
  return /^list\((\w+)\)$/.exec(attrType)?.[1];
}

function listLength(value: AttrValue, elementType: string): number {
  const list = value.value?.$case === "list" ? value.value.value : undefined;
  const field = CASES[elementType];
  return list && field ? list[field].length : 0;
}

function hasType(value: AttrValue, attrType: string): boolean {
  const elementType = listElementType(attrType);
  const actual = value.value?.$case;
  if (elementType === undefined) return actual === CASES[attrType];
  if (actual !== "list") return false;
  const list = value.value?.$case === "list" ? value.value.value : undefined;
  // An empty list does not reveal its type.
  return Object.values(CASES).every((field) => field === CASES[elementType] || list?.[field].length === 0);
}

function text(bytes: Uint8Array): string {
  return tryDecodeUtf8(bytes) ?? "(bytes)";
}

function allowedProblem(attr: OpDef_AttrDef, value: AttrValue): string | undefined {
  const allowed = attr.allowedValues?.value?.$case === "list" ? attr.allowedValues.value.value : undefined;
  if (!allowed) return undefined;
  if (allowed.type.length > 0) {
    const types: readonly DataType[] =
      value.value?.$case === "type"
        ? [value.value.value]
        : value.value?.$case === "list"
          ? value.value.value.type
          : [];
    const wrong = types.find((type) => !allowed.type.includes(type));
    if (wrong === undefined) return undefined;
    return `'${attr.name}' cannot be ${dtypeName(wrong)}; allowed are ${allowed.type.map(dtypeName).join(", ")}`;
  }
  const strings = allowed.s.map(text);
  const given =
    value.value?.$case === "s"
      ? [value.value.value]
      : value.value?.$case === "list"
        ? value.value.value.s
        : [];
  const wrong = given.map(text).find((s) => !strings.includes(s));
  if (wrong === undefined) return undefined;
  return `'${attr.name}' cannot be "${wrong}"; allowed are ${strings.map((s) => `"${s}"`).join(", ")}`;
}

function minimumProblem(attr: OpDef_AttrDef, value: AttrValue): string | undefined {
  if (!attr.hasMinimum) return undefined;
  const elementType = listElementType(attr.type);
  if (elementType !== undefined) {
    const length = listLength(value, elementType);
    if (BigInt(length) >= attr.minimum) return undefined;
    return `'${attr.name}' has ${length} entries but needs at least ${attr.minimum}`;
  }
  if (value.value?.$case !== "i" || value.value.value >= attr.minimum) return undefined;
  return `'${attr.name}' is ${value.value.value} but must be at least ${attr.minimum}`;
}

/**
 * Describes what is wrong with an attribute's value; undefined if it is valid. Follows TensorFlow's
 * ValidateAttrValue: type, allowed values, minimum.
 */
export function attrProblem(attr: OpDef_AttrDef, value: AttrValue): string | undefined {
  // A placeholder stands for a value inside a function's body.
  if (value.value?.$case === "placeholder") return undefined;
  if (!hasType(value, attr.type)) return `'${attr.name}' must be of type ${attr.type}`;
  return allowedProblem(attr, value) ?? minimumProblem(attr, value);
}

/** Describes the problems of a single node: missing or wrong attributes, too few or too many inputs. */
export function nodeProblems(opDef: OpDef, node: Pick<NodeDef, "attr" | "input">): string[] {
  const problems: string[] = [];
  for (const attr of opDef.attr) {
    const value = node.attr.get(attr.name);
    if (value) {
      const problem = attrProblem(attr, value);
      if (problem) problems.push(problem);
    } else if (!attr.defaultValue) {
      problems.push(`'${attr.name}' (${attr.type}) is missing`);
    }
  }
  const wanted = inputArgs(opDef, node);
  const given = node.input.filter((input) => !parseEdge(input).control).length;
  if (given < wanted.length) {
    const missing = wanted.slice(given).map((arg) => arg.name);
    problems.push(`${missing.length === 1 ? "input" : "inputs"} ${missing.join(", ")} not connected`);
  } else if (given > wanted.length) {
    problems.push(`${given} inputs are connected but ${opDef.name} has ${wanted.length}`);
  }
  return problems;
}
