/** Graphs of the training benchmark, made by our library: the same as those of training_client.py. */
import {
  type ClusterDict,
  Graph,
  type Operation,
  type Output,
  ops,
  replicaDeviceSetter,
  Tensor,
  taskText,
  train,
} from "../../worker-runtime/index.js";

export type ModelName = "mlp" | "cnn";

/** How workers share the training. */
export type SchemeName = "in-graph" | "async" | "sync" | "ring";

const CLASSES = 10;
const SIDE = 28;
const MLP_BATCH = 100;
const CNN_BATCH = 32;
const LEARNING_RATE = 0.01;
const SEED = 1;
/** Groups of the collective operations of each number of workers are apart. */
const FIRST_GROUP_KEY = 100;
/** A server remembers the shape of an instance as long as it runs: each model has instances of its own. */
const FIRST_INSTANCES: Readonly<Record<ModelName, number>> = { mlp: 1, cnn: 101 };

export const examplesPerBatch: Readonly<Record<ModelName, number>> = { mlp: MLP_BATCH, cnn: CNN_BATCH };

type Feeds = ReadonlyMap<Output, Tensor>;

interface Replica {
  readonly loss: Output;
  readonly feeds: Feeds;
}

/** A graph of which one session runs steps. */
export interface TrainingGraph {
  readonly graph: Graph;
  readonly loss: Output;
  readonly train: Operation;
  readonly feeds: Feeds;
  /** The optimizer of synchronous between-graph replication. */
  readonly synchronous?: train.SyncReplicasOptimizer | undefined;
}

const optimizer = () => new train.GradientDescentOptimizer(LEARNING_RATE);

/** The graph of one of several workers, each of which trains the parameter server's variables with its own session. */
export function betweenGraph(
  model: ModelName,
  worker: number,
  workers: number,
  cluster: ClusterDict,
  synchronous: boolean,
): TrainingGraph {
  const graph = new Graph();
  return graph.withDevice(setterOf(worker, cluster), () => {
    const globalStep = train.getOrCreateGlobalStep(graph);
    const { loss, feeds } = replicaOf(graph, model, worker);
    if (!synchronous) return { graph, loss, feeds, train: optimizer().minimize(loss, { globalStep }) };
    const replicas = new train.SyncReplicasOptimizer(optimizer(), { replicasToAggregate: workers });
    return { graph, loss, feeds, train: replicas.minimize(loss, { globalStep }), synchronous: replicas };
  });
}

/** A graph with a replica on each worker; the parameter server applies the means of their gradients. */
export function inGraph(model: ModelName, workers: number, cluster: ClusterDict): TrainingGraph {
  const graph = new Graph();
  const replicas = Array.from({ length: workers }, (_, worker) =>
    graph.withDevice(setterOf(worker, cluster), () =>
      ops.variableScope(
        graph,
        "model",
        () => {
          const replica = replicaOf(graph, model, worker);
          return { ...replica, gradients: optimizer().computeGradients(replica.loss) };
        },
        { reuse: "auto" },
      ),
    ),
  );
  return graph.withDevice(taskText({ job: "ps", index: 0 }), () => {
    const [first] = replicas;
    const means = (first?.gradients ?? []).map(([, variable], at): train.GradientOfVariable => {
      const all = replicas.map(({ gradients }) => gradients[at]?.[0] as Output);
      return [meanOf(graph, all), variable];
    });
    return {
      ...{ graph, feeds: new Map(replicas.flatMap(({ feeds }) => [...feeds])) },
      loss: meanOf(
        graph,
        replicas.map(({ loss }) => loss),
      ),
      train: optimizer().applyGradients(means),
    };
  });
}

/** A graph with variables on each worker, whose gradients are averaged by collective operations: rings of the workers. */
export function ring(model: ModelName, workers: number): TrainingGraph {
  const graph = new Graph();
  const replicas = Array.from({ length: workers }, (_, worker) =>
    graph.withDevice(taskText({ job: "worker", index: worker }), () =>
      ops.variableScope(graph, `replica_${worker}`, () => {
        const before = ops.trainableVariables(graph).length;
        const replica = replicaOf(graph, model, worker);
        const varList = ops.trainableVariables(graph).slice(before);
        const gradients = optimizer().computeGradients(replica.loss, { varList });
        const means = gradients.map(
          ([gradient, variable], at): train.GradientOfVariable => [
            reduced(graph, gradient as Output, workers, FIRST_INSTANCES[model] + at),
            variable,
          ],
        );
        return { ...replica, update: optimizer().applyGradients(means, { name: "update" }) };
      }),
    ),
  );
  return graph.withDevice(taskText({ job: "worker", index: 0 }), () => ({
    ...{ graph, feeds: new Map(replicas.flatMap(({ feeds }) => [...feeds])) },
    loss: meanOf(
      graph,
      replicas.map(({ loss }) => loss),
    ),
    train: ops.group(
      graph,
      replicas.map(({ update }) => update),
    ),
  }));
}

