import type { Problem } from "../api/problem.js";
import { defined } from "../shared/problems.js";

/** A paired machine that does not answer, in the words that doctor, the window and the tasks on it share. */
export function machineSilent({
  name,
  problem,
}: {
  readonly name: string;
  readonly problem?: Problem | undefined;
}): Problem & { readonly remedy: string } {
  return {
    ...defined({ code: "UNAVAILABLE", message: `${name} does not answer.`, reason: problem?.message }),
    remedy: `Check whether ${name} is on and connected to the network.`,
  };
}
