import { describe, expect, it } from "vitest";
import { ProblemError } from "../../../../main/api/wire.js";
import { openings } from "../../../../main/network/firewall/rules.js";
import { elevateScript } from "../../../../main/network/firewall/windows/elevate-script.js";
import { inspectScript } from "../../../../main/network/firewall/windows/inspect-script.js";
import { decodeScript, scriptArguments } from "../../../../main/network/firewall/windows/powershell.js";
import { removeScript, ruleScript } from "../../../../main/network/firewall/windows/rule-script.js";
import { commandOf } from "../../../../main/network/firewall/windows/windows-firewall.js";
import fc from "../../../support/seeded-check.js";
import { commandProblems, parseScript } from "./support/powershell-grammar.js";

const TAG = "0123456789abcdef";
const wanted = openings([2222, 2223, 2224, 9000], 2220);
const blockRules = [
  {
    id: "TCP Query User{1B2C}C:\\program files\\tensordeck\\node.exe",
    name: "node.exe",
    program: "C:\\Program Files\\Tensordeck\\node.exe",
  },
];

const scripts = {
  "rules for the subnet": ruleScript(wanted, { kind: "subnet" }, [], TAG),
  "rules for an IPv4 peer, Block rules removed": ruleScript(
    wanted,
    { kind: "peer", address: "192.168.1.31" },
    blockRules,
    TAG,
  ),
  "rules for an IPv6 peer": ruleScript(wanted, { kind: "peer", address: "FD12:0:0::1%eth0" }, [], TAG),
  removal: removeScript(TAG),
  inspection: inspectScript(["C:\\it's here\\node.exe", "D:\\Tensordeck.exe"], TAG),
  "inspection of nothing": inspectScript([], TAG),
  "asking for rights": elevateScript(ruleScript(wanted, { kind: "subnet" }, blockRules, TAG)),
};

