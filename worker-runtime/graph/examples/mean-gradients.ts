import { denseGradient } from "../gradients/gradient.js";
import type { Output } from "../operation.js";
import { add, divide } from "../ops/index.js";
import type { GradientOfVariable } from "../training/index.js";

/** The mean of what the replicas of a model computed. */
export function meanOf(values: readonly Output[]): Output {
  return divide(
    values.reduce((sum, value) => add(sum, value)),
    values.length,
  );
}

/** The mean of the replicas' gradients of each variable. */
export function meanGradients(replicas: readonly (readonly GradientOfVariable[])[]): GradientOfVariable[] {
  const [first = []] = replicas;
  return first.map(([, variable], index) => {
    const all = replicas.flatMap((replica) => replica[index]?.[0] ?? []).map(denseGradient);
    return [all.length === 0 ? undefined : meanOf(all), variable];
  });
}
