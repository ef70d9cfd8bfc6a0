/**
 * Which machines reach each other: a matrix of routes that follows the cluster, and the problems recognised in it.
 * Routes are tested when they are new or have changed, and all of them on request; nothing is tested periodically,
 * since every test against a firewall costs seconds.
 */
import { isDeepStrictEqual } from "node:util";
import { inBackground } from "../../../worker-runtime/faults.js";
import type { ClusterState, Machine } from "../../api/cluster.js";
import type { FirewallFacts } from "../../api/firewall.js";
import type { Diagnosis, Reachability, Route, Throughput } from "../../api/reachability.js";
import type { NewestSamples } from "../../api/samples.js";
import type { EmitEvent } from "../../shared/events.js";
import { problem } from "../../shared/problems.js";
import type { FirewallQuestion } from "../firewall/tool.js";
import type { MeasuredThroughput, Situation } from "./diagnoses/situation.js";
import { diagnose } from "./diagnoses.js";
import { portOf } from "./hosts.js";
import { type PlannedRoute, planRoutes } from "./plan.js";
import type { Prober } from "./probe.js";
import { RouteTests } from "./route-tests.js";
import { describeRoutes } from "./routes.js";

/** Delay before testing, so that a changing cluster settles first. */
const SETTLE_MILLIS = 1500;
/** Minimum interval between updates of the windows, longer with many routes. */
const MIN_TELL_MILLIS = 250;
const TELL_MILLIS_PER_ROUTE = 0.25;

/** The facts for diagnoses besides the cluster and its routes. */
export type FurtherFacts = Omit<
  Situation,
  | "now"
  | "membership"
  | "access"
  | "machines"
  | "routes"
  | "samples"
  | "discovery"
  | "exposures"
  | "throughputs"
>;

export interface ReachabilityCollaborators {
  readonly cluster: {
    state(): ClusterState;
    samples(): NewestSamples;
    /** Calls the listener after changes, until the returned function is called. */
    onChange(listener: () => void): () => void;
    /** Calls the listener after measurements. */
    onSamples(listener: () => void): () => void;
  };
  readonly emit: EmitEvent;
  /** How a machine dials: probeAddress for this one, its agent for another; undefined if it cannot be asked. */
  readonly proberOf: (machineId: string) => Prober | undefined;
  /** Measures the throughput between any two machines. */
  readonly measure: (from: string, to: string, signal: AbortSignal) => Promise<Throughput>;
  /** Logs, proxies, the session: everything known now, without any queries. */
  readonly facts?: () => FurtherFacts;
  /** Reads the firewall of this machine. */
  readonly inspectFirewall?: (question: FirewallQuestion, signal: AbortSignal) => Promise<FirewallFacts>;
  /** Whether a machine has a connection to this one now, be it reached from here or not. */
  readonly callsHere?: (machineId: string) => boolean;
}

export class ReachabilityService {
  readonly #collaborators: ReachabilityCollaborators;
  readonly #tests: RouteTests;
  readonly #disposed = new AbortController();
  readonly #throughputs = new Map<string, MeasuredThroughput>();
  readonly #stops: readonly (() => void)[];
  #plans: readonly PlannedRoute[] = [];
  /** Recomputed when a plan or a result changes. */
  #routes: Route[] | undefined;
  /** That of this machine, read when the last tests found that others do not reach it. */
  #firewall: FirewallFacts | undefined;
  #isInspecting = false;
  /** The state last sent to the windows. */
  #told: readonly Diagnosis[] | undefined;
  #checkedAt: number | undefined;
  #settling: NodeJS.Timeout | undefined;
  #telling: NodeJS.Timeout | undefined;

