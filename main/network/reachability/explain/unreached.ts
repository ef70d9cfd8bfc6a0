import type { LayerResult } from "../../../api/reachability.js";
import { defined } from "../../../shared/problems.js";
import { sentence } from "./evidence.js";
import type { Explanation, RouteFacts } from "./route-facts.js";

/** That a route leads to no TensorFlow server, in the given words, with what the system said as the details. */
export function unreached(
  facts: RouteFacts,
  failure: LayerResult,
  message: string,
  more: { readonly reason?: string | undefined; readonly remedy: string },
): Explanation {
  return {
    problem: defined({
      code: "UNAVAILABLE",
      message: sentence(message),
      ...more,
      details:
        failure.detail === undefined ? undefined : `${facts.from.name} → ${facts.address}: ${failure.detail}`,
      task: facts.task?.name,
    }),
  };
}
