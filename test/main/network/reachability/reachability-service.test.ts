/** The matrix over real connections on loopback; only the list of machines is the test's. */
import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ClusterState, Machine } from "../../../../main/api/cluster.js";
import { type Reachability, reachabilitySchema } from "../../../../main/api/reachability.js";
import type { NewestSamples } from "../../../../main/api/samples.js";
import { type Prober, probeAddress } from "../../../../main/network/reachability/probe.js";
import {
  type ReachabilityCollaborators,
  ReachabilityService,
} from "../../../../main/network/reachability/reachability-service.js";
import { deferred } from "../../../../main/shared/deferred.js";
import { EventHub } from "../../../../main/shared/events.js";
import { defined } from "../../../../main/shared/problems.js";
import { freePort } from "../../../support/processes.js";
import { listen } from "./support/servers.js";
import { machine, task } from "./support/situations.js";

/** As much of the cluster as the matrix looks at. */
class Machines {
  readonly #listeners = new Set<() => void>();
  #machines: Machine[];

  constructor(machines: Machine[]) {
    this.#machines = machines;
  }

  state(): ClusterState {
    return {
      membership: "dynamic",
      access: "open",
      exposures: [],
      discovery: { state: "off" },
      machines: this.#machines,
    };
  }

  samples(): NewestSamples {
    return { machines: new Map(), tasks: new Map() };
  }

  onSamples(): () => void {
    return () => undefined;
  }

