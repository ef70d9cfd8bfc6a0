import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { FirewallPlan } from "../../../../main/api/firewall.js";
import { ProblemError } from "../../../../main/api/wire.js";
import type { CommandEnd, RunCommand } from "../../../../main/network/firewall/command.js";
import { readAdapters, sourcesOf } from "../../../../main/network/firewall/linux/adapters.js";
import { executeScript, linuxElevation } from "../../../../main/network/firewall/linux/elevation.js";
import {
  droppingChains,
  iptablesDrops,
  readNftRuleset,
} from "../../../../main/network/firewall/linux/filter-chains.js";
import { zoneFinder } from "../../../../main/network/firewall/linux/firewalld.js";
import { linuxFirewall } from "../../../../main/network/firewall/linux/linux-firewall.js";
import { ALREADY, quote, shellScript } from "../../../../main/network/firewall/shell.js";
import { SystemFirewall } from "../../../../main/network/firewall/system-firewall.js";
import type { FirewallChange } from "../../../../main/network/firewall/tool.js";
import fc from "../../../support/seeded-check.js";

const { signal } = new AbortController();
const TAG = "0123456789abcdef";

/** A machine whose programs print what is given for them; all others are missing. */
function machine(outputs: Readonly<Record<string, string>>): RunCommand {
  return async (program, args): Promise<CommandEnd> => {
    const stdout = outputs[[program, ...args].join(" ")];
    return stdout === undefined
      ? { code: 127, stdout: "", stderr: "not found" }
      : { code: 0, stdout, stderr: "" };
  };
}

const addresses = JSON.stringify([
  { ifname: "lo", addr_info: [{ local: "127.0.0.1", prefixlen: 8 }] },
  {
    ifname: "eth0",
    addr_info: [
      { local: "192.168.1.20", prefixlen: 24 },
      { local: "fe80::5", prefixlen: 64 },
    ],
  },
  { ifname: "wan0", addr_info: [{ local: "203.0.113.5", prefixlen: 24 }] },
  { ifname: "docker0", addr_info: [{ local: "172.17.0.1", prefixlen: 16 }] },
  { ifname: "tailscale0", addr_info: [{ local: "100.64.0.3", prefixlen: 32 }] },
]);

const ufw = machine({
  "ip -json address show": addresses,
  "cat /etc/ufw/ufw.conf": "ENABLED=yes\n",
  "ufw version": "ufw 0.36.2\nCopyright",
});

function planOn(run: RunCommand, change: Partial<FirewallChange> = {}, uid = 1000): Promise<FirewallPlan> {
  const tool = new SystemFirewall(
    linuxFirewall({ run, account: { uid, desktop: false }, agentPort: () => 2220, tag: TAG }),
  );
  return tool.plan({ scope: { kind: "subnet" }, ports: [2222], removeBlockRules: false, ...change }, signal);
}

describe("the allowed sources", () => {
  it("is the private networks of the machine, without those of its guests and the public ones", async () => {
    const plan = await planOn(ufw);
    expect(plan.rules[0]?.from).toBe("192.168.1.0/24, fe80::/10");
    expect(plan.notes.map(({ text }) => text)).toContain("Public networks stay closed: wan0 (203.0.113.5).");
  });

  it("are none where the machine is in no private network", () => {
    const adapters = readAdapters(
      JSON.stringify([{ ifname: "eth0", addr_info: [{ local: "203.0.113.5", prefixlen: 24 }] }]),
    );
    expect(() => sourcesOf({ kind: "subnet" }, adapters)).toThrow("in no private network");
    expect(sourcesOf({ kind: "peer", address: "203.0.113.9" }, adapters)).toEqual([
      { family: "ipv4", text: "203.0.113.9", adapter: "eth0" },
    ]);
  });

  it("are none where the addresses cannot be read", async () => {
    await expect(
      planOn(machine({ "cat /etc/ufw/ufw.conf": "ENABLED=yes", "ufw version": "ufw 0.36" })),
    ).rejects.toThrow("in no private network");
    expect(readAdapters("no JSON")).toEqual([]);
  });
});

describe("a machine that blocks nothing", () => {
  it("is not changed, and its firewall is not switched on", async () => {
    const plan = await planOn(
      machine({
        "ip -json address show": addresses,
        "cat /etc/ufw/ufw.conf": "ENABLED=no\n",
        "ufw version": "ufw 0.36.2",
        "nft --json list ruleset": JSON.stringify({ nftables: [] }),
      }),
      {},
      0,
    );
    expect(plan).toMatchObject({ rules: [], script: "", undoScript: "", elevation: "none" });
  });
});

