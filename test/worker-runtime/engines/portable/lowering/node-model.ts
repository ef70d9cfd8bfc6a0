/** A node of TensorFlow as a model of its own, from its lowering alone. */
import type { KernelNode } from "../../../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import type {
  Lowering,
  LoweringContext,
} from "../../../../../worker-runtime/engines/portable/lowering/lowering.js";
import {
  ModelBuilder,
  type OnnxValue,
} from "../../../../../worker-runtime/engines/portable/onnx/model-builder.js";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { internalError } from "../../../../../worker-runtime/protocol/status.js";
import type { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";

/** The facts about the inputs that the lowering of a node gets. */
export interface Knowledge {
  /** For a person who reads of a failure. */
  readonly name: string;
  /** Whether the sizes of the inputs are known. */
  readonly shapes: boolean;
  /** Which inputs are constants of the model; the others are its inputs. */
  isConstant(node: KernelNode, input: number): boolean;
}

export interface NodeModel {
  readonly bytes: Uint8Array;
  /** The names of the model's inputs, by the node's inputs; undefined for constants. */
  readonly inputs: readonly (string | undefined)[];
  /** The names and dtypes of the model's outputs, in the order of the node's. */
  readonly outputs: readonly { readonly name: string; readonly dtype: DType }[];
}

/** The model of a node for inputs like these; undefined where the lowering declines. */
export function nodeModel(
  node: KernelNode,
  lowering: Pick<Lowering, "lower">,
  tensors: readonly Tensor[],
  knowledge: Knowledge,
): NodeModel | undefined {
  const model = new ModelBuilder();
  model.setScope(node.name);
  const known = new Map<string, { readonly tensor: Tensor; readonly constant: boolean }>();
  const inputs = tensors.map((tensor, i) => {
    const constant = knowledge.isConstant(node, i);
    const value = constant ? model.constant(tensor) : model.input(tensor.dtype, tensor.shape.length);
    known.set(value.name, { tensor, constant });
    return value;
  });
  const outputs = lowering.lower(node, inputs, contextOf(model, known, knowledge));
  return outputs === undefined
    ? undefined
    : {
        outputs: outputs.map((value) => model.output(value)),
        inputs: inputs.map(({ name }) => (known.get(name)?.constant === true ? undefined : name)),
        bytes: model.build(node.op),
      };
}

function contextOf(
  model: ModelBuilder,
  known: ReadonlyMap<string, { readonly tensor: Tensor; readonly constant: boolean }>,
  { shapes }: Knowledge,
): LoweringContext {
  const find = ({ name }: OnnxValue) => {
    const found = known.get(name);
    if (found === undefined) {
      throw internalError("A lowering asks about a value that is no input of its node.");
    }
    return found;
  };
  return {
    model,
    isOnGpu: false,
    blockedChannels: undefined,
    rank: (input) => find(input).tensor.shape.length,
    shape: (input) => {
      const { tensor, constant } = find(input);
      return shapes || constant ? tensor.shape : undefined;
    },
    likelyShape: (input) => find(input).tensor.shape,
    value: (input) => {
      const { tensor, constant } = find(input);
      return constant ? tensor : undefined;
    },
  };
}
