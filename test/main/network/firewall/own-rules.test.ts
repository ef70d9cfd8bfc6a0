import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  denialNotes,
  firewalldDenials,
  iptablesDenials,
  nftDenials,
  ufwDenials,
} from "../../../../main/network/firewall/linux/denials.js";
import { readIptablesRules, readNftRule } from "../../../../main/network/firewall/linux/filter-rules.js";
import { removalSteps } from "../../../../main/network/firewall/linux/filter-script.js";
import { keptRuleTag, loadRuleTag, ruleNameIn } from "../../../../main/network/firewall/rule-tag.js";
import { openings } from "../../../../main/network/firewall/rules.js";

const TAG = "0123456789abcdef";
const OTHER = "fedcba9876543210";
const folder = mkdtempSync(join(tmpdir(), "tensordeck-rules-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Rules of nft, as it lists them, that are taken away and that stay. */
const ours = [
  `ip saddr 192.168.1.0/24 tcp dport 2220 accept comment "Tensordeck agent ${TAG}"`,
  'ip saddr 192.168.1.0/24 tcp dport { 2222-2224, 2226 } accept comment "Tensordeck tasks"',
  'ip6 saddr fe80::/10 icmpv6 type echo-request accept comment "Tensordeck ping"',
];
const theirs = [
  'tcp dport 22 accept comment "Tensordeck ssh of mine"',
  'tcp dport 22 accept comment "Tensordeck agent"',
  'ip saddr 10.0.0.7 tcp dport 22 drop comment "Tensordeck agent"',
  `ip saddr 192.168.1.0/24 tcp dport 2220 accept comment "Tensordeck agent ${OTHER}"`,
  `tcp dport 22 accept comment "about Tensordeck agent ${TAG}"`,
];

describe("rules that are ours", () => {
  it("have the tag of the installation, or are exactly as those of versions without", () => {
    expect(ruleNameIn(`Tensordeck agent ${TAG}`, TAG)).toBe("Tensordeck agent");
    expect(ruleNameIn("Tensordeck agent", TAG)).toBe("Tensordeck agent");
    for (const name of ["Tensordeck ssh", `Tensordeck agent ${OTHER}`, "Tensordeck agent ", ` ${TAG}`]) {
      expect(ruleNameIn(name, TAG), name).toBeUndefined();
    }
  });

  it("are found by the tag that was made once and is kept for this account alone", async () => {
    expect(await keptRuleTag(folder)).toBeUndefined();
    const tag = await loadRuleTag(folder);
    expect(tag).toMatch(/^[0-9a-f]{16}$/);
    expect(await loadRuleTag(folder)).toBe(tag);
    expect(await loadRuleTag(join(folder, "other"))).not.toBe(tag);
    if (process.platform !== "win32") {
      expect(statSync(join(folder, "firewall-tag.json")).mode & 0o077).toBe(0);
    }
  });

  it("are read as ours", () => {
    const accept = [
      { match: { op: "==", left: { payload: { protocol: "ip", field: "saddr" } }, right: "10.0.0.1" } },
      { accept: null },
    ];
    const rule = (comment: string, expr = accept) =>
      readNftRule({ ...{ family: "inet", table: "t", chain: "c" }, comment, expr }, TAG);
    expect(rule(`Tensordeck agent ${TAG}`)?.name).toBe("Tensordeck agent");
    expect(rule("Tensordeck agent of mine")).toBeUndefined();
    expect(rule("Tensordeck agent", [{ drop: null } as never])).toBeUndefined();
    const line = (comment: string, target = "ACCEPT") =>
      `-A INPUT -s 10.0.0.0/8 -p tcp -m multiport --dports 2220 -m comment --comment "${comment}" -j ${target}`;
    const listed = [
      line(`Tensordeck agent ${TAG}`),
      line("Tensordeck agent x"),
      line("Tensordeck agent", "DROP"),
    ];
    expect(readIptablesRules(listed.join("\n"), TAG)).toHaveLength(1);
  });

  it.skipIf(process.platform === "win32")("are all that the script finds in what nft lists", () => {
    const [own] = removalSteps(TAG).filter((line) => line.startsWith("own_nft"));
    const listing = [
      "table inet filter {",
      "\tchain input {",
      ...[...ours, ...theirs].map((rule, i) => `\t\t${rule} # handle ${i}`),
      "\t}",
      "}",
    ].join("\n");
    const script = `has() { true; }; nft() { cat <<'END'\n${listing}\nEND\n}\n${own}\nown_nft`;
    const found = execFileSync("sh", ["-c", script], { encoding: "utf8" });
    expect(found.trim().split("\n")).toEqual(ours.map((_, handle) => `inet filter input ${handle}`));
  });

  it.skipIf(process.platform === "win32")("are all that leaves a file of nftables", () => {
    const steps = removalSteps(TAG).join("\n");
    const command = /awk '(\$0 == .*?)' \/etc/.exec(steps)?.[1] ?? "";
    const sieve = (lines: readonly string[]) =>
      execFileSync("awk", [command], { input: `${lines.join("\n")}\n`, encoding: "utf8" })
        .trimEnd()
        .split("\n");
    const [begin, end] = ["# Tensordeck: rules begin", "# Tensordeck: rules end"];
    const own = `insert rule inet filter input ${ours[0]}`;
    const table = ["table inet filter {", "}"];
    expect(sieve([...table, begin, own, end, "# mine"])).toEqual([...table, "# mine"]);
    // The second mark was deleted by hand, or something of the user's stands between.
    expect(sieve([...table, begin, own, "table ip mine {", "}"])).toEqual([
      ...table,
      begin,
      own,
      "table ip mine {",
      "}",
    ]);
    expect(sieve([begin, "add rule inet filter input tcp dport 22 accept", end])).toContain(
      "add rule inet filter input tcp dport 22 accept",
    );
  });
});

describe("the user's own rules that deny", () => {
  const wanted = openings([2222, 2223], 2220);
  const sources = [{ family: "ipv4" as const, text: "192.168.1.0/24", adapter: "eth0" }];
  const notes = (denied: Parameters<typeof denialNotes>[0][number]) =>
    denialNotes([denied], wanted, sources).map(({ text }) => text);
  const saddr = (right: unknown) => ({
    match: { op: "==", left: { payload: { protocol: "ip", field: "saddr" } }, right },
  });
  const dport = (right: unknown) => ({
    match: { op: "==", left: { payload: { protocol: "tcp", field: "dport" } }, right },
  });
  const chain = { family: "inet", table: "filter", name: "input", type: "filter", hook: "input" };
  const inputChain = { kind: "nft" as const, family: "inet" as const, table: "filter", chain: "input" };
  const rule = (...expr: Record<string, unknown>[]) => ({
    family: "inet",
    table: "filter",
    chain: "input",
    expr,
  });

  it("are reported as they are where everything else is allowed", () => {
    const ruleset = { chains: [{ ...chain, policy: "accept" }], rules: [rule(dport(2220), { drop: null })] };
    expect(notes(nftDenials(ruleset, inputChain))).toEqual([
      "inet filter input lets in everything but what this rule of yours denies: drop tcp port 2220. " +
        "The new rules go before it and win. Removing it would work too.",
    ]);
  });

  it("are told where they come after the new ones, and others are not", () => {
    const ruleset = {
      chains: [{ ...chain, policy: "drop" }],
      rules: [
        rule(saddr("192.168.1.66"), { drop: null }),
        rule(saddr("10.0.0.0"), { drop: null }),
        rule(dport(25), { reject: null }),
        rule({ drop: null }),
      ],
    };
    expect(notes(nftDenials(ruleset, inputChain))).toEqual([
      "In inet filter input this rule of yours denies: drop from 192.168.1.66. The new rules go before it and win.",
    ]);
  });

  it("are found in iptables, ufw and firewalld", () => {
    const listing =
      "-P INPUT DROP\n-A INPUT -s 192.168.1.66/32 -j DROP\n-A INPUT -p tcp -m tcp --dport 25 -j DROP\n-A INPUT -j REJECT\n";
    expect(notes(iptablesDenials("iptables-nft", listing))).toEqual([
      "In iptables-nft INPUT this rule of yours denies: -s 192.168.1.66/32 -j DROP. The new rules go before it and win.",
    ]);
    expect(
      notes(
        ufwDenials(
          "ufw allow 22/tcp\nufw deny 2222/tcp comment 'mine'\nufw deny 25\nufw deny from 10.0.0.1\n",
        ),
      ),
    ).toEqual([
      "In ufw this rule of yours denies: deny 2222/tcp comment 'mine'. The new rules go before it and win.",
    ]);
    expect(
      notes(
        firewalldDenials(
          'public\n  rich rules: \n\trule family="ipv4" port port="2223" protocol="tcp" reject\n',
        ),
      ),
    ).toEqual([
      'In firewalld this rule of yours denies: rule family="ipv4" port port="2223" protocol="tcp" reject. The new rules go before it and win.',
    ]);
  });
});
