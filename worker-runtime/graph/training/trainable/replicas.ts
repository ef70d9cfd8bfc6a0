/** Schemes in which one client runs one graph that holds a replica of the computation for each worker. */
import { type TaskName, taskText } from "../../../cluster/device-name.js";
import { invalidArgument } from "../../../protocol/status.js";
import { denseGradient } from "../../gradients/gradient.js";
import type { Graph } from "../../graph.js";
import type { Operation, Output } from "../../operation.js";
import { group } from "../../ops/control-flow.js";
import { add, divide, split } from "../../ops/index.js";
import { variable } from "../../ops/state.js";
import type { Variable } from "../../variable.js";
import type { GradientOfVariable } from "../optimizer.js";
import { copyNodes, operationsFor, readersWithin } from "./copy-nodes.js";
import { ringMean } from "./ring.js";
import type { Step, Trained } from "./step.js";

/**
 * Each worker computes the gradients of its part of the examples; where a variable is, their mean is applied. With the
 * same examples, the losses are those of one machine.
 */
export function inGraphStep(trained: Trained): Step {
  const { graph, loss, variables, globalStep, workers } = trained;
  const nodes = readersWithin(operationsFor([loss.op]), new Set(trained.batch));
  checkBatch(trained, nodes);
  const parts = partsOf(trained);
  const optimizer = trained.optimizer();
  const replicas = workers.map((task, number) =>
    onReplica(graph, task, number, () => {
      const copy = copyNodes(graph, { nodes, task, replaced: parts(number), seedOffset: number });
      const options = { varList: variables, colocateGradientsWithOps: true };
      return { loss: copy(loss), gradients: optimizer.computeGradients(copy(loss), options) };
    }),
  );
  const sums = isSum(loss);
  const joined = variables.map((one, at): GradientOfVariable => {
    const all = replicas.flatMap(({ gradients }) => gradients[at]?.[0] ?? []);
    if (all.length === 0) return [undefined, one];
    const mean = () => joinedOf(all.map(denseGradient), sums);
    return [graph.withNameScope("mean", () => graph.withColocation(one.handle, mean)), one];
  });
  const train = optimizer.applyGradients(joined, { globalStep, name: "update" });
  return {
    loss: lossOf(
      trained,
      replicas.map((replica) => replica.loss),
    ),
    train,
  };
}

/**
 * Every worker has the variables, and computes the gradients of its part of the examples. Their means go round among the
 * workers, and each applies them to its own variables, which so stay the same. The graph's own variables are those of
 * the first worker.
 */
export function ringStep(trained: Trained): Step {
  const { graph, loss, variables, globalStep, workers } = trained;
  const shapes = variables.map(({ name, shape }) => {
    if (shape?.every((size) => size >= 0)) return shape;
    throw invalidArgument(`The shape of variable ${name} has to be known for a ring.`);
  });
  const mixed = variables.find(({ dtype }) => dtype !== variables[0]?.dtype);
  if (mixed) {
    throw invalidArgument(`All variables of a ring have one dtype: ${mixed.name} is ${mixed.dtype}.`);
  }
  const needed = operationsFor([loss.op]);
  checkBatch(trained, readersWithin(needed, new Set(trained.batch)));
  const parts = partsOf(trained);
  const replicas = workers.map((task, number) =>
    onReplica(graph, task, number, () => {
      const own = number === 0 ? variables : variables.map((one) => copyOfVariable(graph, one, task));
      const replaced = new Map(parts(number));
      for (const [at, one] of variables.entries()) replaced.set(one.handle, own[at]?.handle ?? one.handle);
      const nodes = readersWithin(needed, new Set(replaced.keys()));
      const copy = copyNodes(graph, { nodes, task, replaced, seedOffset: number });
      const optimizer = trained.optimizer();
      const gradients = optimizer
        .computeGradients(copy(loss), { varList: own, colocateGradientsWithOps: true })
        .map(([gradient], at) => {
          if (gradient) return denseGradient(gradient);
          throw invalidArgument(`The loss does not depend on variable ${variables[at]?.name}.`);
        });
      return { own, optimizer, loss: copy(loss), gradients };
    }),
  );
  const on = <T>(worker: number, make: () => T): T =>
    graph.withDevice(taskText(workers[worker] ?? { job: "worker", index: worker }), make);
  const means = graph.withNameScope("ring", () =>
    ringMean(
      replicas.map(({ gradients }) => gradients),
      ...([shapes, on, isSum(loss)] as const),
    ),
  );
  const updates = replicas.map(({ own, optimizer }, worker): Operation => {
    const given = own.map((one, at): GradientOfVariable => [means[worker]?.[at], one]);
    return optimizer.applyGradients(given, {
      ...{ name: `update_${worker}` },
      ...(worker === 0 ? { globalStep } : {}),
    });
  });
  const train = group(graph, updates, { name: "update" });
  return {
    loss: lossOf(
      trained,
      replicas.map((replica) => replica.loss),
    ),
    train,
  };
}

function onReplica<T>(graph: Graph, task: TaskName, number: number, make: () => T): T {
  return graph.withNameScope(`worker_${number}`, () => graph.withDevice(taskText(task), make));
}

function checkBatch({ loss, batch }: Trained, dependent: ReadonlySet<Operation>): void {
  if (batch.length === 0) {
    throw invalidArgument(
      "Choose the tensors that hold the examples, so that they can be divided among the workers.",
    );
  }
  if (dependent.has(loss.op)) return;
  throw invalidArgument(
    `The loss ${loss.name} does not depend on ${batch.map(({ name }) => name).join(", ")}.`,
  );
}

/** The rows of the examples that each worker gets: divided where they are computed. */
function partsOf({ graph, batch, workers }: Trained): (number: number) => ReadonlyMap<Output, Output> {
  const count = workers.length;
  const parts = graph.withNameScope("batch", () =>
    batch.map((tensor) => {
      const rows = tensor.shape?.[0];
      if (rows !== undefined && rows >= 0 && rows % count !== 0) {
        throw invalidArgument(
          `${tensor.name} has ${rows} rows, which cannot be divided evenly among ${count} workers.`,
        );
      }
      return graph.withColocation(tensor, () => split(tensor, count, 0, { name: tensor.op.name }));
    }),
  );
  return (number) =>
    new Map(
      batch.flatMap((tensor, at) => {
        const part = parts[at]?.[number];
        return part ? [[tensor, part] as const] : [];
      }),
    );
}

/** A variable of a worker's own that begins with the value of another one. */
function copyOfVariable(graph: Graph, of: Variable, task: TaskName): Variable {
  return graph.withDevice(taskText(task), () =>
    variable(graph, of.initialValue, { name: of.name, kind: of.kind }),
  );
}

/** The loss of all examples, on the first worker. */
function lossOf({ graph, loss, workers: [first] }: Trained, losses: readonly Output[]): Output {
  return graph.withDevice(first && taskText(first), () => {
    const whole = joinedOf(losses, isSum(loss));
    return graph.op("Identity", [whole], {}, "loss").output;
  });
}

function joinedOf(values: readonly Output[], sums: boolean): Output {
  const sum = values.reduce((one, other) => add(one, other));
  return sums ? sum : divide(sum, values.length);
}

/** Whether the loss adds up what it is for each example; else it is taken for a mean. */
export function isSum(loss: Output): boolean {
  let { op } = loss;
  while (op.type === "Identity" && op.inputs[0]) op = op.inputs[0].op;
  return op.type === "Sum";
}