  change(machines: Machine[]): void {
    this.#machines = machines;
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

const hub = new EventHub();
let told: Reachability[] = [];
let stopTelling: () => void;
const services: ReachabilityService[] = [];

beforeEach(() => {
  told = [];
  stopTelling = hub.listen((event, data) => {
    if (event === "reachability") told.push(reachabilitySchema.parse(data));
  });
});
afterEach(() => {
  for (const service of services.splice(0)) service.dispose();
  stopTelling();
});

function start(
  machines: Machines,
  proberOf: (id: string) => Prober | undefined = () => probeAddress,
  inspectFirewall?: ReachabilityCollaborators["inspectFirewall"],
) {
  const speed = { megabytesPerSecond: 2, roundTripMillis: 0.6, bytes: 1e6, seconds: 1 };
  const service = new ReachabilityService({
    cluster: machines,
    emit: hub.emit,
    proberOf,
    measure: async () => speed,
    ...defined({ inspectFirewall }),
  });
  services.push(service);
  return service;
}

/** A state in which everything was tested, told after so many others. */
async function done(since = 0): Promise<Reachability> {
  const find = () => told.slice(since).findLast(({ state }) => state === "done");
  return await vi.waitUntil(find, { timeout: 30_000, interval: 20 });
}

/** Two machines that are both this one; the task's port is what the test makes it. */
function pair(port: number): Machine[] {
  return [
    machine("gpu-pc", [task("worker/0", { address: `127.0.0.2:${port}` })], {
      kind: "this",
      agentPort: 1,
      addresses: [],
    }),
    machine("raspberrypi", [], { agentPort: 1, addresses: [] }),
  ];
}

describe("the matrix", () => {
  test("tests what is new, tells what it finds, and tests again when asked", async () => {
    const port = await freePort();
    const service = start(new Machines(pair(port)));
    expect(service.get().state).toBe("idle");
    service.check();
    const first = await done();
    expect(first.routes).toMatchObject([
      { from: "raspberrypi", to: "gpu-pc", taskId: "worker/0", outcome: "failed", via: "direct" },
    ]);
    expect(first.routes[0]?.problem?.message).toContain("127.0.0.2");
    expect(first.diagnoses.map(({ id }) => id)).toContain("route-broken");

    await listen(
      createServer((socket) => socket.end()),
      "127.0.0.2",
      port,
    );
    const before = told.length;
    service.check();
    const second = await done(before);
    expect(second.routes[0]?.layers.map(({ layer, outcome }) => `${layer} ${outcome}`)).toContain("tcp ok");
    expect(second.checkedAt).toBeGreaterThanOrEqual(first.checkedAt ?? 0);
  });

  test("follows the cluster by itself, and forgets what is gone", async () => {
    const machines = new Machines([]);
    const service = start(machines);
    machines.change(pair(await freePort()));
    expect((await done()).routes).toHaveLength(1);
    machines.change([]);
    await expect.poll(() => service.get()).toMatchObject({ state: "done", routes: [] });
  });

  test("shows a route as unknown until it was tested, and why it cannot be", async () => {
    const gate = deferred<void>();
    const service = start(new Machines(pair(1)), () => async () => {
      await gate.promise;
      throw new Error("the agent went away");
    });
    service.check();
    expect(service.get()).toMatchObject({ state: "checking", routes: [{ outcome: "unknown", layers: [] }] });
    gate.resolve();
    expect((await done()).routes).toMatchObject([
      { outcome: "unknown", problem: { message: "the agent went away" } },
    ]);
  });

  test("dials a few at a time, and ends them all when it is disposed", async () => {
    const tasks = Array.from({ length: 40 }, (_, i) =>
      task(`worker/${i}`, { address: `127.0.0.2:${3000 + i}` }),
    );
    const [self, other] = pair(1);
    if (!self || !other) throw new Error("There are two machines.");
    let running = 0;
    let most = 0;
    const prober: Prober = ({ signal }) => {
      most = Math.max(most, ++running);
      return new Promise((_, reject) => {
        signal?.addEventListener("abort", () => {
          running--;
          reject(signal.reason);
        });
      });
    };
    const service = start(new Machines([{ ...self, tasks }, other]), () => prober);
    service.check();
    expect(most).toBe(6);
    service.dispose();
    expect(running).toBe(0);
  });

  test("explains with this machine's firewall why others do not reach it, and reads it only then", async () => {
    const questions: unknown[] = [];
    const inspect: ReachabilityCollaborators["inspectFirewall"] = async (question) => {
      questions.push(question);
      const facts = { tool: "nftables", name: "nftables 1.0.6", active: true } as const;
      return { ...facts, adapters: [], blockRules: [], ownRules: [] };
    };
    const port = await freePort();
    const machines = [
      machine("gpu-pc", [], { kind: "this", agentPort: port, addresses: ["127.0.0.2"] }),
      machine("raspberrypi", [], { addresses: [] }),
    ];
    const reached: Prober = async () => [{ layer: "tcp", outcome: "ok" }];
    start(new Machines(machines), () => reached, inspect).check();
    expect((await done()).routes).toMatchObject([{ outcome: "ok" }]);
    expect(questions).toEqual([]);

    const before = told.length;
    start(new Machines(machines), () => probeAddress, inspect).check();
    const { routes, diagnoses } = await done(before);
    const message = "gpu-pc's firewall (nftables 1.0.6) rejects it";
    expect(routes[0]?.problem?.message).toContain(message);
    expect(diagnoses.find(({ id }) => id === "firewall-blocks")?.problem.message).toContain(message);
    expect(questions).toEqual([{ ports: [port] }]);
  });

  test("explains without a firewall that cannot be read", async () => {
    const service = start(
      new Machines(pair(await freePort())),
      () => probeAddress,
      () => Promise.reject(new Error("only administrators may")),
    );
    service.check();
    const { routes } = await done();
    expect(routes[0]).toMatchObject({ outcome: "failed" });
    expect(routes[0]?.problem?.message).toContain("127.0.0.2");
  });

  test("measures a link and says when it is slow", async () => {
    const service = start(new Machines(pair(1)));
    expect((await service.measureThroughput("raspberrypi", "gpu-pc")).megabytesPerSecond).toBe(2);
    expect(service.get().diagnoses.map(({ id }) => id)).toContain("slow-link");
    await expect(service.measureThroughput("raspberrypi", "gone")).rejects.toMatchObject({
      problem: { code: "NOT_FOUND" },
    });
  });
});