  constructor(collaborators: ReachabilityCollaborators) {
    this.#collaborators = collaborators;
    this.#tests = new RouteTests({
      proberOf: collaborators.proberOf,
      onChange: () => {
        this.#routes = undefined;
        if (!this.#tests.busy) {
          this.#checkedAt = Date.now();
          inBackground(this.#inspectFirewall());
        }
        this.#tell();
      },
    });
    const { cluster } = collaborators;
    this.#stops = [cluster.onChange(() => this.#settle()), cluster.onSamples(() => this.#settle())];
    this.#settle();
  }

  get(): Reachability {
    return {
      state:
        this.#tests.busy || this.#isInspecting ? "checking" : this.#checkedAt === undefined ? "idle" : "done",
      ...(this.#checkedAt === undefined ? {} : { checkedAt: this.#checkedAt }),
      routes: this.#describe(),
      diagnoses: this.#diagnose(),
    };
  }

  /** Tests every route; the results come as events. */
  check(): void {
    this.#follow(true);
    // Without a machine to dial there is nothing to wait for.
    if (!this.#tests.busy) this.#checkedAt = Date.now();
    this.#tell();
  }

  /**
   * Measures how fast one machine sends to another.
   *
   * @throws ProblemError NOT_FOUND for an unknown machine; or why it cannot be measured.
   */
  async measureThroughput(from: string, to: string): Promise<Throughput> {
    const { machines } = this.#collaborators.cluster.state();
    for (const id of [from, to]) {
      if (!machines.some((machine) => machine.id === id)) {
        throw problem("NOT_FOUND", "The machine is no longer there.", { details: id });
      }
    }
    if (from === to) throw problem("INVALID_ARGUMENT", "Throughput is measured between two machines.");
    const speed = await this.#collaborators.measure(from, to, this.#disposed.signal);
    this.#throughputs.set(`${from} ${to}`, { from, to, speed });
    this.#tell();
    return speed;
  }

  /** Ends every test. May be called more than once. */
  dispose(): void {
    this.#disposed.abort();
    for (const stop of this.#stops) stop();
    clearTimeout(this.#settling);
    clearTimeout(this.#telling);
    this.#tests.stop();
  }

  #describe(): Route[] {
    this.#routes ??= describeRoutes(
      this.#plans,
      (key) => this.#tests.result(key),
      (machineId) => (machineId === this.#thisMachine()?.id ? this.#firewall : undefined),
      this.#collaborators.callsHere,
    );
    return this.#routes;
  }

  #thisMachine(): Machine | undefined {
    return this.#collaborators.cluster.state().machines.find(({ kind }) => kind === "this");
  }

  /** Why others do not reach this machine is told by its own firewall, which is not worth reading while they do. */
  async #inspectFirewall(): Promise<void> {
    const { inspectFirewall } = this.#collaborators;
    const self = this.#thisMachine();
    const closed = this.#describe().filter(({ to, outcome }) => to === self?.id && outcome === "failed");
    if (!inspectFirewall || closed.length === 0 || this.#isInspecting) return;
    const ports = [...new Set(closed.flatMap(({ address }) => portOf(address) ?? []))];
    this.#isInspecting = true;
    try {
      this.#firewall = await inspectFirewall({ ports }, this.#disposed.signal);
    } catch {
      // Some systems let only administrators read the rules; the routes are told without them.
      this.#firewall = undefined;
    } finally {
      this.#isInspecting = false;
    }
    this.#routes = undefined;
    this.#tell();
  }

  #diagnose(): Diagnosis[] {
    const { cluster, facts } = this.#collaborators;
    const { membership, access, machines, exposures, discovery } = cluster.state();
    return diagnose({
      ...facts?.(),
      now: Date.now(),
      membership,
      access,
      machines,
      exposures,
      discovery,
      routes: this.#describe(),
      samples: cluster.samples(),
      throughputs: [...this.#throughputs.values()],
    });
  }

  /** Follows the cluster a moment after its first change, so that related changes are handled together. */
  #settle(): void {
    if (this.#disposed.signal.aborted) return;
    this.#settling ??= setTimeout(() => {
      this.#settling = undefined;
      this.#follow(false);
      if (!isDeepStrictEqual(this.#diagnose(), this.#told)) this.#tell();
    }, SETTLE_MILLIS);
  }

  #follow(again: boolean): void {
    if (this.#disposed.signal.aborted) return;
    const before = this.#plans;
    this.#plans = planRoutes(
      this.#collaborators.cluster.state(),
      (machineId) => this.#collaborators.proberOf(machineId) !== undefined,
    );
    this.#tests.follow(this.#plans, again);
    const same = (plan: PlannedRoute, i: number) =>
      plan.key === before[i]?.key && plan.stamp === before[i]?.stamp;
    if (before.length === this.#plans.length && this.#plans.every(same)) return;
    this.#routes = undefined;
    this.#tell();
  }

  #tell(): void {
    if (this.#disposed.signal.aborted) return;
    this.#telling ??= setTimeout(
      () => {
        this.#telling = undefined;
        const reachability = this.get();
        this.#told = reachability.diagnoses;
        this.#collaborators.emit("reachability", reachability);
      },
      Math.max(MIN_TELL_MILLIS, this.#plans.length * TELL_MILLIS_PER_ROUTE),
    );
  }
}
