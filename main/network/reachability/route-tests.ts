/** Runs the tests of routes, a few at a time, and keeps their results. */

import { inBackground } from "../../../worker-runtime/faults.js";
import type { Problem } from "../../api/problem.js";
import type { LayerResult } from "../../api/reachability.js";
import { problemOf } from "../../shared/problems.js";
import type { PlannedRoute } from "./plan.js";
import type { Prober } from "./probe.js";

/** A probe waits most of its time. */
const MAX_AT_ONCE = 32;
/** Concurrent dials of one machine, few enough to cause no load and exhaust no ports. */
const MAX_OF_ONE_MACHINE = 6;

/** The last test of a route. */
export interface TestedRoute {
  readonly plan: PlannedRoute;
  /** The address that was tried last, or that answered. */
  readonly address: string;
  readonly layers: readonly LayerResult[];
  /** Why it could not be tested at all. */
  readonly problem?: Problem;
}

export interface RouteTestsOptions {
  /** How a machine dials; undefined if it cannot be asked. */
  readonly proberOf: (machineId: string) => Prober | undefined;
  /** Called after every result, and when all are there. */
  readonly onChange: () => void;
}

export class RouteTests {
  readonly #options: RouteTestsOptions;
  readonly #results = new Map<string, TestedRoute>();
  /** By the machine that is to dial, then by key. */
  readonly #waiting = new Map<string, Map<string, PlannedRoute>>();
  readonly #running = new Map<string, { readonly plan: PlannedRoute; readonly stop: AbortController }>();

  constructor(options: RouteTestsOptions) {
    this.#options = options;
  }

  /** By the key of its plan; undefined until it was tested. */
  result(key: string): TestedRoute | undefined {
    return this.#results.get(key);
  }

  results(): Iterable<TestedRoute> {
    return this.#results.values();
  }

  get busy(): boolean {
    return this.#running.size > 0 || [...this.#waiting.values()].some(({ size }) => size > 0);
  }

  /**
   * Applies a plan: forgets routes that it no longer has, and tests those that are new or have another stamp; with
   * `again`, all of them.
   */
  follow(plans: readonly PlannedRoute[], again: boolean): void {
    const wanted = new Map(plans.map((plan) => [plan.key, plan]));
    for (const [key, { plan, stop }] of this.#running) {
      if (wanted.get(key)?.stamp !== plan.stamp) {
        this.#running.delete(key);
        stop.abort();
      }
    }
    for (const key of this.#results.keys()) {
      if (!wanted.has(key)) this.#results.delete(key);
    }
    const waited = new Set([...this.#waiting.values()].flatMap((queue) => [...queue.keys()]));
    this.#waiting.clear();
    for (const plan of plans) {
      if (this.#running.has(plan.key)) continue;
      const known = this.#results.get(plan.key);
      if (again || waited.has(plan.key) || known?.plan.stamp !== plan.stamp) this.#enqueue(plan);
    }
    this.#start();
  }

  /** Ends every test. */
  stop(): void {
    this.#waiting.clear();
    for (const { stop } of this.#running.values()) stop.abort();
    this.#running.clear();
  }

  #enqueue(plan: PlannedRoute): void {
    const queue = this.#waiting.get(plan.from.id) ?? new Map<string, PlannedRoute>();
    queue.set(plan.key, plan);
    this.#waiting.set(plan.from.id, queue);
  }

  /** Starts as many tests as may run, taking turns between the machines. */
  #start(): void {
    const dialling = new Map<string, number>();
    for (const { plan } of this.#running.values()) {
      dialling.set(plan.from.id, (dialling.get(plan.from.id) ?? 0) + 1);
    }
    for (let turn = 0; turn < MAX_OF_ONE_MACHINE; turn++) {
      for (const [machineId, queue] of this.#waiting) {
        if (this.#running.size >= MAX_AT_ONCE) return;
        const already = dialling.get(machineId) ?? 0;
        const [next] = queue.values();
        if (!next || already >= MAX_OF_ONE_MACHINE) continue;
        dialling.set(machineId, already + 1);
        queue.delete(next.key);
        const stop = new AbortController();
        this.#running.set(next.key, { plan: next, stop });
        inBackground(this.#test(next, stop));
      }
    }
  }

  async #test(plan: PlannedRoute, stop: AbortController): Promise<void> {
    const result = await this.#probe(plan, stop.signal);
    // Cancelled meanwhile: the result is outdated.
    if (stop.signal.aborted) return;
    this.#running.delete(plan.key);
    this.#results.set(plan.key, result);
    this.#start();
    this.#options.onChange();
  }

  async #probe(plan: PlannedRoute, signal: AbortSignal): Promise<TestedRoute> {
    const prober = this.#options.proberOf(plan.from.id);
    const [first] = plan.addresses;
    if (!prober) return { plan, address: first, layers: [], problem: cannotDial(plan) };
    let failed: TestedRoute | undefined;
    try {
      for (const address of plan.addresses) {
        const layers = await prober({ address, kind: plan.kind, signal });
        const tested = { plan, address, layers };
        if (works(layers) && isMeant(plan, layers)) return tested;
        failed ??= tested;
      }
    } catch (error) {
      return failed ?? { plan, address: first, layers: [], problem: problemOf(error) };
    }
    return failed ?? { plan, address: first, layers: [] };
  }
}

/** Whether all layers behind the name answered. A ping is a hint only. */
export function works(layers: readonly LayerResult[]): boolean {
  return (
    layers.length > 0 &&
    layers.every(({ layer, outcome }) => outcome === "ok" || layer === "ping" || layer === "name")
  );
}

/** Whether the intended agent answered. */
function isMeant({ deviceId }: PlannedRoute, layers: readonly LayerResult[]): boolean {
  return deviceId === undefined || layers.some(({ layer, detail }) => layer === "tls" && detail === deviceId);
}

function cannotDial({ from }: PlannedRoute): Problem {
  return { code: "UNAVAILABLE", message: `${from.name} cannot be asked what it reaches.` };
}
