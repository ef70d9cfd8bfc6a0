/** The explanation of a route that fails: certain where it is, "probably" where it is a guess, and whose firewall it is. */
import { describe, expect, test } from "vitest";
import type { FirewallFacts } from "../../../../main/api/firewall.js";
import type { FailureCause, Layer, LayerResult } from "../../../../main/api/reachability.js";
import type { RouteFacts } from "../../../../main/network/reachability/explain/route-facts.js";
import { explainRoute } from "../../../../main/network/reachability/explain.js";

const ping: LayerResult = { layer: "ping", outcome: "ok", millis: 0.6, detail: "answers in 0.6 ms" };
const noPing: LayerResult = { layer: "ping", outcome: "failed", cause: "timed-out" };
const fails = (layer: Layer, cause: FailureCause): LayerResult => ({ layer, outcome: "failed", cause });
const runs = { task: { name: "worker/0", state: "running" }, listening: true } as const;
const ufw = (active: boolean): FirewallFacts => ({
  tool: "ufw",
  name: "ufw 0.36.2",
  active,
  adapters: [],
  blockRules: [],
  ownRules: [],
});

function explain(layers: readonly LayerResult[], more: Partial<RouteFacts> = {}) {
  return explainRoute({
    from: { id: "pi", name: "raspberrypi" },
    to: { id: "gpu", name: "gpu-pc" },
    address: "gpu-pc:2222",
    kind: "task",
    via: "direct",
    wizard: true,
    layers,
    ...more,
  });
}

describe("a route that is silent", () => {
  const silent = fails("tcp", "timed-out");

  test("is the firewall's fault where the machine answers a ping and says that the task listens", () => {
    const explanation = explain([ping, silent], runs);
    expect(explanation).toEqual({
      problem: {
        code: "UNAVAILABLE",
        message: "raspberrypi reaches gpu-pc, but port 2222 does not answer: gpu-pc's firewall drops it.",
        reason: "The machine is there: a ping answers in 0.6 ms and gpu-pc says that worker/0 listens.",
        remedy:
          "Let TCP port 2222 in on gpu-pc; the firewall wizard shows the rule, adds it and can undo it.",
        task: "worker/0",
      },
      firewallOf: "gpu",
    });
  });

  test("names the firewall where it is known", () => {
    const { problem } = explain([ping, silent], { ...runs, firewall: ufw(true) }) ?? {};
    expect(problem?.message).toContain("gpu-pc's firewall (ufw 0.36.2) drops it.");
  });

  test("is a guess where it is unknown what listens there", () => {
    const { problem, firewallOf } = explain([ping, silent]) ?? {};
    expect(problem?.message).toContain("probably gpu-pc's firewall drops it.");
    expect(problem?.reason).toBe("Probably, since a ping answers in 0.6 ms.");
    expect(firewallOf).toBe("gpu");
  });

  test("may be the network's fault where the firewall is off", () => {
    const explanation = explain([ping, silent], { ...runs, firewall: ufw(false) });
    expect(explanation?.problem.message).toContain("something between the two machines drops it.");
    expect(explanation?.firewallOf).toBeUndefined();
  });

  test("is not the firewall's fault alone where the task is stopped", () => {
    const explanation = explain([ping, silent], { task: { name: "worker/0", state: "stopped" } });
    expect(explanation?.problem.message).toBe(
      "raspberrypi reaches gpu-pc, but port 2222 does not answer: worker/0 is stopped.",
    );
    expect(explanation?.firewallOf).toBeUndefined();
  });

  test("may be a machine that is off where nothing of it answers", () => {
    const { problem, firewallOf } = explain([noPing, silent]) ?? {};
    expect(problem?.message).toBe("gpu-pc does not answer raspberrypi.");
    expect(problem?.reason).toMatch(/^It is probably off/);
    expect(firewallOf).toBeUndefined();
  });

  test("is one-way where the machine reaches back", () => {
    const { problem } = explain([noPing, silent], { ...runs, reverseWorks: true }) ?? {};
    expect(problem?.message).toContain("gpu-pc's firewall drops it.");
    expect(problem?.reason).toContain("gpu-pc reaches raspberrypi");
  });

  test("offers no wizard for a machine that is not ours", () => {
    const explanation = explain([ping, silent], { wizard: false });
    expect(explanation?.firewallOf).toBeUndefined();
    expect(explanation?.problem.remedy).toMatch(
      /^Let TCP port 2222 in on gpu-pc: `sudo ufw allow 2222\/tcp` with ufw/,
    );
  });
});

describe("a route that is refused", () => {
  const refused = fails("tcp", "refused");
  test.each([
    ["nothing runs there", {}, "raspberrypi reaches gpu-pc, but nothing listens on port 2222."],
    [
      "the task is stopped",
      { task: { name: "worker/0", state: "failed" } },
      "raspberrypi reaches gpu-pc, but worker/0 has failed.",
    ],
    [
      "the task is starting",
      { task: { name: "worker/0", state: "starting" } },
      "worker/0 is still starting and does not listen on port 2222 yet.",
    ],
    [
      "the task listens, and others get through",
      { ...runs, othersReach: ["macbook"] },
      "raspberrypi reaches gpu-pc, but port 2222 does not answer: gpu-pc's firewall rejects it.",
    ],
    [
      "the task listens",
      runs,
      "raspberrypi reaches gpu-pc, but port 2222 does not answer: probably gpu-pc's firewall rejects it.",
    ],
    [
      "the task listens and the firewall is off",
      { ...runs, firewall: ufw(false) },
      "gpu-pc refuses connections to gpu-pc:2222.",
    ],
    [
      "the port is closed on purpose",
      { ...runs, task: { name: "worker/0", state: "running", isolated: true } },
      "port 2222 of gpu-pc is closed to other machines on purpose.",
    ],
    [
      "it is the end of a tunnel",
      { ...runs, via: "tunnel" },
      "raspberrypi's end of the tunnel to worker/0 is not open.",
    ],
    [
      "it is an agent",
      { kind: "agent", address: "gpu-pc:2220" },
      "raspberrypi reaches gpu-pc, but nothing listens on port 2220.",
    ],
    [
      "it is on the machine itself",
      { to: { id: "pi", name: "raspberrypi" } },
      "Nothing listens on port 2222 of raspberrypi.",
    ],
  ] satisfies [string, Partial<RouteFacts>, string][])("where %s", (_where, facts, message) => {
    expect(explain([ping, refused], facts)?.problem.message).toBe(message);
  });
});