describe("the line for a terminal", () => {
  const nft = JSON.stringify({
    nftables: [
      {
        chain: {
          family: "inet",
          table: "filter",
          name: "input",
          type: "filter",
          hook: "input",
          policy: "drop",
        },
      },
    ],
  });
  const common = { "ip -json address show": addresses, "nft --version": "nftables v1.0.6" };
  const kinds = {
    ufw: { run: ufw, uid: 1000 },
    firewalld: {
      run: machine({
        ...common,
        "firewall-cmd --state": "running\n",
        "firewall-cmd --version": "1.3.3\n",
        "firewall-cmd --get-default-zone": "public\n",
        "firewall-cmd --get-active-zones": "public\n  interfaces: eth0\n",
        "firewall-cmd --list-all-zones": "",
      }),
      uid: 1000,
    },
    nftables: {
      run: machine({
        ...common,
        "nft --json list ruleset": nft,
        "cat /etc/nftables.conf": "table inet filter {\n chain input {\n",
      }),
      uid: 0,
    },
    "nftables that cannot be read": { run: machine(common), uid: 1000 },
  };

  it.each(Object.entries(kinds))(
    "of %s is one line that a terminal takes as it is",
    async (_, { run, uid }) => {
      const { command, script } = await planOn(run, {}, uid);
      // A tab would complete a word, an exclamation mark outside of quotation marks recall a command.
      expect(command).not.toMatch(/\p{Cc}/u);
      expect(script.split("\n").filter((line) => /\t/.test(line))).toEqual([]);
      expect(() => execFileSync("/bin/sh", ["-n", "-c", script])).not.toThrow();
      expect(() => execFileSync("/bin/sh", ["-n", "-c", command])).not.toThrow();
      const inner = execFileSync("/bin/sh", ["-c", `sudo() { printf '%s' "$3"; }; ${command}`]).toString();
      expect(inner.split("; ").join("\n")).toBe(
        script
          .replace(/^#.*\n/, "")
          .trimEnd()
          .split("; ")
          .join("\n"),
      );
    },
  );
});

describe("where packets are dropped", () => {
  const chain = (more: object) => ({
    chain: { family: "inet", table: "filter", name: "input", type: "filter", hook: "input", ...more },
  });
  const rule = (chainName: string, ...expr: object[]) => ({
    rule: { family: "inet", table: "filter", chain: chainName, expr },
  });
  const dropping = (...nftables: object[]) => {
    const ruleset = readNftRuleset(JSON.stringify({ nftables: [{ metainfo: {} }, ...nftables] }));
    return ruleset && droppingChains(ruleset).map(({ chain: name }) => name);
  };

  it("is found in policies, rules and chains that are jumped to", () => {
    expect(dropping(chain({ policy: "drop" }))).toEqual(["input"]);
    expect(dropping(chain({ policy: "accept" }), rule("input", { reject: null }))).toEqual(["input"]);
    const jump = rule("input", { jump: { target: "other" } });
    expect(dropping(chain({ policy: "accept" }), jump, rule("other", { drop: null }))).toEqual(["input"]);
    expect(dropping(chain({ policy: "accept" }), jump, rule("other", { goto: { target: "input" } }))).toEqual(
      [],
    );
  });

  it("is not where only invalid packets are, nor what goes out or is passed on", () => {
    const invalid = { match: { op: "in", left: { ct: { key: "state" } }, right: "invalid" } };
    expect(dropping(chain({ policy: "accept" }), rule("input", invalid, { drop: null }))).toEqual([]);
    expect(dropping(chain({ hook: "forward", policy: "drop" }))).toEqual([]);
    expect(dropping(chain({ family: "ip", name: "INPUT", policy: "drop" }))).toEqual([]);
  });

  it("is left alone where a name could not stand in a command", () => {
    expect(dropping(chain({ name: "in; reboot", policy: "drop" }))).toEqual([]);
    expect(readNftRuleset("{}")).toBeUndefined();
  });

  it("is found in what iptables prints", () => {
    expect(iptablesDrops("-P INPUT DROP\n")).toBe(true);
    expect(
      iptablesDrops("-P INPUT ACCEPT\n-N x\n-A INPUT -i eth0 -j x\n-A x -p tcp -j REJECT --reject-with y\n"),
    ).toBe(true);
    expect(
      iptablesDrops("-P INPUT ACCEPT\n-P FORWARD DROP\n-A INPUT -m conntrack --ctstate INVALID -j DROP\n"),
    ).toBe(false);
  });
});

describe("zones of firewalld", () => {
  it("are those of the interfaces, else the default one; strange names are not used", () => {
    const zoneOf = zoneFinder(
      "home (default)\n  interfaces: eth0 wlan0\npublic\n  interfaces: eth1\n",
      "home",
    );
    expect([zoneOf("wlan0"), zoneOf("eth1"), zoneOf("eth7"), zoneOf(undefined)]).toEqual([
      "home",
      "public",
      "home",
      "home",
    ]);
    expect(zoneFinder("", "$(reboot)")(undefined)).toBe("public");
  });
});

describe("an administrator's rights", () => {
  const asked: string[][] = [];
  const pkexec =
    (code: number, stderr = ""): RunCommand =>
    async (program, args) => {
      asked.push([program, ...args]);
      return { code, stdout: "", stderr };
    };

  it("are there, can be asked for, or cannot", async () => {
    expect(await linuxElevation(pkexec(0), { uid: 0, desktop: true }, signal)).toBe("none");
    expect(await linuxElevation(pkexec(0), { uid: 1000, desktop: true }, signal)).toBe("pkexec");
    expect(await linuxElevation(pkexec(127), { uid: 1000, desktop: true }, signal)).toBe("by-hand");
    expect(await linuxElevation(pkexec(0), { uid: 1000, desktop: false }, signal)).toBe("by-hand");
  });

  it.each([
    { code: 0, outcome: { state: "applied" } },
    { code: ALREADY, outcome: { state: "already" } },
    { code: 126, outcome: { state: "declined" } },
    { code: 127, outcome: { state: "failed", problem: { code: "PERMISSION_DENIED" } } },
    { code: 1, outcome: { state: "failed", problem: { code: "ABORTED", details: "ERROR: no" } } },
  ])("end with $outcome.state when pkexec ends with $code", async ({ code, outcome }) => {
    expect(await executeScript(pkexec(code, "ERROR: no"), "the script", "pkexec", signal)).toMatchObject(
      outcome,
    );
    expect(asked.at(-1)).toEqual(["pkexec", "--disable-internal-agent", "/bin/sh", "-c", "the script"]);
  });

  it("are not asked for where they are there, whose exit codes mean nothing else", async () => {
    expect(await executeScript(pkexec(126), "x", "none", signal)).toMatchObject({ state: "failed" });
    expect(asked.at(-1)).toEqual(["/bin/sh", "-c", "x"]);
  });
});

/** Text of all kinds but without NUL, which no command line can hold; often of what means something to a shell. */
const nastyText = fc
  .oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(..."'\"`$;|&(){}<>#\\\n\t !*?~aZ9.:-") }),
    fc.constantFrom("'; reboot #", "$(reboot)", "`reboot`", "\\'; reboot", "a' 'b"),
  )
  .map((text) => text.replaceAll("\u0000", ""));

