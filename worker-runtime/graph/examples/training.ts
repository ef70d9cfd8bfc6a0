/** Graphs that train a classifier of digits: see digits/README.md for the pictures. */
import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { Tensor } from "../../protocol/tensor.js";
import { HELD_OUT_PICTURES } from "../digits/held-out-pictures.js";
import { digitOf, FULL, PIXELS, pixelsOf, SIDE } from "../digits/picture-lines.js";
import { TRAINING_PICTURES } from "../digits/training-pictures.js";
import { Graph } from "../graph.js";
import type { Output } from "../operation.js";
import {
  biasAdd,
  cast,
  constant,
  divide,
  equal,
  getVariable,
  globalVariablesInitializer,
  glorotUniformInitializer,
  matMul,
  reduceMean,
  relu,
  reshape,
  split,
  zerosInitializer,
} from "../ops/index.js";
import { AdamOptimizer, getOrCreateGlobalStep } from "../training/index.js";
import type { Variable } from "../variable.js";
import { FIRST_WORKER, SECOND_WORKER, setRun } from "./document.js";
import { meanGradients, meanOf } from "./mean-gradients.js";

const HIDDEN = 48;
const CLASSES = 10;
const BATCH = 64;
const STEPS = 500;
const LEARNING_RATE = 0.005;
/** Random values are the same in every session. */
const SEED = 7;

interface Examples {
  /** float32 [n, 64], from 0 to 1. */
  readonly pictures: Output;
  /** int32 [n] */
  readonly digits: Output;
}

interface Layer {
  readonly name: string;
  readonly weights: Variable;
  readonly bias: Variable;
}

interface Scores {
  /** The mean cross entropy of a batch. */
  readonly loss: Output;
  /** The share of a batch that is named rightly. */
  readonly accuracy: Output;
}

/**
 * Model parallelism, as in TensorFlow's guide: each layer's variables, and what computes with them, are on a worker of
 * their own; what goes between them are activations and their gradients. "train" is one step on a batch of 64 random
 * pictures; the configuration "evaluate" names the 360 that are never trained on.
 */
export function modelParallelGraph(): MetaGraphDef {
  const graph = new Graph();
  const { batch, heldOut } = graph.withDevice(FIRST_WORKER, () => ({
    batch: randomBatch(graph),
    heldOut: heldOutPictures(graph),
  }));
  const hidden = graph.withDevice(FIRST_WORKER, () => layer(graph, "hidden", PIXELS, HIDDEN));
  const top = graph.withDevice(SECOND_WORKER, () => layer(graph, "top", HIDDEN, CLASSES));
  const scoresOf = ({ pictures, digits }: Examples): Scores => {
    const activations = graph.withDevice(FIRST_WORKER, () => applied(hidden, pictures, relu));
    return graph.withDevice(SECOND_WORKER, () => scores(graph, applied(top, activations), digits));
  };
  const { loss } = named(graph, scoresOf(batch));
  new AdamOptimizer(LEARNING_RATE).minimize(loss, {
    globalStep: graph.withDevice(FIRST_WORKER, () => getOrCreateGlobalStep(graph)),
    colocateGradientsWithOps: true,
    name: "train",
  });
  evaluate(graph, scoresOf, heldOut);
  return trainable(graph);
}

/**
 * In-graph replication: the variables are on the first worker, as on a parameter server, and each worker computes the
 * gradients of its half of the batch. One update, with their mean, makes it synchronous.
 */
export function replicatedGraph(): MetaGraphDef {
  const graph = new Graph();
  const { batch, heldOut, layers, globalStep } = graph.withDevice(FIRST_WORKER, () => ({
    batch: randomBatch(graph),
    heldOut: heldOutPictures(graph),
    layers: [layer(graph, "hidden", PIXELS, HIDDEN), layer(graph, "top", HIDDEN, CLASSES)] as const,
    globalStep: getOrCreateGlobalStep(graph),
  }));
  const scoresOf = ({ pictures, digits }: Examples): Scores =>
    scores(graph, applied(layers[1], applied(layers[0], pictures, relu)), digits);
  const workers = [FIRST_WORKER, SECOND_WORKER];
  const halves = graph.withDevice(FIRST_WORKER, () => ({
    pictures: split(batch.pictures, workers.length, 0, { name: "pictures" }),
    digits: split(batch.digits, workers.length, 0, { name: "digits" }),
  }));
  const optimizer = new AdamOptimizer(LEARNING_RATE);
  const replicas = workers.map((device, index) =>
    graph.withDevice(device, () =>
      graph.withNameScope(`replica_${index}`, () => {
        const half = {
          pictures: halves.pictures[index] as Output,
          digits: halves.digits[index] as Output,
        };
        const found = scoresOf(half);
        return { ...found, gradients: optimizer.computeGradients(found.loss) };
      }),
    ),
  );
  graph.withDevice(FIRST_WORKER, () => {
    const { gradients, ...means } = graph.withNameScope("mean", () => {
      const mean = (key: keyof Scores) => meanOf(replicas.map((replica) => replica[key]));
      const all = replicas.map((replica) => replica.gradients);
      return { loss: mean("loss"), accuracy: mean("accuracy"), gradients: meanGradients(all) };
    });
    named(graph, means);
    optimizer.applyGradients(gradients, { globalStep, name: "train" });
    evaluate(graph, scoresOf, heldOut);
  });
  return trainable(graph);
}

