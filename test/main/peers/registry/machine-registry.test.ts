import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { MachineFacts } from "../../../../main/api/machines.js";
import { ProblemError } from "../../../../main/api/wire.js";
import type { Sighting } from "../../../../main/peers/discovery/sighting.js";
import type { AgentHello } from "../../../../main/peers/registry/added-machines.js";
import { MachineRegistry } from "../../../../main/peers/registry/machine-registry.js";
import type { RemoteMachine } from "../../../../main/peers/registry/remote-machine.js";
import type { TrustedMachine } from "../../../../main/peers/trust/trusted-machine.js";
import { problem } from "../../../../main/shared/problems.js";
import { machineFacts } from "../../support/machines.js";
import { MemoryHost } from "../../support/memory-host.js";
import { until } from "../../support/until.js";

/** A line to a machine that exists in memory only. */
class MemoryLink extends MemoryHost implements RemoteMachine {
  dials = 0;
  closed = false;
  unpaired = false;
  address: string | undefined;
  #facts: MachineFacts;
  readonly #listeners = new Set<() => void>();

  constructor(
    id: string,
    readonly addresses: () => readonly string[],
  ) {
    super();
    this.#facts = machineFacts(id, { name: "", presence: "connecting", version: "" });
  }

  facts(): MachineFacts {
    return this.#facts;
  }

