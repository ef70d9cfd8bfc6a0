import {
  AttributeProto,
  GraphProto,
  ModelProto,
  NodeProto,
  type TensorProto,
  ValueInfoProto,
} from "../../../../protos/generated/onnx/onnx.js";
import type { DType } from "../../../protocol/dtype.js";
import type { Tensor } from "../../../protocol/tensor.js";
import { graph, type OnnxAttributes } from "./attributes.js";
import { onnxDataType, tensorProto } from "./tensor-proto.js";

/** The ONNX operator set version that models use, and the matching version of the file format. */
const OPSET = 21n;
const IR_VERSION = 10n;

/** ONNX Runtime's own operators. */
export const MICROSOFT = "com.microsoft";

/** Those on images whose channels are in blocks, which ONNX Runtime has for some processors. */
export const BLOCKED_CHANNELS = "com.microsoft.nchwc";

/** A value in a model. */
export interface OnnxValue {
  readonly name: string;
  readonly dtype: DType;
  /** The same numbers as int64, if they are the sizes of a tensor. */
  readonly sizes?: OnnxValue;
  /** The value of another dtype that this one was cast from. */
  readonly castFrom?: OnnxValue;
}

export interface OnnxNodeOptions {
  readonly attributes?: OnnxAttributes;
  /** The operator's domain, if it is not a standard operator. */
  readonly domain?: string;
  /**
   * The rank of the output, if ONNX's shape inference cannot determine it, as for a convolution with filters of unknown
   * size. Without it ONNX Runtime keeps the transposes before and after its neighbours.
   */
  readonly rank?: number;
}

/** The nodes on which a model's outputs depend. */
type Needed = Required<Pick<GraphProto, "node" | "initializer" | "valueInfo">>;

/** Writes a model, node by node. Values are numbered; ONNX nodes keep the names of TensorFlow's nodes. */
export class ModelBuilder {
  #nodes: NodeProto[] = [];
  readonly #initializers: TensorProto[] = [];
  readonly #inputs: ValueInfoProto[] = [];
  readonly #outputs: ValueInfoProto[] = [];
  #ranks: ValueInfoProto[] = [];
  /** The existing constants by tensor: lowerings need not keep track of those that they share. */
  readonly #constants = new Map<Tensor, OnnxValue>();
  /** The same by the names of their values. */
  readonly #tensors = new Map<string, Tensor>();
  #values = 0;
  #added = 0;
  #scope = "";

  /** Sets the name of nodes added from now on, for ONNX Runtime's profiles and errors. */
  setScope(name: string): void {
    this.#scope = name;
  }

  /** @param rank the number of symbolic dimensions; 0 for a scalar. */
  input(dtype: DType, rank: number): OnnxValue {
    const value = this.#value(dtype);
    this.#inputs.push(valueInfo(value, rank));
    return value;
  }

  /** Makes a value an output of the model, with the returned name, which is new for each call. */
  output(value: OnnxValue): OnnxValue {
    const output = this.node("Identity", [value], value.dtype);
    this.#outputs.push(valueInfo(output, undefined));
    return output;
  }

  constant(tensor: Tensor): OnnxValue {
    const known = this.#constants.get(tensor);
    if (known !== undefined) {
      return known;
    }
    const value = this.#value(tensor.dtype);
    this.#initializers.push(tensorProto(value.name, tensor));
    this.#constants.set(tensor, value);
    this.#tensors.set(value.name, tensor);
    return value;
  }

  /** The tensor of a constant; undefined for any other value. */
  constantOf({ name }: OnnxValue): Tensor | undefined {
    return this.#tensors.get(name);
  }

  /** Adds a node with one output. @param inputs undefined for an omitted optional input. */
  node(
    op: string,
    inputs: readonly (OnnxValue | undefined)[],
    dtype: DType,
    options: OnnxNodeOptions = {},
  ): OnnxValue {
    const value = this.#value(dtype);
    this.#add(op, inputs, [value], options);
    if (options.rank !== undefined) {
      this.#ranks.push(valueInfo(value, options.rank));
    }
    return value;
  }

