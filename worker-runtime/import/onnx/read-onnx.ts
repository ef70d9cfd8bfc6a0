/** Opens models in the Open Neural Network Exchange format, of operator sets 13 to 21. */
import {
  type GraphProto,
  ModelProto,
  type NodeProto,
  type ValueInfoProto,
} from "../../../protos/generated/onnx/onnx.js";
import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { Graph } from "../../graph/graph.js";
import type { Output } from "../../graph/operation.js";
import { constant, placeholder } from "../../graph/ops/index.js";
import { invalidArgument, TensorFlowError, unimplemented } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import { servingMetaGraph } from "../serving-meta-graph.js";
import { OnnxCall, type OnnxOp, type OnnxValue } from "./onnx-call.js";
import { dtypeOfOnnx, tensorOfOnnx } from "./onnx-tensor.js";
import { ARRAY_OPS } from "./ops/arrays.js";
import { ELEMENTWISE_OPS } from "./ops/elementwise.js";
import { NETWORK_OPS } from "./ops/networks.js";
import { REDUCTION_OPS } from "./ops/reductions.js";

const FIRST_OPSET = 13;
const LAST_OPSET = 21;

/** Every operator that is imported, by its name. */
export const ONNX_OPS: ReadonlyMap<string, OnnxOp> = new Map(
  Object.entries({ ...ELEMENTWISE_OPS, ...ARRAY_OPS, ...NETWORK_OPS, ...REDUCTION_OPS }),
);

/** @throws TensorFlowError INVALID_ARGUMENT if it is damaged; UNIMPLEMENTED that names what is not known here */
export function readOnnx(bytes: Uint8Array, name: string): MetaGraphDef {
  const model = decoded(bytes, name);
  if (!model.graph || model.graph.node.length === 0) {
    throw invalidArgument(`"${name}" is not an ONNX model, or it has no nodes.`);
  }
  const opset = Number(model.opsetImport.find(({ domain }) => isStandard(domain))?.version ?? 0);
  if (opset < FIRST_OPSET || opset > LAST_OPSET) {
    throw unimplemented(
      `"${name}" is of ONNX's operator set ${opset}; Tensordeck opens ${FIRST_OPSET} to ${LAST_OPSET}. Convert it with ` +
        "onnx.version_converter, or export it again.",
    );
  }
  return new Importer(model.graph, opset).metaGraph();
}

function decoded(bytes: Uint8Array, name: string): ModelProto {
  try {
    return ModelProto.decode(bytes);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidArgument(`"${name}" is damaged: it is not a complete ONNX model (${reason}).`, {
      cause: error,
    });
  }
}

function isStandard(domain: string | undefined): boolean {
  return domain === undefined || domain === "" || domain === "ai.onnx";
}

class Importer {
  readonly #graph = new Graph();
  readonly #source: GraphProto;
  readonly #opset: number;
  readonly #values = new Map<string, OnnxValue>();
  readonly #constants: ReadonlyMap<string, Tensor>;

  constructor(source: GraphProto, opset: number) {
    this.#source = source;
    this.#opset = opset;
    this.#constants = new Map(source.initializer.map((proto) => [proto.name ?? "", tensorOfOnnx(proto)]));
  }