  onFacts(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onSample(): () => void {
    return () => undefined;
  }

  open(): void {
    this.dials++;
  }

  dialNow(): void {
    this.dials++;
  }

  async unpair(): Promise<void> {
    this.unpaired = true;
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  says(facts: Partial<MachineFacts>, address?: string): void {
    this.#facts = { ...this.#facts, ...facts };
    this.address = address;
    for (const listener of this.#listeners) listener();
  }
}

class MemoryTrust {
  #machines = new Map<string, TrustedMachine>();
  readonly #listeners = new Set<(id: string) => void>();
  all = () => [...this.#machines.values()];
  get = (id: string) => this.#machines.get(id);
  put = async (machine: TrustedMachine) => {
    this.#machines.set(machine.deviceId, machine);
    this.#tell(machine.deviceId);
  };
  update = async (id: string, learned: Partial<TrustedMachine>) => {
    const machine = this.#machines.get(id);
    if (machine) await this.put({ ...machine, ...learned });
  };
  remove = async (id: string) => {
    this.#machines.delete(id);
    this.#tell(id);
  };
  onChange = (listener: (id: string) => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  #tell(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }
}

class MemoryDiscovery {
  seen: Sighting[] = [];
  searches = 0;
  /** The answer to the next search. */
  onSearch: () => void = () => undefined;
  readonly #listeners = new Set<() => void>();
  sightings = () => this.seen;
  sighting = (deviceId: string) => this.seen.find((one) => one.deviceId === deviceId);
  onChange = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  search = () => {
    this.searches++;
    this.onSearch();
  };
  sees(...sightings: Sighting[]): void {
    this.seen = sightings;
    for (const listener of this.#listeners) listener();
  }
}

/** A device ID that begins with a word. */
const id = (word: string) => word.padEnd(52, "a");

function sighting(word: string, more: Partial<Sighting> = {}): Sighting {
  return {
    ...{ deviceId: id(word), name: word, port: 2220, version: "0.1.0" },
    ...{ addresses: ["10.0.0.9"], lastSeenAt: 1000 },
    ...more,
  };
}

function trusted(word: string, more: Partial<TrustedMachine> = {}): TrustedMachine {
  return {
    ...{ deviceId: id(word), name: word, certPem: "", grantedRole: "run", role: "manage" },
    ...{ addresses: ["10.0.0.5"], agentPort: 2220, pairedAt: 1 },
    ...more,
  };
}

const open: MachineRegistry<MemoryLink>[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((registry) => registry.close()));
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

async function make(more: { trusted?: TrustedMachine[]; file?: string } = {}) {
  const trust = new MemoryTrust();
  for (const machine of more.trusted ?? []) await trust.put(machine);
  const discovery = new MemoryDiscovery();
  const links = new Map<string, MemoryLink>();
  const listening = { now: true };
  let probed = 0;
  /** Who answers at which address. */
  const agents = new Map<string, AgentHello>();
  const registry = new MachineRegistry<MemoryLink>({
    own: {
      tasks: new MemoryHost(),
      facts: () => machineFacts(id("here"), { kind: "this", name: "here" }),
      onChange: () => () => undefined,
      onSample: () => () => undefined,
    },
    trust,
    connect: ({ deviceId }, addresses) => {
      const link = new MemoryLink(deviceId, addresses);
      links.set(deviceId, link);
      return link;
    },
    discovery,
    probe: async () => {
      probed++;
      return listening.now;
    },
    askAgent: async (address) => {
      const hello = agents.get(address);
      if (hello) return hello;
      throw problem("UNAVAILABLE", `Nobody answers at ${address}.`);
    },
    ...(more.file === undefined ? {} : { file: more.file }),
  });
  open.push(registry);
  const facts = (word: string): MachineFacts => {
    const found = registry.facts(id(word));
    if (!found) throw new Error(`no machine ${word}`);
    return found;
  };
  const link = (word: string): MemoryLink => {
    const found = links.get(id(word));
    if (!found) throw new Error(`no link to ${word}`);
    return found;
  };
  const names = () => registry.list().map((machine) => `${machine.facts.name} ${machine.facts.kind}`);
  return { registry, trust, discovery, agents, listening, facts, link, names, probes: () => probed };
}

async function failure(promise: Promise<unknown>) {
  const error = await promise.catch((thrown: unknown) => thrown);
  if (error instanceof ProblemError) return error.problem;
  throw new Error(`not a ProblemError: ${String(error)}`);
}

describe("machines that announce themselves", () => {
  it("are listed behind this one and the paired ones, and go with their announcement", async () => {
    const { discovery, names, facts, registry } = await make({ trusted: [trusted("pi")] });
    discovery.sees(sighting("zeta"), sighting("beta"), sighting("here"));
    expect(names()).toEqual(["here this", "pi paired", "beta discovered", "zeta discovered"]);
    expect(facts("beta")).toMatchObject({ presence: "online", addresses: ["10.0.0.9"] });
    expect(registry.list()[2]?.tasks).toBeUndefined();
    discovery.sees();
    expect(names()).toEqual(["here this", "pi paired"]);
  });

  it("are offline once nothing listens at their announced address", async () => {
    const { discovery, facts, listening } = await make();
    listening.now = false;
    discovery.sees(sighting("beta"));
    expect(facts("beta").presence).toBe("online");
    await expect.poll(() => facts("beta").presence).toBe("offline");
    expect(facts("beta").problem?.message).toBe("beta does not answer.");
  });

  it("become paired machines once they are trusted, and unpaired again when they are not", async () => {
    const { registry, trust, discovery, names, link } = await make();
    discovery.sees(sighting("pi"));
    await trust.put(trusted("pi"));
    expect(names()).toEqual(["here this", "pi paired"]);
    expect(link("pi").dials).toBe(1);
    await trust.remove(id("pi"));
    expect(names()).toEqual(["here this", "pi discovered"]);
    expect(link("pi").closed).toBe(true);
    expect(registry.remote(id("pi"))).toBeUndefined();
  });
});

describe("a crowd of machines that announce themselves", () => {
  const digits = "abcdefghijklmnopqrstuvwxyz";
  const crowd = (count: number) =>
    Array.from({ length: count }, (_, index) => {
      const word = [index / 676, index / 26, index].map((part) => digits[Math.trunc(part) % 26]).join("");
      return sighting(`pupil${word}`);
    });

  it("is listed as far as a panel can be read, and counted beyond that", async () => {
    const { registry, discovery, names } = await make({ trusted: [trusted("zpi")] });
    discovery.sees(...crowd(200));
    expect([registry.list().length, registry.unlisted()]).toEqual([202, 0]);
    // The paired machine is heard last of all.
    discovery.sees(...crowd(1000), sighting("zpi", { addresses: ["10.0.0.77"] }));
    expect([registry.list().length, registry.unlisted()]).toEqual([252, 750]);
    expect(names().slice(0, 2)).toEqual(["here this", "zpi paired"]);
    expect(registry.agentAddresses(id("zpi"))[0]).toBe("10.0.0.77:2220");
    // Whoever was here before a crowd came is still listed.
    expect(registry.facts(id("pupilaaa"))).toBeDefined();
    expect(registry.facts(id("pupilbmj"))).toBeUndefined();
  });

  it("does not hide a machine that the user names by its device ID", async () => {
    const { registry, discovery } = await make();
    discovery.sees(...crowd(1000));
    expect(await registry.add(id("pupilbmj"))).toBe(id("pupilbmj"));
    expect(registry.facts(id("pupilbmj"))?.kind).toBe("discovered");
    expect([registry.list().length, registry.unlisted()]).toEqual([251, 750]);
  });

  it("costs work in proportion to its size", async () => {
    const { registry, discovery } = await make({ trusted: [trusted("pi")] });
    let lookups = 0;
    const found = discovery.sighting;
    const all = discovery.sightings;
    discovery.sighting = (wanted) => {
      lookups++;
      return found(wanted);
    };
    discovery.sightings = () => {
      lookups++;
      return all();
    };
    discovery.sees(...crowd(1000));
    registry.list();
    expect(lookups).toBeLessThan(3 * 250);
  });

  it("is probed no faster than a network bears", async () => {
    const { discovery, probes } = await make();
    discovery.sees(...crowd(1000));
    await until("somebody was probed", () => probes() > 0);
    expect(probes()).toBeLessThan(100);
  });
});

describe("paired machines", () => {
  it("are there when their agent answers, and stay as offline with when and why", async () => {
    const { discovery, facts, link } = await make({ trusted: [trusted("pi")] });
    expect(facts("pi")).toMatchObject({
      name: "pi",
      presence: "connecting",
      grantedRole: "run",
      role: "manage",
    });
    link("pi").says(
      { presence: "online", name: "Raspberry", version: "0.1.3", role: "run" },
      "10.0.0.5:2220",
    );
    expect(facts("pi")).toMatchObject({ name: "Raspberry", presence: "online", role: "run" });
    expect(facts("pi").problem).toBeUndefined();
    link("pi").says({ presence: "offline", lastSeenAt: 77 });
    expect(facts("pi")).toMatchObject({
      presence: "offline",
      lastSeenAt: 77,
      problem: { message: "Raspberry does not answer.", reason: expect.stringContaining("It is off") },
    });
    // An announcement does not make it present, but says more of why it is not.
    discovery.sees(sighting("pi"));
    expect(facts("pi")).toMatchObject({
      presence: "offline",
      problem: { reason: expect.stringContaining("firewall") },
    });
  });

  it("are dialled at once when they announce themselves again, at all known addresses", async () => {
    const { discovery, link, registry } = await make({ trusted: [trusted("pi")] });
    expect(link("pi").addresses()).toEqual(["10.0.0.5:2220"]);
    discovery.sees(sighting("pi", { addresses: ["10.0.0.7", "fe80::1%eth0"], port: 2225 }));
    expect(link("pi").dials).toBe(2);
    expect(link("pi").addresses()).toEqual(["10.0.0.7:2225", "[fe80::1%eth0]:2225", "10.0.0.5:2220"]);
    discovery.sees(sighting("pi", { addresses: ["10.0.0.7", "fe80::1%eth0"], port: 2225, lastSeenAt: 2000 }));
    expect(link("pi").dials).toBe(2);
    registry.search();
    expect([link("pi").dials, discovery.searches]).toEqual([3, 1]);
    link("pi").says({ presence: "online" }, "10.0.0.7:2225");
    discovery.sees(sighting("pi", { addresses: ["10.0.0.8"] }));
    expect(link("pi").dials).toBe(3);
  });

  it("are remembered by how they were reached", async () => {
    const { trust, link } = await make({ trusted: [trusted("pi")] });
    link("pi").says({ presence: "online", name: "Raspberry", role: "view" }, "10.0.0.7:2225");
    expect(trust.get(id("pi"))).toMatchObject({
      ...{ name: "Raspberry", role: "view", agentPort: 2225 },
      addresses: ["10.0.0.7", "10.0.0.5"],
    });
  });

  it("of another version say so", async () => {
    const { facts, link } = await make({ trusted: [trusted("pi")] });
    link("pi").says({ presence: "online", version: "0.2.0" }, "10.0.0.5:2220");
    expect(facts("pi").problem?.message).toBe("pi has Tensordeck 0.2.0, this machine 0.1.0.");
  });

  it("are allowed what the user says, and forgotten on both sides", async () => {
    const { registry, trust, link, names } = await make({ trusted: [trusted("pi")] });
    await registry.setRole(id("pi"), "view");
    expect(trust.get(id("pi"))?.grantedRole).toBe("view");
    expect((await failure(registry.setRole(id("nobody"), "view"))).code).toBe("NOT_FOUND");
    const line = link("pi");
    await registry.forget(id("pi"));
    expect([line.unpaired, line.closed]).toEqual([true, true]);
    expect(names()).toEqual(["here this"]);
  });
});

describe("machines that the user names", () => {
  it("are asked who they are, kept, and asked again after a restart", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tensordeck-machines-"));
    folders.push(folder);
    const file = join(folder, "sub", "machines.json");
    const first = await make({ file });
    first.agents.set("gpu-pc:2220", { deviceId: id("gpu"), name: "gpu-pc" });
    first.agents.set("[fd00::2]:2220", { deviceId: id("six"), name: "" });
    expect(await first.registry.add("gpu-pc")).toBe(id("gpu"));
    expect(await first.registry.add("fd00::2")).toBe(id("six"));
    expect(first.facts("gpu")).toMatchObject({ kind: "discovered", presence: "online", name: "gpu-pc" });
    expect(first.facts("six").name).toBe("fd00::2");
    expect(first.registry.agentAddresses(id("gpu"))).toEqual(["gpu-pc:2220"]);
    await first.registry.close();
    expect(JSON.parse(await readFile(file, "utf8")).length).toBe(2);

    const second = await make({ file });
    await until("they are listed", () => second.registry.list().length === 3);
    expect(second.facts("gpu").presence).toBe("offline");
    expect(second.facts("gpu").problem?.message).toBe("gpu-pc does not answer.");
    await second.registry.forget(id("gpu"));
    expect(second.registry.facts(id("gpu"))).toBeUndefined();
  });

  it("are no longer only named once they are paired", async () => {
    const { registry, agents, trust, link } = await make();
    agents.set("gpu-pc:2221", { deviceId: id("gpu"), name: "" });
    await registry.add("gpu-pc:2221");
    await trust.put(trusted("gpu", { addresses: [] }));
    expect(link("gpu").addresses()).toEqual(["gpu-pc:2221"]);
    link("gpu").says({ presence: "online" }, "gpu-pc:2221");
    await trust.remove(id("gpu"));
    expect(registry.facts(id("gpu"))).toBeUndefined();
  });

  it("give a paired machine another address, which is dialled", async () => {
    const { registry, agents, trust, link } = await make({ trusted: [trusted("pi")] });
    agents.set("10.0.0.77:2220", { deviceId: id("pi"), name: "" });
    expect(await registry.add("10.0.0.77")).toBe(id("pi"));
    expect(trust.get(id("pi"))?.addresses).toEqual(["10.0.0.77", "10.0.0.5"]);
    expect(link("pi").dials).toBe(2);
  });

  it("may be named by device ID, if they announce themselves", async () => {
    const { registry, discovery } = await make();
    discovery.onSearch = () => discovery.sees(sighting("pi"));
    expect(await registry.add(id("pi"))).toBe(id("pi"));
    discovery.onSearch = () => undefined;
    expect((await failure(registry.add(id("nobody")))).remedy).toContain("by its address");
  });

  it("must be others, and written as an address", async () => {
    const { registry, agents, discovery } = await make();
    agents.set("localhost:2220", { deviceId: id("here"), name: "here" });
    expect((await failure(registry.add("localhost"))).message).toBe("localhost is this machine.");
    expect((await failure(registry.add("http://pi"))).code).toBe("INVALID_ARGUMENT");
    expect((await failure(registry.add("nobody"))).code).toBe("UNAVAILABLE");
    discovery.sees(sighting("pi"));
    expect((await failure(registry.forget(id("pi")))).message).toBe(
      "pi is not paired, so there is nothing to remove.",
    );
  });
});
