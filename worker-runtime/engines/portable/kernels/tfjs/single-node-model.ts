import { createRequire } from "node:module";
import type { NamedTensorMap, Tensor as TfjsTensor } from "@tensorflow/tfjs-core";
import { DataType } from "../../../../../protos/generated/tensorflow/types.js";
import { invalidArgument, resourceExhausted, TensorFlowError } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { KernelNode } from "../kernel-node.js";
import { tensorOfTfjs, tfjs, tfjsTypeOf, tfjsValues } from "./backend.js";
import { type NodeJson, nodeJson } from "./node-json.js";

type Converter = typeof import("@tensorflow/tfjs-converter");
type SyncModel = ReturnType<Converter["loadGraphModelSync"]>;

const require = createRequire(import.meta.url);

/** Maximum bytes of inputs passed to wasm per call: its heap ends at 2 GB, and exceeding it ends the process. */
const MAX_INPUT_BYTES = 512 * 1024 * 1024;

/**
 * One node as a model of TensorFlow.js's converter, which interprets TensorFlow's attributes: padding, strides,
 * data formats. The model is created at the first execution, after `initTfjs`.
 */
export class SingleNodeModel {
  readonly #node: KernelNode;
  readonly #inputNames: readonly string[];
  readonly #outputNames: string[];
  #model: SyncModel | undefined;

  constructor(node: KernelNode) {
    this.#node = node;
    this.#inputNames = node.inputs.map((_, i) => `input${i}`);
    this.#outputNames = node.outputs.map((_, i) => `${NODE_NAME}:${i}`);
  }

  /**
   * Executes the node. Nothing remains in TensorFlow.js's memory.
   * @throws TensorFlowError INVALID_ARGUMENT for inputs that TensorFlow.js rejects; RESOURCE_EXHAUSTED for inputs too
   *   large for it; FAILED_PRECONDITION before `initTfjs`.
   */
  execute(inputs: readonly Tensor[]): readonly Tensor[] {
    const tf = tfjs();
    const bytes = inputs.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (bytes > MAX_INPUT_BYTES) {
      throw resourceExhausted(
        `The inputs of '${this.#node.name}' (${this.#node.op}) take ${bytes} bytes; this engine's kernel for it takes at most ${MAX_INPUT_BYTES}.`,
      );
    }
    tf.engine().startScope();
    try {
      const lent: NamedTensorMap = {};
      for (const [i, input] of inputs.entries()) {
        lent[`input${i}`] = tf.tensor(tfjsValues(input), [...input.shape], tfjsTypeOf(input));
      }
      const outputs = [this.#makeModel().execute(lent, this.#outputNames)].flat();
      return outputs.map((output: TfjsTensor) => tensorOfTfjs(output, output.dataSync()));
    } catch (error) {
      if (error instanceof TensorFlowError) {
        throw error;
      }
      const reason = error instanceof Error ? error.message : String(error);
      throw invalidArgument(`${this.#node.op}: ${reason}`, { cause: error });
    } finally {
      tf.engine().endScope();
    }
  }

  #makeModel(): SyncModel {
    if (this.#model === undefined) {
      const { loadGraphModelSync } = require("@tensorflow/tfjs-converter") as Converter;
      this.#model = loadGraphModelSync({
        modelTopology: {
          node: [...this.#placeholders(), { ...nodeJson(this.#node, this.#inputNames), name: NODE_NAME }],
          versions: { producer: 0, minConsumer: 0 },
        },
        weightSpecs: [],
        weightData: new ArrayBuffer(0),
      });
    }
    return this.#model;
  }

  #placeholders(): NodeJson[] {
    return this.#node.inputs.map(({ dtype }, i) => ({
      name: `input${i}`,
      op: "Placeholder",
      input: [],
      attr: { dtype: { type: dtype ?? DataType.DT_FLOAT } },
    }));
  }
}

/** The node's name within its model: its own name might be equal to that of a placeholder. */
const NODE_NAME = "node";