describe("no input gets into a command as anything but itself:", () => {
  it("words, in a real shell", () => {
    fc.assert(
      fc.property(fc.array(nastyText, { minLength: 1, maxLength: 20 }), (words) => {
        // Bytes that are no text of Unicode cannot be sent through a pipe unchanged.
        fc.pre(words.every((word) => Buffer.from(word).toString() === word));
        const output = execFileSync("/bin/sh", ["-c", `printf '%s\\0' ${words.map(quote).join(" ")}`]);
        expect(output.toString().split("\u0000").slice(0, -1)).toEqual(words);
      }),
      { numRuns: 50 },
    );
  });

  it("scripts in their one line", () => {
    const { command } = shellScript("A title.", ["printf '%s' \"it's\"", "printf '%s' '$HOME'"]);
    const output = execFileSync("/bin/sh", ["-c", `sudo() { "$@"; }; ${command}`]);
    expect(output.toString()).toBe("it's$HOME");
    expect(command).not.toContain("\n");
  });

  it("addresses of peers", async () => {
    const [plan4, plan6] = await Promise.all(
      ["10.0.0.1", "fd00::1"].map((address) => planOn(ufw, { scope: { kind: "peer", address } })),
    );
    const address = fc.oneof(nastyText, fc.ipV4(), fc.ipV6());
    await fc.assert(
      fc.asyncProperty(address, async (text) => {
        let plan: FirewallPlan;
        try {
          plan = await planOn(ufw, { scope: { kind: "peer", address: text } });
        } catch (error) {
          expect(error).toBeInstanceOf(ProblemError);
          return;
        }
        const [, found = ""] = /allow from ([0-9a-f.:]+) to any/.exec(plan.script) ?? [];
        const [base, known] = found.includes(":") ? [plan6, "fd00::1"] : [plan4, "10.0.0.1"];
        expect(plan.script).toBe(base?.script.replaceAll(` ${known} `, ` ${found} `));
      }),
    );
  });

  it("ports", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.double(), { minLength: 1, maxLength: 5 }), async (ports) => {
        const valid = ports.every((port) => Number.isInteger(port) && port >= 1 && port <= 65_535);
        if (valid) return;
        await expect(planOn(ufw, { ports })).rejects.toThrow("is not a port");
      }),
    );
  });
});
