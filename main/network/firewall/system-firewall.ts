/** The firewall of this machine. */
import type { FirewallApply, FirewallFacts, FirewallPlan } from "../../api/firewall.js";
import { problem, problemOf } from "../../shared/problems.js";
import type { FirewallBackend, Inspection } from "./backend.js";
import { isInPlace } from "./rules.js";
import type { FirewallChange, FirewallQuestion, FirewallTool } from "./tool.js";

export class SystemFirewall implements FirewallTool {
  readonly #backend: FirewallBackend;
  readonly #now: () => number;

  constructor(backend: FirewallBackend, now: () => number = Date.now) {
    this.#backend = backend;
    this.#now = now;
  }

  async inspect(question: FirewallQuestion, signal: AbortSignal): Promise<FirewallFacts> {
    return (await this.#backend.inspect(question, signal)).facts;
  }

  async plan(change: FirewallChange, signal: AbortSignal): Promise<FirewallPlan> {
    return (await this.#inspectFor(change, signal)).plan(change);
  }

  async *apply(change: FirewallChange, signal: AbortSignal): AsyncIterable<FirewallApply> {
    const since = this.#now();
    yield { state: "waiting", since };
    let inspection: Inspection;
    let plan: FirewallPlan;
    try {
      inspection = await this.#inspectFor(change, signal);
      plan = inspection.plan(change);
    } catch (error) {
      if (!signal.aborted) yield this.#failed(error);
      return;
    }
    if (plan.rules.length === 0 || isInPlace(inspection.facts, plan)) {
      yield { state: "already", since: this.#now() };
      return;
    }
    yield* this.#execute(plan.script, plan.command, plan.elevation, "applied", signal);
  }

  async *undo(change: FirewallChange, signal: AbortSignal): AsyncIterable<FirewallApply> {
    const since = this.#now();
    yield { state: "waiting", since };
    try {
      const { elevation, undo } = await this.#inspectFor(change, signal);
      const { script, command } = undo;
      yield* this.#execute(script, command, elevation, "undone", signal);
    } catch (error) {
      if (!signal.aborted) yield this.#failed(error);
    }
  }

  async *#execute(
    script: string,
    command: string,
    elevation: FirewallPlan["elevation"],
    done: "applied" | "undone",
    signal: AbortSignal,
  ): AsyncIterable<FirewallApply> {
    if (elevation === "by-hand") {
      yield { state: "by-hand", since: this.#now(), command };
      return;
    }
    try {
      const { state, problem: failure } = await this.#backend.execute(script, elevation, signal);
      // Nothing was left to remove: the rules are gone in any case.
      const reached = done === "undone" && (state === "applied" || state === "already") ? done : state;
      yield { state: reached, since: this.#now(), ...(failure && { problem: failure }) };
    } catch (error) {
      if (!signal.aborted) yield this.#failed(error);
    }
  }

  #failed(error: unknown): FirewallApply {
    return { state: "failed", since: this.#now(), problem: problemOf(error) };
  }

  #inspectFor({ scope, ports }: FirewallChange, signal: AbortSignal): Promise<Inspection> {
    const peer = scope.kind === "peer" ? { peerAddress: scope.address } : {};
    return this.#backend.inspect({ ports, ...peer }, signal);
  }
}

/** When no supported firewall is found, or this system cannot have one. */
export function unknownSystem(platform: string): FirewallBackend {
  const refuse = () =>
    problem("UNIMPLEMENTED", `Tensordeck cannot change a firewall on ${platform}.`, {
      remedy: "Open the ports with the system's own tools.",
    });
  return {
    inspect: () => Promise.reject(refuse()),
    execute: () => Promise.reject(refuse()),
  };
}
