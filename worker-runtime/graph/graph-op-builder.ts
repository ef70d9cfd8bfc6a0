import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { OpDef, OpDef_ArgDef } from "../../protos/generated/tensorflow/op_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { type DType, dtypeName, dtypeOf } from "../protocol/dtype.js";
import { invalidArgument } from "../protocol/status.js";
import { Tensor } from "../protocol/tensor.js";
import type { TensorValue } from "../protocol/tensor-values.js";
import { attrProblem } from "./attr-validation.js";
import { type AttrInput, toAttrValue, typeAttr } from "./attr-values.js";
import { constantProto } from "./constant-proto.js";
import type { OpRegistry } from "./op-registry.js";
import { Operation, Output } from "./operation.js";
import { didYouMean } from "./similar-names.js";
import { inferAttrs } from "./type-inference.js";

/** A tensor, the first output of an operation, or a value that becomes a Const. */
export type OpValue = Output | Operation | Tensor | TensorValue;
/** The value of an op's input argument, or a list of values if the argument is a list. */
export type OpInput = OpValue | readonly OpValue[];

/** The parts of a new node, once its inputs and attributes are known. */
export interface NodeParts {
  readonly type: string;
  /** As accepted by `NameScopes.forOperation`. */
  readonly name: string;
  readonly inputs: readonly Output[];
  readonly attrs: ReadonlyMap<string, AttrValue>;
}

/** The part of a graph that adds nodes to it. */
export interface NodeTaker {
  readonly registry: OpRegistry;
  addNode(parts: NodeParts): Operation;
  withNameScope<T>(name: string, body: (scope: string) => T): T;
  withColocation<T>(op: Output, body: () => T): T;
}

function isTensor(value: OpInput): value is Output | Operation {
  return value instanceof Output || value instanceof Operation;
}

function outputOf(value: Output | Operation): Output {
  return value instanceof Operation ? value.output : value;
}

function isList(arg: OpDef_ArgDef): boolean {
  return arg.numberAttr !== "" || arg.typeListAttr !== "";
}

/** The values of one input argument: one, or those of a list. */
function valuesOf(type: string, arg: OpDef_ArgDef, input: OpInput): readonly OpValue[] {
  if (!isList(arg)) return [input as OpValue];
  if (Array.isArray(input)) return input as readonly OpValue[];
  throw invalidArgument(`Input '${arg.name}' of '${type}' takes a list of tensors.`);
}

/** Creates a Const; the name is handled as by `NameScopes.forOperation`. */
export function addConstant(graph: NodeTaker, tensor: Tensor, name: string): Output {
  const attrs = new Map<string, AttrValue>([
    ["value", { value: { $case: "tensor", value: constantProto(tensor) } }],
    ["dtype", typeAttr(tensor.dtype)],
  ]);
  return graph.addNode({ type: "Const", name, inputs: [], attrs }).output;
}

interface Build {
  readonly graph: NodeTaker;
  readonly opDef: OpDef;
  readonly inputs: readonly (readonly OpValue[])[];
  readonly given: Map<string, AttrValue>;
}

/** The dtype for a value without one: that of the op, or of a tensor with the same type attribute. */
function wantedDType(build: Build, arg: OpDef_ArgDef): DType | undefined {
  if (arg.typeAttr === "") return arg.type === 0 ? undefined : dtypeOf(arg.type);
  const given = build.given.get(arg.typeAttr)?.value;
  if (given?.$case === "type") return dtypeOf(given.value);
  for (let i = 0; i < build.opDef.inputArg.length; i++) {
    if (build.opDef.inputArg[i]?.typeAttr !== arg.typeAttr) continue;
    const tensor = build.inputs[i]?.find(isTensor);
    if (tensor) return outputOf(tensor).dtype;
  }
  const attr = build.opDef.attr.find(({ name }) => name === arg.typeAttr);
  const fallback = attr?.defaultValue?.value;
  if (fallback?.$case === "type") return dtypeOf(fallback.value);
  // Indices and the like: numbers would be float32, which the op does not take.
  const allowed = attr?.allowedValues?.value;
  const types = allowed?.$case === "list" ? allowed.value.type : [];
  return types.includes(DataType.DT_INT32) && !types.includes(DataType.DT_FLOAT) ? "int32" : undefined;
}

function toOutput(build: Build, arg: OpDef_ArgDef, value: OpValue, name: string): Output {
  if (isTensor(value)) return outputOf(value);
  const dtype = wantedDType(build, arg);
  const tensor = value instanceof Tensor ? value : Tensor.of(value, dtype);
  return addConstant(build.graph, tensor, name);
}