describe("a route without a way", () => {
  test("to a machine that answers otherwise is a firewall that rejects, as firewalld does", () => {
    expect(explain([ping, fails("tcp", "host-unreachable")], runs)?.firewallOf).toBe("gpu");
    expect(explain([noPing, fails("tcp", "prohibited")], runs)?.firewallOf).toBe("gpu");
  });

  test.each([
    ["host-unreachable", "raspberrypi finds no machine at the address of gpu-pc."],
    ["no-route", "raspberrypi has no way to the network of gpu-pc."],
    ["blocked-here", "raspberrypi itself forbids connections to gpu-pc:2222."],
    ["reset", "raspberrypi cannot connect to gpu-pc:2222."],
  ] as const)("is no firewall's that could be opened (%s)", (cause, message) => {
    const explanation = explain([noPing, fails("tcp", cause)]);
    expect(explanation?.problem.message).toBe(message);
    expect(explanation?.firewallOf).toBeUndefined();
  });
});

describe("a name", () => {
  test("that is not known is told with an address to use instead", () => {
    const { problem } =
      explain([fails("name", "not-found")], { otherHosts: ["gpu-pc", "192.168.1.20"] }) ?? {};
    expect(problem?.message).toBe("raspberrypi does not know the name gpu-pc.");
    expect(problem?.remedy).toBe(
      "Use 192.168.1.20:2222 instead, or add gpu-pc to the hosts file of raspberrypi.",
    );
  });

  test("that cannot be asked for is the name service's fault", () => {
    expect(explain([fails("name", "no-name-server")])?.problem.message).toBe(
      "raspberrypi cannot resolve gpu-pc: its name service does not answer.",
    );
  });

  test("that leads home is wrong even if something answers there", () => {
    const all: LayerResult[] = ["tcp", "http2", "status"].map((layer) => ({
      layer: layer as Layer,
      outcome: "ok",
    }));
    expect(explain(all, { address: "localhost:2222", otherHosts: ["fd00::2"] })?.problem).toMatchObject({
      code: "INVALID_ARGUMENT",
      message: "On raspberrypi, localhost:2222 is raspberrypi itself and not gpu-pc.",
      remedy: "Use [fd00::2]:2222 instead in the cluster.",
    });
    expect(explain(all, { address: "localhost:2222", via: "tunnel" })).toBeUndefined();
    expect(explain(all, { address: "127.0.0.1:2222", otherHosts: ["127.0.0.1"] })).toBeUndefined();
    expect(explain(all)).toBeUndefined();
  });
});

describe("a connection on which no TensorFlow answers", () => {
  test.each([
    ["http2", "http1", {}, "A proxy or another program answers raspberrypi in place of gpu-pc:2222."],
    ["http2", "http1", runs, "A proxy or another program answers raspberrypi in place of worker/0."],
    ["http2", "tls", {}, "What answers at gpu-pc:2222 speaks TLS, and TensorFlow does not."],
    ["http2", "other-protocol", {}, "A program other than TensorFlow answers at gpu-pc:2222."],
    [
      "http2",
      "timed-out",
      { task: { name: "worker/0" } },
      "worker/0 accepts connections, but does not answer.",
    ],
    ["http2", "closed", runs, "worker/0 ends the connection at once."],
    ["http2", "closed", { ...runs, via: "tunnel" }, "The tunnel from raspberrypi to worker/0 leads nowhere."],
    ["status", "timed-out", runs, "worker/0 accepts connections, but does not answer."],
    ["status", "not-tensorflow", {}, "What answers at gpu-pc:2222 is not a TensorFlow server."],
  ] satisfies [Layer, FailureCause, Partial<RouteFacts>, string][])(
    "%s %s",
    (layer, cause, facts, message) => {
      expect(
        explain([ping, { layer: "tcp", outcome: "ok" }, fails(layer, cause)], facts)?.problem.message,
      ).toBe(message);
    },
  );
});

describe("a connection to an agent", () => {
  const agent = { kind: "agent", address: "gpu-pc:2220", deviceId: "a".repeat(52) } as const;

  test("that shows another certificate is another installation", () => {
    const shown: LayerResult = { layer: "tls", outcome: "ok", detail: "b".repeat(52) };
    expect(explain([shown], agent)?.problem.message).toBe(
      "An installation other than gpu-pc answers raspberrypi at gpu-pc:2220.",
    );
    expect(explain([{ ...shown, detail: agent.deviceId }], agent)).toBeUndefined();
  });

  test.each([
    ["other-protocol", "A program other than Tensordeck answers at gpu-pc:2220."],
    ["timed-out", "The agent of gpu-pc accepts connections, but does not answer raspberrypi."],
    ["closed", "The agent of gpu-pc ends the connection of raspberrypi at once."],
  ] as const)("that fails is told (%s)", (cause, message) => {
    expect(explain([fails("tls", cause)], agent)?.problem.message).toBe(message);
  });
});
