/** Adds to a graph what trains it: gradients, updates, and, for several workers, what they share. */
import type { GraphDef } from "../../../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import { shortTaskText, type TaskName, taskText } from "../../../cluster/device-name.js";
import { invalidArgument } from "../../../protocol/status.js";
import { Graph } from "../../graph.js";
import { stack } from "../../ops/array.js";
import { group } from "../../ops/control-flow.js";
import { GraphKeys } from "../../ops/state.js";
import { Variable } from "../../variable.js";
import { getOrCreateGlobalStep } from "../global-step.js";
import type { Optimizer } from "../optimizer.js";
import { asynchronousStep, synchronousStep } from "./between-graph.js";
import { operationsFor } from "./copy-nodes.js";
import { variablesOfGraph } from "./graph-variables.js";
import type { ReadyCheck, Scheme, TrainingPlan } from "./plan.js";
import { inGraphStep, ringStep } from "./replicas.js";
import { serversByBytes } from "./servers.js";
import type { Step, Trained } from "./step.js";

export interface TrainableOptions {
  /** The scalar to be made small, "loss:0". */
  readonly loss: string;
  /** Makes the optimizer; of a ring, one for each worker. */
  optimizer(): Optimizer;
  /** Names of the variables that are trained. */
  readonly variables: readonly string[];
  readonly scheme: Scheme;
  /** The workers that share the model; not used for a single one. */
  readonly workers: readonly TaskName[];
  /** Where variables without a device are put, unless there is a single worker; without any, on the first worker. */
  readonly parameterServers: readonly TaskName[];
  /** The tensors that hold the examples of a step, one in each row. */
  readonly batch: readonly string[];
}

export interface Trainable {
  /** New nodes, in the scope "train", and, with TensorFlow's names, the optimizer's slots and the counter of steps. */
  readonly added: readonly NodeDef[];
  /** Devices that variables of the graph get, by name. */
  readonly pinned: ReadonlyMap<string, string>;
  readonly plan: TrainingPlan;
}

/**
 * @param graphDef is not changed
 * @throws TensorFlowError that says why it cannot be trained so, in words for the user
 */
export function makeTrainable(graphDef: GraphDef, options: TrainableOptions): Trainable {
  const pinned = devicesFor(graphDef, options);
  const node = graphDef.node.map((one) => {
    const device = pinned.get(one.name);
    return device === undefined ? one : { ...one, device };
  });
  const graph = Graph.fromGraphDef({ ...graphDef, node });
  const { size } = graph;
  const loss = graph.tensor(options.loss);
  const all = variablesOfGraph(graph).variables;
  const variables = options.variables.map((name) => {
    const found = all.find((one) => one.name === name);
    if (found) return found;
    throw invalidArgument(`${name} is not a variable with an initial value.`);
  });
  const [first] = variables;
  if (!first) throw invalidArgument("Choose at least one variable to train.");
  const counter = all.find((one) => one.name === "global_step");
  if (counter) graph.addToCollection("global_step", counter);
  const globalStep = graph.withColocation(first.handle, () => getOrCreateGlobalStep(graph));
  const trained: Trained = {
    ...{ graph, loss, variables, globalStep, workers: options.workers, optimizer: options.optimizer },
    batch: options.batch.map((name) => graph.tensor(name)),
  };
  const made = graph.withNameScope("train", () => {
    const step = stepOf(options.scheme, trained);
    const needed = operationsFor([loss.op]);
    const before = all.filter(({ handle }) => needed.has(handle.op) || handle.op === globalStep.handle.op);
    const added = graph.collection(GraphKeys.GLOBAL_VARIABLES).filter((item) => item instanceof Variable);
    const initialized = [...new Set([...before, ...added])];
    const init = group(
      graph,
      initialized.map(({ initializer }) => initializer),
      { name: "init" },
    );
    return { step, init, ready: readyCheck(graph, initialized) };
  });
  const { asynchronous, synchronous } = made.step;
  return {
    added: graph.toGraphDef(size).node,
    pinned,
    plan: {
      scheme: options.scheme,
      loss: made.step.loss.name,
      train: made.step.train.name,
      init: made.init.name,
      ready: made.ready,
      globalStep: globalStep.name,
      workers: options.scheme === "single" ? [] : options.workers.map(shortTaskText),
      ...(options.batch[0] === undefined ? {} : { examples: options.batch[0] }),
      ...(asynchronous ? { asynchronous } : {}),
      ...(synchronous ? { synchronous } : {}),
    },
  };
}

function stepOf(scheme: Scheme, trained: Trained): Step {
  switch (scheme) {
    case "single":
      return singleStep(trained);
    case "in-graph":
      return inGraphStep(trained);
    case "ring":
      return ringStep(trained);
    case "async":
      return asynchronousStep(trained);
    case "sync":
      return synchronousStep(trained);
  }
}

/** Gradients where the operations are that they belong to, updates where the variables are. */
function singleStep({ loss, variables, globalStep, optimizer }: Trained): Step {
  const train = optimizer().minimize(loss, {
    ...{ varList: variables, globalStep, colocateGradientsWithOps: true, name: "update" },
  });
  return { loss, train };
}

/** Devices for the variables that leave theirs open. */
function devicesFor(graphDef: GraphDef, options: TrainableOptions): ReadonlyMap<string, string> {
  const { scheme, workers, parameterServers } = options;
  const [first] = workers;
  if (scheme === "single" || !first) return new Map();
  const servers = scheme === "ring" || parameterServers.length === 0 ? [first] : parameterServers;
  return new Map([...serversByBytes(graphDef, servers)].map(([name, task]) => [name, taskText(task)]));
}

function readyCheck(graph: Graph, variables: readonly Variable[]): ReadyCheck {
  const checks = graph.withNameScope("initialized", () =>
    variables.map(({ kind, handle }) =>
      graph.withColocation(
        handle,
        () => graph.op(kind === "resource" ? "VarIsInitializedOp" : "IsVariableInitialized", [handle]).output,
      ),
    ),
  );
  return {
    checks: stack(checks, 0, { name: "all_initialized" }).name,
    initializers: variables.map(({ initializer }) => initializer.name),
  };
}
