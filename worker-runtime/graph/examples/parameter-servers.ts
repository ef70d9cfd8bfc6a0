/**
 * Small trainings whose variables are on two parameter servers, as TensorFlow's guide to distributed execution and its
 * scripts have them: without chance, so that every runtime finds the same.
 */
import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { taskText } from "../../cluster/device-name.js";
import { replicaDeviceSetter } from "../../cluster/replica-device-setter.js";
import { Tensor } from "../../protocol/tensor.js";
import { Graph } from "../graph.js";
import type { Operation, Output } from "../operation.js";
import {
  add,
  constant,
  globalVariablesInitializer,
  identity,
  matMul,
  reduceMean,
  relu,
  square,
  subtract,
  variable,
} from "../ops/index.js";
import { GradientDescentOptimizer, getOrCreateGlobalStep, SyncReplicasOptimizer } from "../training/index.js";
import type { Variable } from "../variable.js";
import { FIRST_SERVER, FIRST_WORKER, SECOND_SERVER, setRun, WORKERS } from "./document.js";
import { meanGradients, meanOf } from "./mean-gradients.js";

const UNITS = 8;
const LAYERS_RATE = 0.05;
const LAYERS_STEPS = 10_000;

const LINE_RATE = 0.1;
const LINE_STEPS = 200;
/** Points of y = 2 a - b + 0.5: for each worker its own. */
const POINTS: readonly (readonly (readonly [a: number, b: number])[])[] = [
  [
    [0, 0],
    [1, 0],
    [0, 1],
    [1, 1],
  ],
  [
    [2, 0],
    [0, 2],
    [2, 1],
    [1, 2],
  ],
];

/**
 * Model parallelism as in TensorFlow's guide: w1 and b1 are on one parameter server, w2 and b2 on the other, two layers of
 * relu and their training on a worker. They learn the exclusive or of two numbers; TensorFlow inserts the transfers.
 */
export function layersOnServersGraph(): MetaGraphDef {
  const graph = new Graph();
  const layer = (device: string, name: string, inputs: number, units: number) =>
    graph.withDevice(device, () => ({
      weights: variable(graph, startingWeights(inputs, units), { name: `w${name}` }),
      bias: variable(graph, new Array<number>(units).fill(0), { name: `b${name}` }),
    }));
  const first = layer(FIRST_SERVER, "1", 2, UNITS);
  const second = layer(SECOND_SERVER, "2", UNITS, 1);
  graph.withDevice(FIRST_WORKER, () => {
    const [inputs, wanted] = [
      [
        [0, 0],
        [0, 1],
        [1, 0],
        [1, 1],
      ],
      [[0], [1], [1], [0]],
    ] as const;
    const x = constant(graph, inputs, { name: "x" });
    const y = constant(graph, wanted, { name: "y" });
    const hidden = relu(add(matMul(x, first.weights.value), first.bias.value), { name: "layer_1" });
    const output = relu(add(matMul(hidden, second.weights.value), second.bias.value), { name: "layer_2" });
    const loss = reduceMean(square(subtract(output, y)), undefined, { name: "loss" });
    new GradientDescentOptimizer(LAYERS_RATE).minimize(loss, { name: "train" });
  });
  return trainable(graph, LAYERS_STEPS);
}

/** Different numbers from 0 to 0.5. */
function startingWeights(inputs: number, units: number): Tensor {
  const values = Array.from({ length: inputs * units }, (_, index) => 0.5 * Math.abs(Math.sin(1 + index)));
  return Tensor.of(values, "float32", [inputs, units]);
}

/** A straight line through some of the points. */
interface Line {
  readonly weights: Variable;
  readonly bias: Variable;
  lossOf(points: (typeof POINTS)[number]): Output;
}

function line(graph: Graph): Line {
  const weights = variable(graph, [[0], [0]], { name: "w", dtype: "float32" });
  const bias = variable(graph, [0], { name: "b", dtype: "float32" });
  return {
    weights,
    bias,
    lossOf(points) {
      const x = constant(graph, points, { dtype: "float32", name: "x" });
      const y = constant(
        graph,
        points.map(([a, b]) => [2 * a - b + 0.5]),
        { name: "y" },
      );
      return reduceMean(square(subtract(add(matMul(x, weights.value), bias.value), y)));
    },
  };
}

/** Where a worker's own nodes are, and its variables on the parameter servers in turn. */
function replicaDevice(worker: number) {
  return replicaDeviceSetter({ psTasks: 2, workerDevice: taskText({ job: "worker", index: worker }) });
}

/**
 * In-graph replication: one graph has a replica of the model on each worker, with its own part of the data; the variables,
 * which follow the mean of their gradients, are on the parameter servers.
 */
export function inGraphReplication(): MetaGraphDef {
  const graph = new Graph();
  graph.withDevice(replicaDevice(0), () => {
    const model = line(graph);
    const optimizer = new GradientDescentOptimizer(LINE_RATE);
    const replicas = WORKERS.map((device, index) =>
      graph.withDevice(device, () =>
        graph.withNameScope(`replica_${index}`, () => {
          const loss = model.lossOf(POINTS[index] ?? []);
          return { loss, gradients: optimizer.computeGradients(loss) };
        }),
      ),
    );
    const gradients = graph.withNameScope("mean", () => meanGradients(replicas.map((one) => one.gradients)));
    const loss = graph.withNameScope("mean", () => meanOf(replicas.map((one) => one.loss)));
    identity(loss, { name: "loss" });
    optimizer.applyGradients(gradients, { name: "train" });
  });
  return trainable(graph, LINE_STEPS);
}

/** The graph of one worker, which shares its variables with the others' by their names. */
export interface WorkerModel extends Line {
  readonly graph: Graph;
  readonly loss: Output;
  readonly train: Operation;
  readonly globalStep: Variable;
  /** Where updates are synchronous. */
  readonly synchronous: SyncReplicasOptimizer | undefined;
}

/**
 * Between-graph replication: each worker builds a graph of its own, alike but for its device and its part of the data.
 * @param isSynchronous whether each update is the mean of all workers' gradients; otherwise each worker updates for itself
 */
export function workerModel(worker: number, isSynchronous: boolean): WorkerModel {
  const graph = new Graph();
  return graph.withDevice(replicaDevice(worker), () => {
    const model = line(graph);
    // It has the kind of variable of the other variables, and with those of a stock script that trains with it.
    const globalStep = getOrCreateGlobalStep(graph, "reference");
    const loss = identity(model.lossOf(POINTS[worker] ?? []), { name: "loss" });
    const descent = new GradientDescentOptimizer(LINE_RATE);
    const synchronous = isSynchronous
      ? new SyncReplicasOptimizer(descent, { replicasToAggregate: WORKERS.length })
      : undefined;
    const train = synchronous
      ? synchronous.minimize(loss, { globalStep })
      : descent.minimize(loss, { globalStep, name: "train" });
    return { ...model, graph, loss, train, globalStep, synchronous };
  });
}

/** The graph of worker 0, whose updates are asynchronous. */
export function betweenGraphReplication(): MetaGraphDef {
  return trainable(workerModel(0, false).graph, LINE_STEPS);
}

/** The document: "train" is one step, after "init". */
function trainable(graph: Graph, steps: number): MetaGraphDef {
  globalVariablesInitializer(graph, { name: "init" });
  setRun(graph, { name: "train", fetches: ["loss:0"], targets: ["train"], steps });
  return graph.toMetaGraphDef();
}
