/**
 * Firewalls of Linux, for real: blocked before, open after the rules, closed again after they are taken away. Each
 * firewall runs on a host of its own with its own copy of /etc; this machine's is never touched.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { FirewallApply, FirewallScope, FirewallWizard } from "../../main/api/firewall.js";
import { linuxFirewall } from "../../main/network/firewall/linux/linux-firewall.js";
import { isInPlace, ruleText } from "../../main/network/firewall/rules.js";
import { SystemFirewall } from "../../main/network/firewall/system-firewall.js";
import type { FirewallChange, FirewallTool } from "../../main/network/firewall/tool.js";
import { FirewallWizardService } from "../../main/network/firewall/wizard/firewall-wizard.js";
import type { WizardMachine } from "../../main/network/firewall/wizard/wizard-machine.js";
import { peerMissing } from "../support/peers.js";
import {
  AGENT_PORT,
  type Answers,
  everything,
  FirewallHosts,
  nothing,
  opened,
  TASK_PORTS,
} from "./support/firewall-hosts.js";
import type { Host } from "./support/host.js";

const { signal } = new AbortController();
const TAG = "0123456789abcdef";

function toolOf(hosts: FirewallHosts, user: "root" | "nobody" = "root"): FirewallTool {
  return new SystemFirewall(
    linuxFirewall({
      run: hosts.run(user),
      account: { uid: user === "root" ? 0 : 65_534, desktop: false },
      agentPort: () => AGENT_PORT,
      tag: TAG,
    }),
  );
}

function change(scope: FirewallScope): FirewallChange {
  return { scope, ports: TASK_PORTS, removeBlockRules: false };
}

async function lastOf(states: AsyncIterable<FirewallApply>): Promise<FirewallApply | undefined> {
  let last: FirewallApply | undefined;
  for await (const state of states) last = state;
  return last;
}

interface Kind {
  readonly name: string;
  readonly tool: string;
  /** Commands that put the firewall in force on a host that has none. */
  readonly setUp: string;
  /** Who else must run. */
  readonly daemons?: (hosts: FirewallHosts) => Promise<void>;
  /** The machine's commands when it starts again, where the rules are kept for that. */
  readonly restart?: string;
  /** The traffic of an unpaired machine that always gets through, rules or not. */
  readonly always?: Partial<Answers>;
  /** The expected state of the firewall in the end, after it was left alone again. */
  readonly listing: string;
}

async function startFirewalld({ guarded }: FirewallHosts): Promise<void> {
  await guarded.run("sh", ["-ec", "mkdir -p /run/dbus; mount -t tmpfs tmpfs /var/log"]);
  await guarded.spawn("dbus-daemon", ["--system", "--nofork", "--nopidfile", "--print-address"], {
    ready: /unix:/,
  });
  await guarded.spawn("firewalld", ["--nofork", "--nopid"]);
  await guarded.run("sh", ["-c", "until firewall-cmd --state 2> /dev/null; do sleep 0.1; done"]);
  await guarded.run("firewall-cmd", ["--zone=public", "--change-interface=eth0"]);
  await guarded.run("firewall-cmd", ["--permanent", "--zone=public", "--change-interface=eth0"]);
}

const established =
  "ct state established,related accept; iif lo accept; icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept";