  metaGraph(): MetaGraphDef {
    this.#refuseUnknown();
    const inputs = this.#source.input.filter(({ name }) => !this.#constants.has(name ?? ""));
    const fed = new Map(inputs.map((info) => [info.name ?? "", this.#placeholder(info)]));
    for (const node of this.#source.node) this.#add(node);
    const outputs = new Map(
      this.#source.output.map(({ name = "" }) => [name, this.#value(name, "The model's output").output]),
    );
    return servingMetaGraph(this.#graph, { inputs: fed, outputs });
  }

  /** Names every operator at once that there is nothing for. */
  #refuseUnknown(): void {
    const unknown = this.#source.node
      .filter(
        ({ opType = "", domain }) => opType !== "Constant" && !(isStandard(domain) && ONNX_OPS.has(opType)),
      )
      .map(({ opType, domain }) => (isStandard(domain) ? opType : `${domain}.${opType}`));
    if (unknown.length === 0) return;
    throw unimplemented(
      `The model has operators that Tensordeck cannot open: ${[...new Set(unknown)].join(", ")}. Convert it to a ` +
        "SavedModel, and open that.",
    );
  }

  #placeholder(info: ValueInfoProto): Output {
    const name = info.name ?? "";
    const tensor = info.type?.tensorType;
    const shape = tensor?.shape?.dim.map(({ value }) =>
      value?.$case === "dimValue" && value.value > 0n ? Number(value.value) : -1,
    );
    const dtype = dtypeOfOnnx(tensor?.elemType, `The input "${name}"`);
    const output = placeholder(this.#graph, dtype, shape, { name: scopeName(name) });
    this.#values.set(name, { output, known: undefined });
    return output;
  }

  #add(node: NodeProto): void {
    const { opType = "" } = node;
    const scope = scopeName(node.name || node.output[0] || opType);
    if (opType === "Constant") {
      const known = constantOf(node);
      if (!known)
        throw unimplemented(`The node "${scope}" (Constant) is of a kind that Tensordeck cannot open.`);
      const output = constant(this.#graph, known, { name: scope });
      this.#values.set(node.output[0] ?? "", { output, known });
      return;
    }
    const inputs = node.input.map((name) => (name === "" ? undefined : this.#value(name, `"${scope}"`)));
    const call = new OnnxCall(this.#graph, node, this.#opset, inputs);
    const made = this.#graph.withNameScope(scope, () => outputsOf(call));
    for (const [at, output] of made.entries()) {
      this.#values.set(node.output[at] ?? "", { output, known: undefined });
    }
  }

  #value(name: string, reader: string): OnnxValue {
    const found = this.#values.get(name);
    if (found) return found;
    const known = this.#constants.get(name);
    if (known === undefined) {
      throw invalidArgument(
        `${reader} reads "${name}", which nothing computes before: the model is damaged.`,
      );
    }
    const value = { output: constant(this.#graph, known, { name: scopeName(name) }), known };
    this.#values.set(name, value);
    return value;
  }
}

/** @throws TensorFlowError about the model's own node, whichever of TensorFlow's nodes cannot be made of it */
function outputsOf(call: OnnxCall): readonly Output[] {
  try {
    return [ONNX_OPS.get(call.type)?.(call) ?? []].flat();
  } catch (error) {
    if (!(error instanceof TensorFlowError) || error.message.startsWith(call.layer)) throw error;
    throw unimplemented(`${call.layer} cannot be opened: ${error.message}`, { cause: error });
  }
}

/** The value of a Constant; undefined for text and sparse tensors. */
function constantOf({ attribute }: NodeProto): Tensor | undefined {
  const [given] = attribute;
  switch (given?.name) {
    case "value":
      return given.t && tensorOfOnnx(given.t);
    case "value_int":
      return Tensor.of(given.i ?? 0n, "int64");
    case "value_ints":
      return Tensor.of(given.ints, "int64", [given.ints.length]);
    case "value_float":
      return Tensor.of(given.f ?? 0, "float32");
    case "value_floats":
      return Tensor.of(given.floats, "float32", [given.floats.length]);
    default:
      return undefined;
  }
}

/** A name as TensorFlow takes it: "/layer1/conv1/Conv" without the slash at its beginning. */
function scopeName(name: string): string {
  const clean = name
    .replace(/[^A-Za-z0-9_.\\/-]/g, "_")
    .replace(/\/{2,}/g, "/")
    .replace(/^\/+|\/+$/g, "");
  return /^[A-Za-z0-9.]/.test(clean) ? clean : `onnx${clean}`;
}
