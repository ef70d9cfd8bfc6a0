/** Schemes in which every worker runs the graph itself, with variables that all of them share. */

import { invalidArgument } from "../../../protocol/status.js";
import { Tensor } from "../../../protocol/tensor.js";
import { denseGradient } from "../../gradients/gradient.js";
import { group } from "../../ops/control-flow.js";
import { cast } from "../../ops/math.js";
import { readVariable } from "../../ops/state.js";
import type { GradientOfVariable } from "../optimizer.js";
import type { Step, Trained } from "./step.js";

/** A worker applies its gradients at once, whatever the others have changed since it read the variables. */
export function asynchronousStep({ graph, loss, variables, globalStep, optimizer }: Trained): Step {
  const before = graph.withColocation(globalStep.handle, () =>
    readVariable(globalStep, { name: "step_before" }),
  );
  const train = optimizer().minimize(loss, {
    ...{ varList: variables, globalStep, colocateGradientsWithOps: true, name: "update" },
  });
  const after = graph.withControlDependencies([train], () =>
    graph.withColocation(globalStep.handle, () => readVariable(globalStep, { name: "step_after" })),
  );
  return { loss, train, asynchronous: { before: before.name, after: after.name } };
}

/**
 * Gradients are collected where the variables are. Once all workers have given theirs, the update applies the means. The
 * client knows when that is: it runs all workers, and goes on with fewer if one is lost.
 */
export function synchronousStep({ graph, loss, variables, globalStep, optimizer, workers }: Trained): Step {
  const trainer = optimizer();
  const gradients = trainer.computeGradients(loss, { varList: variables, colocateGradientsWithOps: true });
  const step = graph.withColocation(globalStep.handle, () =>
    cast(readVariable(globalStep, { name: "local_step" }), "int64"),
  );
  const required = graph.op(
    "PlaceholderWithDefault",
    [Tensor.of(workers.length, "int32")],
    { shape: [] },
    "required",
  ).output;
  const collected = gradients.flatMap(([gradient, one]) => {
    if (!gradient) return [];
    const { dtype, shape, name } = one;
    if (!shape) throw invalidArgument(`The shape of variable ${name} has to be known.`);
    const attrs = { dtype, shape, shared_name: `${name}/train_gradients` };
    // Rows are added to all: an accumulator of rows would divide each by how many workers had it.
    const dense = denseGradient(gradient);
    return graph.withNameScope("accumulators", () =>
      graph.withColocation(one.handle, () => {
        const handle = graph.op("ConditionalAccumulator", [], attrs, name).output;
        const give = graph.op("AccumulatorApplyGradient", [handle, step, dense], { dtype });
        const take = graph.op("AccumulatorTakeGradient", [handle, required], { dtype });
        const mean = graph.op("Reshape", [
          take.output,
          Tensor.of([...shape], "int32", [shape.length]),
        ]).output;
        const count = graph.op("AccumulatorNumAccumulated", [handle]).output;
        const begin = graph.op("AccumulatorSetGlobalStep", [handle, step]);
        return [{ give, take, count, begin, applied: [mean, one] satisfies GradientOfVariable }];
      }),
    );
  });
  const train = trainer.applyGradients(
    collected.map(({ applied }) => applied),
    { globalStep, name: "update" },
  );
  const names = <T extends { readonly name: string }>(items: readonly T[]) => items.map(({ name }) => name);
  return {
    loss,
    train,
    synchronous: {
      give: group(
        graph,
        collected.map(({ give }) => give),
        { name: "give" },
      ).name,
      required: required.name,
      counts: names(collected.map(({ count }) => count)),
      takes: names(collected.map(({ take }) => take)),
      begin: group(
        graph,
        collected.map(({ begin }) => begin),
        { name: "begin" },
      ).name,
    },
  };
}