  /** Adds a node with several outputs. @param dtypes the dtypes of its outputs. */
  nodes(
    op: string,
    inputs: readonly (OnnxValue | undefined)[],
    dtypes: readonly DType[],
    options: OnnxNodeOptions = {},
  ): readonly OnnxValue[] {
    const values = dtypes.map((dtype) => this.#value(dtype));
    this.#add(op, inputs, values, options);
    return values;
  }

  /**
   * Adds an If: only the nodes of one branch are run.
   * @param condition a bool scalar.
   * @param whenTrue and `whenFalse` add the nodes of a branch, which may use all values outside it, and return its result.
   * @param options as for any node.
   */
  branch(
    condition: OnnxValue,
    whenTrue: () => OnnxValue,
    whenFalse: () => OnnxValue,
    { rank }: Pick<OnnxNodeOptions, "rank"> = {},
  ): OnnxValue {
    const [then, otherwise] = [this.#branch(whenTrue), this.#branch(whenFalse)];
    return this.node("If", [condition], then.dtype, {
      attributes: { then_branch: graph(then.graph), else_branch: graph(otherwise.graph) },
      ...(rank === undefined ? {} : { rank }),
    });
  }

  #branch(make: () => OnnxValue): { readonly graph: GraphProto; readonly dtype: DType } {
    const [nodes, ranks] = [this.#nodes, this.#ranks];
    [this.#nodes, this.#ranks] = [[], []];
    try {
      const result = make();
      // A branch returns only what one of its own nodes makes.
      const output = this.node("Identity", [result], result.dtype);
      return {
        dtype: result.dtype,
        graph: GraphProto.fromPartial({
          name: `${this.#scope}#${this.#added}`,
          node: this.#nodes,
          valueInfo: this.#ranks,
          output: [valueInfo(output, undefined)],
        }),
      };
    } finally {
      [this.#nodes, this.#ranks] = [nodes, ranks];
    }
  }

  /** Serializes the model without nodes that no output needs, which ONNX Runtime would also run. */
  build(name: string): Uint8Array {
    const { output, ...needed } = this.#withoutCopies(this.#needed());
    const domains = new Set(needed.node.map(({ domain }) => domain));
    const model = ModelProto.fromPartial({
      irVersion: IR_VERSION,
      producerName: "tensordeck",
      opsetImport: [
        { domain: "", version: OPSET },
        { domain: MICROSOFT, version: 1n },
        ...(domains.has(BLOCKED_CHANNELS) ? [{ domain: BLOCKED_CHANNELS, version: 1n }] : []),
      ],
    });
    model.graph = {
      name,
      ...needed,
      input: this.#inputs,
      output,
    };
    return ModelProto.encode(model).finish();
  }

  /**
   * The nodes, constants and ranks that the outputs depend on. A node's inputs are model inputs, constants, and outputs of
   * earlier nodes.
   */
  #needed(): Needed {
    const needed = new Set(this.#outputs.map(({ name }) => name));
    const node: NodeProto[] = [];
    for (const one of this.#nodes.toReversed()) {
      if (one.output.some((name) => needed.has(name))) {
        node.push(one);
        for (const name of inputsOf(one)) {
          needed.add(name);
        }
      }
    }
    return {
      node: node.reverse(),
      initializer: this.#initializers.filter(({ name }) => needed.has(name)),
      valueInfo: this.#ranks.filter(({ name }) => needed.has(name)),
    };
  }

  /**
   * Returns values themselves that other nodes use, too, in place of copies: ONNX Runtime omits a copy only of what nothing
   * else uses. What the nodes of branches use keeps its name.
   */
  #withoutCopies(needed: Needed): Needed & Pick<GraphProto, "output"> {
    const outputs = new Set(this.#outputs.map(({ name }) => name));
    const uses = new Map<string, number>();
    for (const name of needed.node.flatMap(({ input }) => input)) {
      uses.set(name, (uses.get(name) ?? 0) + 1);
    }
    const kept = new Set([...outputs, ...needed.node.flatMap((node) => inputsOf({ ...node, input: [] }))]);
    const made = new Set(needed.node.flatMap(({ output }) => output).filter((name) => !kept.has(name)));
    const renamed = new Map<string | undefined, string>();
    const node = needed.node.filter(({ opType, input: [from = ""], output: [to = ""] }) => {
      const isCopy = opType === "Identity" && outputs.has(to) && made.has(from) && (uses.get(from) ?? 0) > 1;
      if (!isCopy || renamed.has(from)) {
        return true;
      }
      renamed.set(from, to);
      return false;
    });
    const nameOf = (name = "") => renamed.get(name) ?? name;
    const ranked = new Map(needed.valueInfo.map((info) => [nameOf(info.name), info]));
    return {
      node: node.map((one) => ({
        ...one,
        input: one.input.map((name) => nameOf(name)),
        output: one.output.map((name) => nameOf(name)),
      })),
      initializer: needed.initializer,
      valueInfo: needed.valueInfo.filter(({ name }) => !renamed.has(name)),
      output: this.#outputs.map((info) => ({
        ...info,
        type: ranked.get(info.name ?? "")?.type ?? info.type,
      })),
    };
  }

  #value(dtype: DType): OnnxValue {
    this.#values += 1;
    return { name: `v${this.#values}`, dtype };
  }

  #add(
    op: string,
    inputs: readonly (OnnxValue | undefined)[],
    outputs: readonly OnnxValue[],
    { attributes = {}, domain }: OnnxNodeOptions,
  ): void {
    this.#added += 1;
    const node = NodeProto.fromPartial({
      name: `${this.#scope}#${this.#added}`,
      opType: op,
      input: inputs.map((input) => input?.name ?? ""),
      output: outputs.map((output) => output.name),
      ...(domain === undefined ? {} : { domain }),
    });
    node.attribute = Object.entries(attributes).map(([name, attribute]) =>
      AttributeProto.fromPartial({ ...attribute, name }),
    );
    this.#nodes.push(node);
  }
}

/** The names of a node's inputs and of those of the nodes in its branches. */
function inputsOf({ input, attribute }: Pick<NodeProto, "input" | "attribute">): readonly string[] {
  return [...input, ...attribute.flatMap(({ g }) => g?.node.flatMap(inputsOf) ?? [])];
}

function valueInfo({ name, dtype }: OnnxValue, rank: number | undefined): ValueInfoProto {
  const dim = Array.from({ length: rank ?? 0 }, (_, axis) => ({
    value: { $case: "dimParam" as const, value: `${name}_${axis}` },
  }));
  return ValueInfoProto.fromPartial({
    name,
    type: {
      tensorType: { elemType: onnxDataType(dtype), ...(rank === undefined ? {} : { shape: { dim } }) },
    },
  });
}
