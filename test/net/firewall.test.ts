/**
 * Firewalls of Linux, for real: blocked before, open after the rules, closed again after they are taken away. Each
 * firewall runs on a host of its own with its own copy of /etc; this machine's is never touched.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FirewallApply, FirewallScope } from "../../main/api/firewall.js";
import { linuxFirewall } from "../../main/firewall/linux/linux-firewall.js";
import { isInPlace, ruleText } from "../../main/firewall/rules.js";
import { SystemFirewall } from "../../main/firewall/system-firewall.js";
import type { FirewallChange, FirewallTool } from "../../main/firewall/tool.js";
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

const { signal } = new AbortController();

function toolOf(hosts: FirewallHosts, user: "root" | "nobody" = "root"): FirewallTool {
  return new SystemFirewall(
    linuxFirewall({
      run: hosts.run(user),
      account: { uid: user === "root" ? 0 : 65_534, desktop: false },
      agentPort: () => AGENT_PORT,
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
  /** What a stranger always gets through, rules or not. */
  readonly always?: Partial<Answers>;
  /** What is to be left of the firewall in the end, after it was left alone again. */
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
    setUp: "ufw --force enable; ufw deny 2224/tcp comment 'an older rule'",
    always: { ping: true },
    listing: "ufw status",
  },
  {
    name: "firewalld",
    tool: "firewalld",
    setUp:
      "firewall-cmd --zone=public --add-icmp-block=echo-request; " +
      'firewall-cmd --zone=public --add-rich-rule=\'rule family="ipv4" port port="2224" protocol="tcp" reject\'',
    daemons: startFirewalld,
    listing: "firewall-cmd --list-all-zones; firewall-cmd --permanent --list-all-zones",
  },
  {
    name: "nftables with one table for both families",
    tool: "nftables",
    setUp: `nft 'table inet filter { chain input { type filter hook input priority filter; policy drop; ${established}; }; }'`,
    listing: "nft list ruleset",
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
      iptables-nft -A INPUT -m comment --comment "somebody's own" -p tcp --dport 22 -j ACCEPT`,
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

describe.skipIf(peerMissing("namespaces"))("a firewall in charge of a host", () => {
  describe.each(kinds)("$name", ({ tool, setUp, daemons, always = {}, listing }) => {
    let hosts: FirewallHosts;
    let before: string;

    beforeAll(async () => {
      hosts = await FirewallHosts.create();
      expect(await hosts.answers(hosts.peer)).toEqual(everything);
      await daemons?.(hosts);
      await hosts.guarded.run("sh", ["-ec", setUp]);
      before = await hosts.guarded.run("sh", ["-c", listing]);
    }, 60_000);
    afterAll(() => hosts.dispose());

    const fromPeer = () => hosts.answers(hosts.peer);
    const fromStranger = () => hosts.answers(hosts.stranger);

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
      expect(await fromPeer()).toEqual(opened);
      expect(await fromStranger()).toEqual({ ...nothing, ...always });
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
      const wanted = change({ kind: "peer", address: hosts.stranger.address6 });
      const plan = await toolOf(hosts).plan(wanted, signal);
      expect(plan.notes.map(({ text }) => text).join()).toContain("are replaced");
      expect(await lastOf(toolOf(hosts).apply(wanted, signal))).toMatchObject({ state: "applied" });
      expect(await hosts.answers(hosts.stranger, hosts.guarded.address6)).toEqual(opened);
      expect(await fromPeer()).toEqual({ ...nothing, ...always });
    });

    it("lets the local network in, over both families", async () => {
      const wanted = change({ kind: "subnet" });
      const plan = await toolOf(hosts).plan(wanted, signal);
      expect(await lastOf(toolOf(hosts).apply(wanted, signal))).toMatchObject({ state: "applied" });
      expect(await fromPeer()).toEqual(opened);
      expect(await fromStranger()).toEqual(opened);
      expect(await hosts.answers(hosts.stranger, hosts.guarded.address6)).toEqual(opened);
      expect(isInPlace(await toolOf(hosts).inspect({ ports: TASK_PORTS }, signal), plan)).toBe(true);
    });

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
      expect(await fromPeer()).toEqual(opened);
      expect(await fromStranger()).toEqual({ ...nothing, ...always });
      const undo = await lastOf(tool.undo(wanted, signal));
      await run(undo?.command);
      expect(await fromPeer()).toEqual({ ...nothing, ...always });
    });
  });
});
