/** The evidence for an explanation, in words. */
import { layerOf } from "../layers/result.js";
import type { RouteFacts } from "./route-facts.js";

/** Whether packets pass between the two machines, regardless of this port. */
export function machinesMeet(facts: RouteFacts): boolean {
  return (
    layerOf(facts.layers, "ping")?.outcome === "ok" ||
    facts.otherPortAnswers === true ||
    facts.reverseWorks === true
  );
}

/** "gpu-pc answers a ping in 0.6 ms and says that worker/0 listens there"; empty when nothing is known. */
export function evidenceText(facts: RouteFacts): string {
  const { from, to, task, othersReach = [] } = facts;
  const ping = layerOf(facts.layers, "ping");
  const signs: string[] = [];
  if (ping?.outcome === "ok") signs.push(`a ping ${ping.detail ?? "is answered"}`);
  if (facts.otherPortAnswers) signs.push(`${to.name} answers ${from.name} on another port`);
  if (facts.reverseWorks) signs.push(`${to.name} reaches ${from.name}`);
  if (facts.listening && !facts.away) {
    signs.push(
      `${to.name} says that ${facts.kind === "agent" ? "its agent" : (task?.name ?? "the task")} listens`,
    );
  }
  if (othersReach.length > 0)
    signs.push(`${listText(othersReach)} get${othersReach.length === 1 ? "s" : ""} through`);
  return listText(signs);
}

/** "a, b and c" */
export function listText(items: readonly string[]): string {
  const last = items.at(-1) ?? "";
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} and ${last}`;
}

/** A clause with its full stop. Names of machines and tasks keep their spelling even at the beginning. */
export function sentence(clause: string): string {
  return /[.!?]$/.test(clause) ? clause : `${clause}.`;
}
