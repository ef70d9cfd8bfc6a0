/** A trained classifier of handwritten digits, the weights of which are constants of the graph. See README.md. */
import { base64Decode } from "@bufbuild/protobuf/wire";
import { Tensor } from "../../protocol/tensor.js";
import { Graph } from "../graph.js";
import type { Output } from "../operation.js";
import { biasAdd, constant, multiply, relu, softmax } from "../ops/index.js";
import { FULL, pixelsOf, SIDE } from "./picture-lines.js";
import { PICTURES } from "./pictures.js";
import { WEIGHTS_BASE64 } from "./weights.js";

const LABELS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"] as const;

/** Weights in the order in which they are stored. */
function weightReader(): (...shape: number[]) => Tensor {
  const bytes = base64Decode(WEIGHTS_BASE64);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  return (...shape) => {
    const values = new Float32Array(shape.reduce((product, size) => product * size, 1));
    for (let index = 0; index < values.length; index++, at += 4) values[index] = view.getFloat32(at, true);
    return Tensor.of(values, "float32", shape);
  };
}

/**
 * `number` chooses one of the `pictures`; `scores` are its classes, and `label` is the name of the best. A batch of other
 * pictures, uint8 [n, 8, 8, 1], can be fed to `batch`.
 *
 * @param devices of the convolutions and of the classifier behind them
 */
export function digitsGraph(devices: readonly [string, string]): Graph {
  const graph = new Graph();
  const next = weightReader();
  const features = graph.withDevice(devices[0], () => {
    const pixels = PICTURES.flatMap(pixelsOf);
    const pictures = constant(graph, Tensor.of(pixels, "uint8", [PICTURES.length, SIDE, SIDE, 1]), {
      name: "pictures",
    });
    const number = constant(graph, 7, { dtype: "int32", name: "number" });
    const picture = graph.op("GatherV2", [pictures, number, axisOf(graph, "picture")], {}, "picture").output;
    const batch = graph.op("ExpandDims", [picture, axisOf(graph, "batch")], {}, "batch").output;
    const numbers = graph.op("Cast", [batch], { DstT: "float32" }, "numbers").output;
    const brightness = multiply(numbers, constant(graph, 1 / FULL, { name: "brightness/scale" }), {
      name: "brightness",
    });
    const first = convolution(graph, "conv_1", brightness, next(3, 3, 1, 12), next(12), 1);
    return convolution(graph, "conv_2", first, next(3, 3, 12, 24), next(24), 2);
  });
  graph.withDevice(devices[1], () => {
    const size = (SIDE / 2) ** 2 * 24;
    const shape = constant(graph, [-1, size], { dtype: "int32", name: "flat/shape" });
    const flat = graph.op("Reshape", [features, shape], {}, "flat").output;
    const kernel = constant(graph, next(size, LABELS.length), { name: "dense/kernel" });
    const products = graph.op("MatMul", [flat, kernel], {}, "dense/MatMul").output;
    const logits = biasAdd(products, constant(graph, next(LABELS.length), { name: "dense/bias" }), {
      name: "dense",
    });
    const scores = softmax(logits, { name: "scores" });
    const best = constant(graph, -1, { dtype: "int32", name: "best/dimension" });
    const guess = graph.op("ArgMax", [scores, best], {}, "best").output;
    const labels = constant(graph, [...LABELS], { name: "labels" });
    graph.op("GatherV2", [labels, guess, axisOf(graph, "label")], {}, "label");
  });
  return graph;
}

/** The first dimension. */
function axisOf(graph: Graph, owner: string): Output {
  return constant(graph, 0, { dtype: "int32", name: `${owner}/axis` });
}

function convolution(
  graph: Graph,
  name: string,
  input: Output,
  kernel: Tensor,
  bias: Tensor,
  stride: number,
) {
  const weights = constant(graph, kernel, { name: `${name}/kernel` });
  const attrs = { strides: [1, stride, stride, 1], padding: "SAME" };
  const sums = graph.op("Conv2D", [input, weights], attrs, `${name}/Conv2D`).output;
  const biased = biasAdd(sums, constant(graph, bias, { name: `${name}/bias` }), { name: `${name}/BiasAdd` });
  return relu(biased, { name });
}