describe("PowerShell scripts", () => {
  it.each(Object.entries(scripts))("%s: are understood by the grammar", async (_, script) => {
    expect((await parseScript(script)).errors).toEqual([]);
  });

  it.each(Object.entries(scripts))("%s: use cmdlets and parameters that exist", async (_, script) => {
    const { commands } = await parseScript(script);
    expect(commands.length).toBeGreaterThan(0);
    expect(commandProblems(commands)).toEqual([]);
  });

  it("would be found out if they did not", async () => {
    const { commands } = await parseScript(
      "New-NetFirewallRules -Name a\nGet-NetFirewallRule -Name a -Action Block",
    );
    expect(commandProblems(commands)).toHaveLength(2);
    expect((await parseScript("New-NetFirewallRule -Name 'a")).errors).not.toEqual([]);
  });

  it("make exactly the rules that are wanted", async () => {
    const { commands } = await parseScript(scripts["rules for the subnet"]);
    const rules = commands
      .filter(({ name }) => name === "New-NetFirewallRule")
      .map(({ text }) => text.replace(/`\n\s*/g, ""));
    const made = (name: string, displayName: string, rest: string) =>
      `New-NetFirewallRule -Name '${name}-new' -DisplayName '${displayName}' -Group 'Tensordeck' -Direction Inbound ` +
      `-Action Allow -Profile Private -RemoteAddress 'LocalSubnet' ${rest}`;
    expect(rules.map((rule) => rule.trim())).toEqual([
      made("Tensordeck-Agent-TCP-0123456789abcdef", "Tensordeck agent", "-Protocol TCP -LocalPort '2220'"),
      made(
        "Tensordeck-Tasks-TCP-0123456789abcdef",
        "Tensordeck tasks",
        "-Protocol TCP -LocalPort '2222-2224', '9000'",
      ),
      made("Tensordeck-mDNS-UDP-0123456789abcdef", "Tensordeck discovery", "-Protocol UDP -LocalPort '5353'"),
      made("Tensordeck-Ping-0123456789abcdef", "Tensordeck ping", "-Protocol ICMPv4 -IcmpType 8"),
      made("Tensordeck-Ping-IPv6-0123456789abcdef", "Tensordeck ping", "-Protocol ICMPv6 -IcmpType 128"),
    ]);
  });

  it("name a peer by one address and ping by its family only", () => {
    const script = scripts["rules for an IPv6 peer"];
    expect(script).toContain("-RemoteAddress 'fd12::1'");
    expect(script).not.toContain("LocalSubnet");
    expect(script).not.toContain("ICMPv4");
  });

  it("are never for the Public profile, and never for any address", () => {
    for (const script of Object.values(scripts)) {
      expect(script).not.toMatch(/-Profile (?!Private)/);
      expect(script).not.toMatch(/-RemoteAddress '?Any/i);
    }
  });

  it("remove Block rules with consent only, and none but those that were listed", async () => {
    expect(scripts["rules for the subnet"]).not.toContain("Block");
    const script = scripts["rules for an IPv4 peer, Block rules removed"];
    const others = [...blockRules, { id: "{other}", name: "node.exe", program: "C:\\node.exe" }];
    const hashOf = (text: string) => /\$hash -cne '([^']{44})'/.exec(text)?.[1];
    const scriptFor = (rules: typeof blockRules) => ruleScript(wanted, { kind: "subnet" }, rules, TAG);
    expect(hashOf(script)).toBeDefined();
    expect(hashOf(scriptFor(others))).not.toBe(hashOf(script));
    expect(hashOf(scriptFor([...others].reverse()))).toBe(hashOf(scriptFor(others)));
    // Before anything is removed or made.
    expect(script.indexOf("exit 21")).toBeLessThan(script.indexOf("$step = 1"));
  });

  it("touch only rules with the tag of the installation, and those that an earlier version made", () => {
    const [own = "", former = ""] = scripts.removal
      .split("\n")
      .filter((line) => /^\$(own|former) = /.test(line));
    expect(own).toContain("'Tensordeck-Agent-TCP-0123456789abcdef'");
    expect(former).toContain("'Tensordeck-Agent-TCP'");
    expect(scripts.removal).toContain("-ceq 'Tensordeck' -and [string]$rule.Action -eq 'Allow'");
  });

  it("make the new rules before the earlier ones are touched, and remove nothing before the last step", async () => {
    const { commands } = await parseScript(scripts["rules for an IPv4 peer, Block rules removed"]);
    const order = commands.map(({ name, text }) =>
      name === "Rename-NetFirewallRule"
        ? /-NewName "\$name-old"/.test(text)
          ? "set aside"
          : "rename"
        : name,
    );
    const first = (name: string) => order.indexOf(name);
    expect(first("New-NetFirewallRule")).toBeLessThan(first("set aside"));
    const script = scripts["rules for an IPv4 peer, Block rules removed"];
    const tried = script.slice(script.indexOf("$step = 2"), script.indexOf("\n} catch {"));
    expect(tried).not.toContain("Remove-NetFirewallRule");
    expect(tried.match(/\$step = \d/g)).toEqual(["$step = 2", "$step = 3", "$step = 4", "$step = 5"]);
  });

  it("run no modules of the account, and write errors as text", () => {
    for (const script of Object.values(scripts)) {
      expect(script.replace(/^# .*\n/, "")).toMatch(
        /^Set-StrictMode -Version 3\.0\n\$env:PSModulePath = "\$PSHOME\\Modules"\n/,
      );
      expect(script).toContain("$ProgressPreference = 'SilentlyContinue'");
    }
    expect(scriptArguments("").join(" ")).toContain("-OutputFormat Text");
  });

  it("are run as they are shown: the outer script holds the same text", async () => {
    const shown = scripts["rules for an IPv4 peer, Block rules removed"];
    const outer = decodeScript(scriptArguments(elevateScript(shown)).at(-1) ?? "");
    expect(outer).toBe(elevateScript(shown));
    const { literals } = await parseScript(outer);
    expect(literals.slice(0, shown.split("\n").length + 2).join("\n")).toContain(shown);
  });

  it("fit into a command line, with as many ports as a wizard takes and hundreds of Block rules", () => {
    const ports = Array.from({ length: 64 }, (_, index) => 2222 + 2 * index);
    const many = Array.from({ length: 300 }, (_, index) => ({
      id: `TCP Query User{${"0".repeat(32)}${index}}C:\\program files\\tensordeck\\node.exe`,
      name: "node.exe",
      program: `C:\\Program Files\\${"long folder ".repeat(8)}${index % 2}\\node.exe`,
    }));
    for (const removed of [blockRules, many]) {
      const script = ruleScript(openings(ports, 2220), { kind: "subnet" }, removed, TAG);
      // CreateProcess takes 32,767 characters; the script is encoded twice.
      expect(scriptArguments(elevateScript(script)).join(" ").length).toBeLessThan(32_000);
    }
  });

  it("are given to a terminal as a line that the command prompt takes, or for PowerShell where none would", () => {
    const few = commandOf(scripts.removal);
    expect(few).toMatch(/^powershell\.exe .*-EncodedCommand [A-Za-z0-9+/=]+$/);
    expect(few.length).toBeLessThan(8191);
    const ports = Array.from({ length: 64 }, (_, index) => 2222 + 2 * index);
    const long = ruleScript(openings(ports, 2220), { kind: "subnet" }, blockRules, TAG);
    const [comment, line = ""] = commandOf(long).split("\n");
    expect(comment).toBe("# for PowerShell");
    expect(decodeScript(line.split("-EncodedCommand ")[1] ?? "")).toBe(long);
    const tooLong = `# ${"x".repeat(20_000)}\n${long}`;
    expect(commandOf(tooLong)).toBe(`# for PowerShell\n${tooLong}`);
  });
});

/** Text of all kinds, and often of characters that mean something in PowerShell. */
const nastyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom(..."'\u2018\u2019\u201a\u201b\"`$;|&(){}<>#@, \n\r\t\u0000\u2028aZ9.:-"),
  }),
  fc.constantFrom(
    "'; Remove-Item C:\\ -Recurse #",
    "$(calc)",
    "\u2019; calc; \u2019",
    "`'",
    "a\n'@",
    "%PATH%",
  ),
);