const kinds: readonly Kind[] = [
  {
    name: "ufw",
    tool: "ufw",
    setUp:
      "ufw --force enable; ufw deny 2224/tcp comment 'an older rule'; ufw allow 22/tcp comment 'Tensordeck ssh of mine'",
    always: { ping: true },
    restart: "ufw reload",
    listing: "ufw status",
  },
  {
    name: "firewalld",
    tool: "firewalld",
    setUp: `
      for kept in "" --permanent; do
        firewall-cmd $kept --zone=public --add-icmp-block=echo-request
        firewall-cmd $kept --zone=public --add-rich-rule='rule family="ipv4" port port="2224" protocol="tcp" reject'
        firewall-cmd $kept --zone=public --add-rich-rule='rule priority="-2221" family="ipv4" port port="22" protocol="tcp" accept'
      done`,
    daemons: startFirewalld,
    restart: "firewall-cmd --reload",
    listing: "firewall-cmd --list-all-zones; firewall-cmd --permanent --list-all-zones",
  },
  {
    name: "nftables with one table for both families",
    tool: "nftables",
    setUp: `
      cat > /etc/nftables.conf <<'END'
flush ruleset
table inet filter {
  chain input {
    type filter hook input priority filter; policy drop
    ${established.replaceAll(";", "\n")}
    tcp dport 22 accept comment "Tensordeck ssh of mine"
  }
}
END
      nft -f /etc/nftables.conf`,
    restart: "nft -f /etc/nftables.conf",
    listing: "nft list ruleset; cat /etc/nftables.conf",
  },
  {
    name: "nftables that drops in a chain of its own",
    tool: "nftables",
    setUp: `
      nft 'table ip one { chain refuse { drop; }; chain in { type filter hook input priority 0; policy accept; ${established.replace(/icmpv6.*/, "")} jump refuse; }; }'
      nft 'table ip6 two { chain in { type filter hook input priority 5; policy accept; ${established}; reject; }; }'
      nft 'table inet mine { chain in { type filter hook input priority -5; policy accept; accept; }; }'`,
    listing: "nft list ruleset",
  },
  {
    name: "iptables",
    tool: "iptables",
    setUp: `
      for t in iptables-nft ip6tables-nft; do
        $t -A INPUT -i lo -j ACCEPT; $t -A INPUT -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT; $t -P INPUT DROP
      done
      ip6tables-nft -A INPUT -p ipv6-icmp --icmpv6-type 135 -j ACCEPT; ip6tables-nft -A INPUT -p ipv6-icmp --icmpv6-type 136 -j ACCEPT
      iptables-nft -A INPUT -m comment --comment "somebody's own" -p tcp --dport 22 -j ACCEPT
      iptables-nft -A INPUT -s 10.77.0.0/24 -p tcp -m tcp --dport 23 -m comment --comment "Tensordeck agent of mine" -j ACCEPT`,
    listing: "iptables-nft -S; ip6tables-nft -S",
  },
  {
    name: "iptables of the older kind, and nftables besides",
    tool: "nftables",
    setUp: `
      iptables-legacy -A INPUT -i lo -j ACCEPT; iptables-legacy -A INPUT -m conntrack --ctstate ESTABLISHED -j ACCEPT
      iptables-legacy -N refuse; iptables-legacy -A refuse -j REJECT; iptables-legacy -A INPUT -j refuse
      nft 'table inet filter { chain input { type filter hook input priority filter; policy drop; ${established}; }; }'`,
    listing: "iptables-legacy -S; nft list ruleset",
  },
];

const missing = peerMissing("namespaces", "nftables", "iptables", "ufw", "firewalld");

