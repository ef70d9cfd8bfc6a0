/** Probes and their explanations where firewalls, routes and names really are in the way. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type LayerResult,
  layerResultSchema,
  type Reachability,
  reachabilitySchema,
} from "../../main/api/reachability.js";
import type { RouteFacts } from "../../main/network/reachability/explain/route-facts.js";
import { explainRoute } from "../../main/network/reachability/explain.js";
import { ReachabilityService } from "../../main/network/reachability/reachability-service.js";
import { deferred } from "../../main/shared/deferred.js";
import { machine, task } from "../main/network/reachability/support/situations.js";
import { environmentWithoutProxies, peerMissing, repositoryRoot } from "../support/peers.js";
import { type Host, Network } from "./support/network.js";

const PORT = 2222;
const script = (name: string) => fileURLToPath(new URL(`./reachability/${name}`, import.meta.url));
const viaTsx = (name: string, ...args: string[]) => ["--import", "tsx", script(name), ...args];

describe.skipIf(peerMissing("namespaces", "nftables"))("a route between two machines", () => {
  let network: Network;
  let pi: Host;
  let gpu: Host;

  beforeAll(async () => {
    network = await Network.create(2, { names: ["raspberrypi", "gpu-pc"] });
    pi = network.host("raspberrypi");
    gpu = network.host("gpu-pc");
    for (const host of [pi, gpu]) {
      await host.spawn(process.execPath, viaTsx("silent-server.ts", String(PORT)), { ready: /listening/ });
    }
  });
  afterAll(() => network.dispose());
  afterEach(async () => {
    for (const host of [pi, gpu]) await host.run("nft", ["flush", "ruleset"]);
  });

  /** Replaces the host's firewall by one chain with this rule. */
  async function rule(host: Host, text: string): Promise<void> {
    await host.run("nft", ["-f", "-"], {
      input: [
        "table inet test {",
        "chain input {",
        "type filter hook input priority 0; policy accept;",
        text,
        "}",
        "}",
        "",
      ].join("\n"),
    });
  }

  async function probe(host: Host, address: string): Promise<LayerResult[]> {
    const printed = await host.run(process.execPath, viaTsx("probe-here.ts", address, "task"));
    return z.array(layerResultSchema).parse(JSON.parse(printed));
  }

  /** The layers that failed, with their causes. */
  function failures(layers: readonly LayerResult[]): string {
    return layers
      .filter(({ outcome }) => outcome === "failed")
      .map(({ layer, cause }) => `${layer} ${cause}`)
      .join(", ");
  }

  const route: RouteFacts = {
    from: { id: "pi", name: "raspberrypi" },
    to: { id: "gpu", name: "gpu-pc" },
    address: `gpu-pc:${PORT}`,
    kind: "task",
    via: "direct",
    wizard: true,
    layers: [],
  };
  const listening = { task: { name: "worker/0", state: "running" }, listening: true } as const;

  /** The message for the user about a probe from raspberrypi to worker/0 of gpu-pc, and whose firewall it is. */
  function explain(layers: readonly LayerResult[], more: Partial<RouteFacts> = listening): string[] {
    const explanation = explainRoute({ ...route, ...more, layers });
    return [explanation?.problem.message ?? "", explanation?.firewallOf ?? ""];
  }

  test("that is open reaches the program behind the port", async () => {
    const layers = await probe(pi, `gpu-pc:${PORT}`);
    expect(layers.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok", "failed", "skipped"]);
    expect(layers[0]?.detail?.split(", ").sort()).toEqual([gpu.address4, gpu.address6].sort());
  });

  test("that a firewall drops is told by its silence beside an answered ping", async () => {
    await rule(gpu, `tcp dport ${PORT} drop`);
    const layers = await probe(pi, `gpu-pc:${PORT}`);
    expect(failures(layers)).toBe("tcp timed-out");
    expect(layers[2]?.detail).toMatch(/^timed out after \d+\.\d s, 3 of 3 tries$/);
    expect(explain(layers)).toEqual([
      "raspberrypi reaches gpu-pc, but port 2222 does not answer: gpu-pc's firewall drops it.",
      "gpu",
    ]);
  });

  test.each([
    ["as ufw does", "tcp reset", "refused"],
    ["with ICMP's port unreachable", "icmpx type port-unreachable", "refused"],
    ["as firewalld does", "icmpx type admin-prohibited", "prohibited|host-unreachable"],
    ["as iptables' host-prohibited", "icmpx type host-unreachable", "host-unreachable"],
  ])("that a firewall rejects, %s", async (_name, reject, cause) => {
    await rule(gpu, `tcp dport ${PORT} reject with ${reject}`);
    const layers = await probe(pi, `gpu-pc:${PORT}`);
    expect(failures(layers)).toMatch(new RegExp(`^tcp (?:${cause})$`));
    expect(explain(layers, { ...listening, othersReach: ["macbook"] })).toEqual([
      "raspberrypi reaches gpu-pc, but port 2222 does not answer: gpu-pc's firewall rejects it.",
      "gpu",
    ]);
  });

  test("over IPv4 alone, firewalld's way of rejecting is not taken for a missing machine", async () => {
    await rule(gpu, `tcp dport ${PORT} reject with icmpx type admin-prohibited`);
    const layers = await probe(pi, `${gpu.address4}:${PORT}`);
    expect(failures(layers)).toBe("tcp host-unreachable");
    expect(explain(layers)[1]).toBe("gpu");
  });

  test("may be open one way only", async () => {
    await rule(gpu, `ip saddr ${pi.address4} tcp dport ${PORT} drop`);
    const [there, back] = await Promise.all([
      probe(pi, `${gpu.address4}:${PORT}`),
      probe(gpu, `${pi.address4}:${PORT}`),
    ]);
    expect(failures(there)).toBe("tcp timed-out");
    expect(back[2]?.outcome).toBe("ok");
  });

  test("whose ping is dropped as well is only probably the firewall's fault", async () => {
    await rule(gpu, "drop");
    const layers = await probe(pi, `${gpu.address4}:${PORT}`);
    expect(failures(layers)).toBe("ping timed-out, tcp timed-out");
    const explanation = explain(layers);
    expect(explanation).toEqual(["raspberrypi gets no answer at all from gpu-pc.", "gpu"]);
  });

  test("to a machine that is not there is told from one that is silent", async () => {
    const layers = await probe(pi, `10.77.0.99:${PORT}`);
    expect(failures(layers)).toMatch(/^ping \S+, tcp host-unreachable$/);
    expect(explain(layers, {})).toEqual(["raspberrypi finds no machine at the address of gpu-pc.", ""]);
  });

  test("to a network without a way", async () => {
    const layers = await probe(pi, `203.0.113.1:${PORT}`);
    expect(failures(layers)).toBe("ping no-route, tcp no-route");
  });

  test("by a name that only one machine knows", async () => {
    await pi.run("sh", ["-c", "grep -v gpu-pc /etc/hosts > /tmp/$$ && cat /tmp/$$ > /etc/hosts; rm /tmp/$$"]);
    try {
      expect(failures(await probe(pi, `gpu-pc:${PORT}`))).toMatch(
        /^name (not-found|no-name-server|timed-out)$/,
      );
      expect((await probe(gpu, `gpu-pc:${PORT}`))[0]?.outcome).toBe("ok");
    } finally {
      await pi.nameHosts(network.hosts);
    }
  });

  test("by a name that leads home, as Debian's hosts file has the own one", async () => {
    await pi.run("sh", ["-c", "sed -i 's/.* gpu-pc .*//' /etc/hosts; echo 127.0.1.1 gpu-pc >> /etc/hosts"]);
    try {
      const layers = await probe(pi, `gpu-pc:${PORT}`);
      expect(explain(layers)[0]).toBe(
        "On raspberrypi, the name gpu-pc leads to raspberrypi itself (127.0.1.1) and not to gpu-pc.",
      );
    } finally {
      await pi.nameHosts(network.hosts);
    }
  });

  test("over IPv6 alone", async () => {
    const layers = await probe(pi, `[${gpu.address6}]:${PORT}`);
    expect(layers[1]?.outcome).toBe("ok");
    expect(layers[2]?.detail).toBe(`connected to ${gpu.address6}`);
  });

  test("is tested from both ends", async () => {
    await rule(gpu, `ip saddr ${pi.address4} tcp dport ${PORT} drop`);
    const hosts = new Map([pi, gpu].map((host) => [host.name, host]));
    const machines = [pi, gpu].map((host, i) =>
      machine(host.name, [task(`worker/${i}`, { address: `${host.address4}:${PORT}` })], { addresses: [] }),
    );
    const done = deferred<Reachability>();
    const service = new ReachabilityService({
      cluster: {
        state: () => ({
          membership: "dynamic",
          access: "open",
          exposures: [],
          discovery: { state: "off" },
          machines,
        }),
        onChange: () => () => undefined,
        samples: () => ({ machines: new Map(), tasks: new Map() }),
        onSamples: () => () => undefined,
      },
      emit: (event, data) => {
        const told = event === "reachability" ? reachabilitySchema.parse(data) : undefined;
        if (told?.state === "done") done.resolve(told);
      },
      proberOf: (id) => {
        const host = hosts.get(id);
        return host && (({ address }) => probe(host, address));
      },
      measure: () => Promise.reject(new Error("not in this test")),
    });
    try {
      service.check();
      const { routes, diagnoses } = await done.promise;
      const seen = routes.map(({ from, to, firewallOf, layers }) => [from, to, failures(layers), firewallOf]);
      expect(seen).toEqual([
        ["raspberrypi", "gpu-pc", "tcp timed-out", "gpu-pc"],
        ["gpu-pc", "raspberrypi", "http2 timed-out", undefined],
      ]);
      expect(diagnoses.find(({ id }) => id === "firewall-blocks")?.problem.message).toBe(
        `raspberrypi reaches gpu-pc, but port ${PORT} does not answer: gpu-pc's firewall drops it.`,
      );
    } finally {
      service.dispose();
    }
  });

  /** The findings of `tensordeck doctor --json` on a host; there is no library to look for. */
  async function doctor(host: Host, args: readonly string[]) {
    const env = {
      ...environmentWithoutProxies(),
      TENSORDECK_DATA_DIR: "/run/tensordeck",
      TENSORDECK_LIBTENSORFLOW: "/run/no-library",
    };
    const main = join(repositoryRoot, "main", "cli", "main.ts");
    const command = ["--import", "tsx", main, "doctor", "--json", ...args];
    const { code, stdout } = await host.exec(process.execPath, command, { env });
    return { code, ...reachabilitySchema.parse(JSON.parse(stdout)) };
  }

  test("is told by the doctor as well, with the layer that fails", async () => {
    await rule(gpu, `tcp dport ${PORT} drop`);
    const { code, routes, diagnoses } = await doctor(pi, [`gpu-pc:${PORT}`]);
    expect(code).toBe(1);
    expect(routes).toMatchObject([{ from: "this-machine", to: "foreign:gpu-pc", outcome: "failed" }]);
    expect(diagnoses[0]?.problem.message).toBe(
      `raspberrypi reaches gpu-pc, but port ${PORT} does not answer: probably gpu-pc's firewall drops it.`,
    );
  });

  test("to localhost is the wrong one where the cluster spans several machines", async () => {
    const { code, diagnoses } = await doctor(pi, ["--worker_hosts", `localhost:${PORT},gpu-pc:${PORT}`]);
    expect(code).toBe(1);
    expect(diagnoses.map(({ id }) => id)).toContain("localhost-with-several-machines");
  });
});