describe("no input gets into a script as anything but itself:", () => {
  it("names of Block rules", async () => {
    const harmless = await parseScript(ruleScript(wanted, { kind: "subnet" }, blockRules, TAG));
    await fc.assert(
      fc.asyncProperty(nastyText, async (id) => {
        const script = orRefused(() =>
          ruleScript(wanted, { kind: "subnet" }, [{ id, name: id, program: id }], TAG),
        );
        if (script === undefined) return;
        const parsed = await parseScript(script);
        expect(parsed.errors).toEqual([]);
        expect(parsed.commands.map(({ name }) => name)).toEqual(harmless.commands.map(({ name }) => name));
        expect(parsed.literals).toContain(id);
      }),
    );
  });

  it("paths of programs", async () => {
    const harmless = await parseScript(inspectScript(["C:\\node.exe"], TAG));
    await fc.assert(
      fc.asyncProperty(nastyText, async (path) => {
        const script = orRefused(() => inspectScript([path], TAG));
        if (script === undefined) return;
        const parsed = await parseScript(script);
        expect(parsed.errors).toEqual([]);
        expect(parsed.commands.map(({ name }) => name)).toEqual(harmless.commands.map(({ name }) => name));
        expect(parsed.literals).toContain(path);
      }),
    );
  });

  it("addresses of peers", () => {
    const template = ruleScript(wanted, { kind: "peer", address: "10.0.0.1" }, [], TAG);
    const template6 = ruleScript(wanted, { kind: "peer", address: "fd00::1" }, [], TAG);
    const address = fc.oneof(
      nastyText,
      fc.ipV4(),
      fc.ipV6(),
      fc.tuple(fc.ipV6(), nastyText).map(([ip, zone]) => `${ip}%${zone}`),
    );
    fc.assert(
      fc.property(address, (text) => {
        const script = orRefused(() => ruleScript(wanted, { kind: "peer", address: text }, [], TAG));
        if (script === undefined) return;
        const [, found = ""] = /-RemoteAddress '([0-9a-f.:]+)'/.exec(script) ?? [];
        const [base, known] = found.includes(":") ? [template6, "fd00::1"] : [template, "10.0.0.1"];
        expect(script).toBe(base.replaceAll(`'${known}'`, `'${found}'`));
      }),
    );
  });
});

/** What a function gives, or undefined when it refuses its input as it should. */
function orRefused(make: () => string): string | undefined {
  try {
    return make();
  } catch (error) {
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({ problem: { code: "INVALID_ARGUMENT" } });
    return undefined;
  }
}