/** Checks a tensor against the fixed type of an argument, and that it is a reference if the op requires one. */
function checkInput(opDef: OpDef, arg: OpDef_ArgDef, output: Output): void {
  if (arg.isRef && !output.isRef) {
    throw invalidArgument(
      `Input '${arg.name}' of '${opDef.name}' Op requires a reference (an old-style variable), but ${output.name} is none.`,
    );
  }
  if (arg.type !== 0 && output.dataType !== undefined && output.dataType !== arg.type) {
    throw invalidArgument(
      `Input '${arg.name}' of '${opDef.name}' Op has type ${dtypeName(output.dataType)} ` +
        `that does not match expected type of ${dtypeName(arg.type)}.`,
    );
  }
}

function conflict(opDef: OpDef, attr: string, given: AttrValue, inferred: string): Error {
  const value = given.value;
  const shown =
    value?.$case === "type" ? dtypeName(value.value) : value?.$case === "i" ? `${value.value}` : "given";
  return invalidArgument(
    `Attribute '${attr}' of '${opDef.name}' is ${shown}, but its inputs make it ${inferred}.`,
  );
}

/** All attributes of the node, in the order in which the op lists them. */
function completeAttrs(build: Build, inputs: readonly (readonly Output[])[], extra: Map<string, AttrValue>) {
  const { opDef, given } = build;
  const inferred = inferAttrs(
    opDef,
    inputs.map((outputs) => outputs.map((output) => output.dataType)),
  );
  const out = new Map<string, AttrValue>();
  for (const attr of opDef.attr) {
    const value = given.get(attr.name);
    const type = inferred.types.get(attr.name);
    const length = inferred.numbers.get(attr.name);
    const types = inferred.typeLists.get(attr.name);
    let chosen = value;
    if (type !== undefined) {
      if (value?.value?.$case === "type" && value.value.value !== type) {
        throw conflict(opDef, attr.name, value, dtypeName(type));
      }
      chosen = typeAttr(type);
    } else if (length !== undefined) {
      if (value?.value?.$case === "i" && value.value.value !== BigInt(length)) {
        throw conflict(opDef, attr.name, value, String(length));
      }
      chosen = { value: { $case: "i", value: BigInt(length) } };
    } else if (types !== undefined) chosen = toAttrValue(attr, types as DataType[]);
    chosen ??= attr.defaultValue;
    if (!chosen) throw invalidArgument(`'${opDef.name}' needs the attribute '${attr.name}' (${attr.type}).`);
    const problem = attrProblem(attr, chosen);
    if (problem) throw invalidArgument(`'${opDef.name}': ${problem}.`);
    out.set(attr.name, chosen);
  }
  for (const [name, value] of extra) out.set(name, value);
  return out;
}

/** The given attributes: those of the op, and private ones (beginning with "_"), which must be AttrValues. */
function splitAttrs(opDef: OpDef, attrs: Readonly<Record<string, AttrInput | undefined>>) {
  const given = new Map<string, AttrValue>();
  const extra = new Map<string, AttrValue>();
  for (const [name, value] of Object.entries(attrs)) {
    if (value === undefined) continue;
    const attr = opDef.attr.find((a) => a.name === name);
    if (attr) given.set(name, toAttrValue(attr, value));
    else if (name.startsWith("_") && typeof value === "object" && "value" in value)
      extra.set(name, value as AttrValue);
    else {
      const names = opDef.attr.map((a) => a.name);
      throw invalidArgument(`'${opDef.name}' has no attribute '${name}'.${didYouMean(name, names)}`);
    }
  }
  return { given, extra };
}

/** See Graph.op. */
export function buildNode(
  graph: NodeTaker,
  type: string,
  inputs: readonly OpInput[],
  attrs: Readonly<Record<string, AttrInput | undefined>>,
  name: string,
): Operation {
  const opDef = graph.registry.require(type);
  if (inputs.length !== opDef.inputArg.length) {
    const wanted = opDef.inputArg.map((arg) => arg.name).join(", ") || "none";
    throw invalidArgument(
      `'${type}' takes ${opDef.inputArg.length} inputs (${wanted}), but ${inputs.length} were given.`,
    );
  }
  const { given, extra } = splitAttrs(opDef, attrs);
  const values = opDef.inputArg.map((arg, i) => valuesOf(type, arg, inputs[i] as OpInput));
  const build: Build = { graph, opDef, inputs: values, given };
  return graph.withNameScope(name, (scope) => {
    const outputs = opDef.inputArg.map((arg, i) =>
      (values[i] ?? []).map((value, j) => {
        const output = toOutput(build, arg, value, isList(arg) ? `${arg.name}_${j}` : arg.name);
        checkInput(opDef, arg, output);
        return output;
      }),
    );
    const complete = completeAttrs(build, outputs, extra);
    const add = () => graph.addNode({ type, name: scope, inputs: outputs.flat(), attrs: complete });
    // An op that modifies a variable must be on the variable's device.
    const references = opDef.inputArg.flatMap((arg, i) => (arg.isRef ? (outputs[i] ?? []) : []));
    return references.reduceRight<() => Operation>(
      (body, reference) => () => graph.withColocation(reference, body),
      add,
    )();
  });
}