describe.skipIf(missing)("a firewall in charge of a host", () => {
  describe.each(kinds)("$name", ({ tool, setUp, daemons, restart, always = {}, listing }) => {
    let hosts: FirewallHosts;
    let before: string;

    beforeAll(async () => {
      hosts = await FirewallHosts.create();
      expect(await hosts.answers(hosts.peer)).toEqual(everything);
      await daemons?.(hosts);
      await hosts.guarded.run("sh", ["-ec", setUp]);
      before = await hosts.guarded.run("sh", ["-c", listing]);
    });
    afterAll(() => hosts.dispose());

    const fromPeer = () => hosts.answers(hosts.peer);
    const fromUnpaired = () => hosts.answers(hosts.unpaired);
    const fromUnpaired6 = () => hosts.answers(hosts.unpaired, hosts.guarded.address6);

    it("is found, and blocks", async () => {
      const facts = await toolOf(hosts).inspect({ ports: TASK_PORTS }, signal);
      expect(facts).toMatchObject({ tool, active: true, ownRules: [] });
      expect(facts.adapters).toContainEqual(
        expect.objectContaining({ name: "eth0", address: `${hosts.guarded.address4}/24` }),
      );
      expect(await fromPeer()).toEqual({ ...nothing, ...always });
    });

    it("lets a single peer in, and only what was asked for", async () => {
      const wanted = change({ kind: "peer", address: hosts.peer.address4 });
      const plan = await toolOf(hosts).plan(wanted, signal);
      expect(await lastOf(toolOf(hosts).apply(wanted, signal))).toMatchObject({ state: "applied" });
      expect(await Promise.all([fromPeer(), fromUnpaired()])).toEqual([opened, { ...nothing, ...always }]);
      const facts = await toolOf(hosts).inspect({ ports: TASK_PORTS }, signal);
      expect(facts.ownRules).toEqual(plan.rules.map(ruleText).sort());
      expect(isInPlace(facts, plan)).toBe(true);
    });

    it("is not touched again by the same plan", async () => {
      const wanted = change({ kind: "peer", address: hosts.peer.address4 });
      expect(await lastOf(toolOf(hosts).apply(wanted, signal))).toMatchObject({ state: "already" });
      // The script itself, run without a look before, finds it out as well.
      const { script } = await toolOf(hosts).plan(wanted, signal);
      expect((await hosts.guarded.exec("sh", ["-c", script])).code).toBe(10);
      expect(await fromPeer()).toEqual(opened);
    });

    it("lets a peer with an IPv6 address in, instead of the other one", async () => {
      const wanted = change({ kind: "peer", address: hosts.unpaired.address6 });
      const plan = await toolOf(hosts).plan(wanted, signal);
      expect(plan.notes.map(({ text }) => text).join()).toContain("are replaced");
      expect(await lastOf(toolOf(hosts).apply(wanted, signal))).toMatchObject({ state: "applied" });
      expect(await Promise.all([fromUnpaired6(), fromPeer()])).toEqual([opened, { ...nothing, ...always }]);
    });

    it("lets the local network in, over both families", async () => {
      const wanted = change({ kind: "subnet" });
      const plan = await toolOf(hosts).plan(wanted, signal);
      expect(await lastOf(toolOf(hosts).apply(wanted, signal))).toMatchObject({ state: "applied" });
      expect(await Promise.all([fromPeer(), fromUnpaired(), fromUnpaired6()])).toEqual([
        opened,
        opened,
        opened,
      ]);
      expect(isInPlace(await toolOf(hosts).inspect({ ports: TASK_PORTS }, signal), plan)).toBe(true);
    });

    if (restart !== undefined) {
      it("still lets it in after a restart", async () => {
        await hosts.guarded.run("sh", ["-ec", restart]);
        expect(await fromPeer()).toEqual(opened);
      });
    }

    it("is as it was after the rules were taken away", async () => {
      const wanted = change({ kind: "subnet" });
      expect(await lastOf(toolOf(hosts).undo(wanted, signal))).toMatchObject({ state: "undone" });
      expect(await fromPeer()).toEqual({ ...nothing, ...always });
      expect(await hosts.guarded.run("sh", ["-c", listing])).toBe(before);
      expect(await lastOf(toolOf(hosts).undo(wanted, signal))).toMatchObject({ state: "undone" });
    });

    it("is mended by the command that an account without rights is shown", async () => {
      const wanted = change({ kind: "peer", address: hosts.peer.address4 });
      const tool = toolOf(hosts, "nobody");
      const byHand = await lastOf(tool.apply(wanted, signal));
      expect(byHand).toMatchObject({ state: "by-hand" });
      // There is no sudo on every machine that runs the tests; the rest of the line is run as it is.
      const run = async (command: string | undefined) =>
        await hosts.guarded.run("bash", ["-c", `sudo() { "$@"; }; ${command}`]);
      await run(byHand?.command);
      expect(await Promise.all([fromPeer(), fromUnpaired()])).toEqual([opened, { ...nothing, ...always }]);
      const undo = await lastOf(tool.undo(wanted, signal));
      await run(undo?.command);
      expect(await fromPeer()).toEqual({ ...nothing, ...always });
    });
  });

  it("is mended by the wizard, which tests from the other host with the real probe", async () => {
    const hosts = await FirewallHosts.create();
    try {
      await hosts.guarded.run("sh", ["-ec", "ufw --force enable"]);
      const machineOf = (host: Host, ports: readonly number[]): WizardMachine => ({
        online: true,
        id: host.name,
        name: host.name,
        addresses: [host.address4],
        agentPort: AGENT_PORT,
        tasks: ports.map((port, index) => ({ port, name: `worker/${index}` })),
      });
      const machines = [machineOf(hosts.guarded, TASK_PORTS), machineOf(hosts.peer, [])];
      const wizard = new FirewallWizardService({
        emit: () => undefined,
        machines: {
          find: (id) => machines.find((machine) => machine.id === id),
          all: () => machines,
          firewallOf: () => toolOf(hosts),
          proberOf: (id) => hosts.prober(id === hosts.peer.name ? hosts.peer : hosts.guarded),
        },
      });
      const state = (fits: (state: FirewallWizard) => boolean) =>
        vi.waitFor(
          () => {
            const now = wizard.get();
            if (!now || now.busy || !fits(now)) throw new Error(`The wizard is at ${JSON.stringify(now)}.`);
            return now;
          },
          { timeout: 40_000, interval: 50 },
        );
      wizard.open({ machineId: hosts.guarded.name, peerId: hosts.peer.name });
      expect(await state(() => true)).toMatchObject({
        headline: "gpu-pc's firewall drops the connection",
        facts: { tool: "ufw", active: true },
        proof: expect.arrayContaining([
          {
            what: "raspberrypi → gpu-pc:2222",
            outcome: "failed",
            detail: expect.stringContaining("3 of 3 tries"),
          },
          { what: "gpu-pc:2222", outcome: "ok", detail: "worker/0 is listening" },
        ]),
      });
      wizard.configure({ scope: { kind: "peer", address: hosts.peer.address4 }, removeBlockRules: false });
      wizard.goTo({ step: "change" });
      expect((await state(({ plan }) => plan !== undefined)).plan?.elevation).toBe("none");
      wizard.apply();
      const verified = await state(({ step }) => step === "verify");
      expect(verified.headline).toBe("raspberrypi reaches gpu-pc");
      expect(verified.verification.every(({ outcome }) => outcome === "ok")).toBe(true);
      wizard.undo();
      const undone = await state(({ apply }) => apply?.state === "undone");
      expect(undone.verification).toContainEqual(
        expect.objectContaining({ what: "raspberrypi → gpu-pc:2222", outcome: "failed" }),
      );
      wizard.close();
    } finally {
      await hosts.dispose();
    }
  });
});
