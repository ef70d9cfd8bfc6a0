/**
 * What the layers of a route say together with what else is known: the first layer that fails, in words. Pure: nothing is
 * dialled here, so that the window, the wizard and `tensordeck doctor` go by the same rules.
 */
import { explainAgent } from "./explain/agent.js";
import { explainName } from "./explain/name.js";
import type { Explanation, RouteFacts } from "./explain/route-facts.js";
import { explainTask } from "./explain/task.js";
import { explainTcp } from "./explain/tcp.js";

/** Why a route fails, or leads to another machine than meant; undefined when there is nothing to say. */
export function explainRoute(facts: RouteFacts): Explanation | undefined {
  const misled = explainName(facts);
  if (misled) return misled;
  const failure = facts.layers.find(({ layer, outcome }) => layer !== "ping" && outcome === "failed");
  if (failure?.layer === "tcp") return explainTcp(facts, failure);
  if (failure?.layer === "http2" || failure?.layer === "status") return explainTask(facts, failure);
  return facts.kind === "agent" ? explainAgent(facts, failure) : undefined;
}