function setterOf(worker: number, cluster: ClusterDict) {
  return replicaDeviceSetter({ cluster, workerDevice: taskText({ job: "worker", index: worker }) });
}

function meanOf(graph: Graph, values: readonly Output[]): Output {
  const [only] = values;
  if (values.length === 1 && only !== undefined) return only;
  return ops.divide(graph.op("AddN", [values]).output, values.length);
}

/** The mean of what all workers have for an instance. */
function reduced(graph: Graph, value: Output, workers: number, instance: number): Output {
  if (workers === 1) return value;
  const keys = [workers, FIRST_GROUP_KEY + workers, instance].map((key) =>
    ops.constant(graph, key, { dtype: "int32" }),
  );
  return graph.op("CollectiveReduceV2", [value, ...keys, []], { merge_op: "Add", final_op: "Div" }).output;
}

function replicaOf(graph: Graph, model: ModelName, worker: number): Replica {
  const batch = examplesPerBatch[model];
  const shape = model === "mlp" ? [batch, SIDE * SIDE] : [batch, SIDE, SIDE, 1];
  const pictures = ops.placeholder(graph, "float32", shape);
  const classes = ops.placeholder(graph, "int64", [batch]);
  const logits = model === "mlp" ? mlp(graph, pictures) : cnn(graph, pictures);
  const loss = ops.reduceMean(ops.sparseSoftmaxCrossEntropyWithLogits(logits, classes));
  return {
    loss,
    feeds: new Map([
      [pictures, randomPictures(shape, worker)],
      [classes, randomClasses(batch, worker)],
    ]),
  };
}

/** 784-256-10, as for handwritten digits. */
function mlp(graph: Graph, pictures: Output): Output {
  const hidden = ops.relu(dense(graph, pictures, SIDE * SIDE, 256, "hidden"));
  return dense(graph, hidden, 256, CLASSES, "top");
}

/** Two convolutions with pooling and a dense layer. */
function cnn(graph: Graph, pictures: Output): Output {
  const [first, second] = [16, 32] as const;
  const once = convolution(graph, pictures, 1, first, 0);
  const twice = convolution(graph, once, first, second, 1);
  const size = (SIDE / 4) * (SIDE / 4) * second;
  return dense(graph, ops.reshape(twice, [CNN_BATCH, size]), size, CLASSES, "top");
}

function convolution(graph: Graph, x: Output, inputs: number, outputs: number, index: number): Output {
  const filters = variable(graph, `filters_${index}`, [3, 3, inputs, outputs]);
  const sums = graph.op("Conv2D", [x, filters], { strides: [1, 1, 1, 1], padding: "SAME" }).output;
  const y = ops.relu(ops.biasAdd(sums, variable(graph, `bias_${index}`, [outputs], 0)));
  return graph.op("MaxPool", [y], { ksize: [1, 2, 2, 1], strides: [1, 2, 2, 1], padding: "SAME" }).output;
}

function dense(graph: Graph, x: Output, inputs: number, outputs: number, name: string): Output {
  const sums = ops.matMul(x, variable(graph, `${name}/w`, [inputs, outputs]));
  return ops.biasAdd(sums, variable(graph, `${name}/b`, [outputs], 0));
}

function variable(graph: Graph, name: string, shape: readonly number[], stddev = 0.05): Output {
  const initializer =
    stddev === 0 ? ops.zerosInitializer() : ops.randomNormalInitializer({ stddev, seed: SEED });
  return ops.getVariable(graph, name, { shape, initializer }).value;
}

/** The same numbers in every run: a linear congruential generator (Numerical Recipes). */
function* numbers(seed: number): Generator<number> {
  let state = seed >>> 0;
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

function take(count: number, seed: number): number[] {
  const source = numbers(seed);
  return Array.from({ length: count }, () => Number(source.next().value));
}

function randomPictures(shape: readonly number[], worker: number): Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  return Tensor.of(Float32Array.from(take(count, SEED + worker)), "float32", shape);
}

function randomClasses(count: number, worker: number): Tensor {
  return Tensor.of(
    take(count, SEED + worker).map((share) => BigInt(Math.floor(share * CLASSES))),
    "int64",
    [count],
  );
}
