/**
 * Explains in words why a route fails, from its first failing layer and the other known facts. Pure: nothing is dialled
 * here, so the window, the wizard and `tensordeck doctor` follow the same rules.
 */
import { explainAgent } from "./explain/agent.js";
import { explainName } from "./explain/name.js";
import type { Explanation, RouteFacts } from "./explain/route-facts.js";
import { explainTask } from "./explain/task.js";
import { explainTcp } from "./explain/tcp.js";

/** Why a route fails or leads to the wrong machine; undefined if neither is the case. */
export function explainRoute(facts: RouteFacts): Explanation | undefined {
  const misled = explainName(facts);
  if (misled) return misled;
  const failure = facts.layers.find(({ layer, outcome }) => layer !== "ping" && outcome === "failed");
  if (failure?.layer === "tcp") return explainTcp(facts, failure);
  if (failure?.layer === "http2" || failure?.layer === "status") return explainTask(facts, failure);
  return facts.kind === "agent" ? explainAgent(facts, failure) : undefined;
}