/** 64 of the pictures to train on, others in each step. */
function randomBatch(graph: Graph): Examples {
  return graph.withNameScope("batch", () => {
    const all = picturesOf(graph, TRAINING_PICTURES);
    const [zero, count] = [0, TRAINING_PICTURES.length].map((value) =>
      constant(graph, value, { dtype: "int32" }),
    );
    const size = constant(graph, [BATCH], { dtype: "int32", name: "size" });
    const attrs = { seed: SEED, seed2: SEED };
    const numbers = graph.op(
      "RandomUniformInt",
      [size, zero as Output, count as Output],
      attrs,
      "numbers",
    ).output;
    const pick = (from: Output, name: string) =>
      graph.op("GatherV2", [from, numbers, constant(graph, 0, { dtype: "int32" })], {}, name).output;
    return {
      pictures: brightness(graph, pick(all.pictures, "pick")),
      digits: pick(all.digits, "pick_digits"),
    };
  });
}

function heldOutPictures(graph: Graph): Examples {
  return graph.withNameScope("held_out", () => {
    const { pictures, digits } = picturesOf(graph, HELD_OUT_PICTURES);
    return { pictures: brightness(graph, pictures), digits };
  });
}

/** Pictures as 8-bit images, uint8 [n, 8, 8, 1], and their digits. */
function picturesOf(graph: Graph, lines: readonly string[]): Examples {
  const pictures = Tensor.of(lines.flatMap(pixelsOf), "uint8", [lines.length, SIDE, SIDE, 1]);
  return {
    pictures: constant(graph, pictures, { name: "all" }),
    digits: constant(graph, lines.map(digitOf), { dtype: "int32", name: "all_digits" }),
  };
}

/** Pictures as rows of pixels from 0 to 1. */
function brightness(graph: Graph, pictures: Output): Output {
  const rows = reshape(cast(pictures, "float32"), [-1, PIXELS], { name: "rows" });
  return divide(rows, constant(graph, FULL, { dtype: "float32", name: "full" }), { name: "brightness" });
}

function layer(graph: Graph, name: string, inputs: number, outputs: number): Layer {
  return {
    name,
    weights: getVariable(graph, `${name}/weights`, {
      shape: [inputs, outputs],
      initializer: glorotUniformInitializer({ seed: SEED }),
    }),
    bias: getVariable(graph, `${name}/bias`, { shape: [outputs], initializer: zerosInitializer() }),
  };
}

/** A layer's output for an input, in the scope of its variables. */
function applied({ name, weights, bias }: Layer, input: Output, activation?: typeof relu): Output {
  return Graph.of(input).withNameScope(name, () => {
    const sums = biasAdd(matMul(input, weights.value), bias.value);
    return activation ? activation(sums) : sums;
  });
}

function scores(graph: Graph, logits: Output, digits: Output): Scores {
  return graph.withNameScope("scores", () => {
    const [losses] = graph.op("SparseSoftmaxCrossEntropyWithLogits", [logits, digits]).outputs;
    const first = constant(graph, 0, { dtype: "int32" });
    const classes = constant(graph, 1, { dtype: "int32" });
    const guesses = graph.op("ArgMax", [logits, classes], { output_type: "int32" }).output;
    return {
      loss: reduceMean(losses as Output, first),
      accuracy: reduceMean(cast(equal(guesses, digits), "float32"), first),
    };
  });
}

/** Scores under the names by which runs fetch them. */
function named(graph: Graph, { loss, accuracy }: Scores): Scores {
  const say = (value: Output, name: string) => graph.op("Identity", [value], {}, name).output;
  return { loss: say(loss, "loss"), accuracy: say(accuracy, "accuracy") };
}

function evaluate(graph: Graph, scoresOf: (examples: Examples) => Scores, heldOut: Examples): void {
  graph.withNameScope("evaluation", () => named(graph, scoresOf(heldOut)));
}

/** The document, with the configurations of its runs. */
function trainable(graph: Graph): MetaGraphDef {
  globalVariablesInitializer(graph, { name: "init" });
  setRun(graph, {
    ...{ name: "train", fetches: ["loss:0", "accuracy:0"], targets: ["train"], steps: STEPS },
    others: [{ name: "evaluate", fetches: ["evaluation/loss:0", "evaluation/accuracy:0"] }],
  });
  return graph.toMetaGraphDef();
}
