/**
 * Everything that is given to PowerShell, made with hostile names: by the grammar, no name becomes code. Checked for Windows
 * PowerShell 5.1, to which typographic quotation marks are the same as straight ones.
 */
import childProcess from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { scheduledTaskCommands } from "../../../main/cli/scheduled-task.js";
import { isCheckable } from "../../../main/hosts/electron/updates.js";
import { openings } from "../../../main/network/firewall/rules.js";
import { elevateScript } from "../../../main/network/firewall/windows/elevate-script.js";
import { inspectScript } from "../../../main/network/firewall/windows/inspect-script.js";
import { removeScript, ruleScript } from "../../../main/network/firewall/windows/rule-script.js";
import { commandOf } from "../../../main/network/firewall/windows/windows-firewall.js";
import { repositoryRoot } from "../../support/find-peers.js";
import {
  commandProblems,
  descendants,
  parseScript,
  parseTree,
  type SyntaxNode,
} from "../network/firewall/support/powershell-grammar.js";

const HARMLESS = "harmless";
/** Of a file on Windows as well. */
const HOSTILE_NAMES = [
  "O'Brien",
  "O\u2019Brien \u2018x\u2018 \u201ay\u201b",
  "\u201cb\u201d \u201ec",
  "'; Remove-Item -Recurse C #",
  "\u2019; calc; \u2019",
  "\u2019 + $(calc) + \u2019",
  "$(calc)",
  "$env PATH $\u007bx} $x",
  "`n`$x`'",
  "x & calc",
  "%PATH%",
  "@'",
  "#",
  "-EncodedCommand",
  "\u2013Name",
  "-foo.bar",
  "{0} } ) ]",
  "Zo\u00eb \u540d\u524d \u{1f600}",
];
/** That no file of Windows has, but the name of a rule or of a machine may have. */
const HOSTILE_TEXTS = [
  ...HOSTILE_NAMES,
  '"; calc; "',
  "x | calc",
  "<# x #>",
  "a\nb",
  "'\n; calc\n'",
  "a\r\nb",
  "a\u0000'b",
  "a\u2028b",
  "a\u0085b",
  "@'\n'@",
];
const TAG = "0123456789abcdef";
const wanted = openings([2222, 2223, 9000], 2220);

const block = (text: string, index = 0) => ({ id: `${text}${index}`, name: text, program: text });
const rules = (...texts: readonly string[]) => ruleScript(wanted, { kind: "subnet" }, texts.map(block), TAG);

/** All scripts that are run, as a name becomes part of them. */
const SCRIPTS: Readonly<Record<string, (text: string) => string>> = {
  inspection: (text) => inspectScript(["C:\\node.exe", text], TAG),
  "change of the rules": (text) => rules(text, "other"),
  "change for a peer": (text) =>
    ruleScript(wanted, { kind: "peer", address: text === HARMLESS ? "10.0.0.1" : text }, [], TAG),
  "removal of the rules": () => removeScript(TAG),
  "asking for rights": (text) => elevateScript(rules(text, "other")),
};

/** With straight quotation marks for typographic ones, which the grammar takes for letters. */
function straight(text: string): string {
  return text.replace(/[\u2018\u2019\u201a\u201b]/g, "'").replace(/[\u201c\u201d\u201e]/g, '"');
}

/** The nodes of a script by their types: what it does, whatever its literals say. */
function shape(node: SyntaxNode): string {
  if (node.type === "verbatim_string_characters") return "literal";
  return `${node.type}(${node.children.map((child) => shape(child)).join(" ")})`;
}

/** Compares shapes without printing them: they are long. */
function expectSame(one: string, other: string, text: string): void {
  expect(one === other, `${JSON.stringify(text)} changes the script`).toBe(true);
}

/** The script's shape. It must have no errors, no constructs of later versions, and cmdlets that exist. */
async function checkedShape(script: string): Promise<string> {
  const { errors, commands } = await parseScript(straight(script));
  expect(errors).toEqual([]);
  expect(commandProblems(commands)).toEqual([]);
  const tree = await parseTree(straight(script));
  // "&&" and "||" came with PowerShell 7; of its other novelties the grammar knows none.
  expect(descendants(tree, "pipeline_chain_tail")).toEqual([]);
  return shape(tree);
}

/** What a function gives, or undefined if it refuses a text with a reason. */
function orRefused<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    expect(error).toMatchObject({ problem: { code: "INVALID_ARGUMENT" } });
    return undefined;
  }
}

describe.each(Object.entries(SCRIPTS))("the script: %s", (_, make) => {
  test("is in strict mode from its first statement", async () => {
    expect(make(HARMLESS).replace(/^# .*\n/, "")).toMatch(/^Set-StrictMode -Version 3\.0\n/);
    await checkedShape(make(HARMLESS));
  });

  test("does the same, whatever the names are", async () => {
    const harmless = await checkedShape(make(HARMLESS));
    for (const text of HOSTILE_TEXTS) {
      const script = orRefused(() => make(text));
      if (script === undefined) continue;
      expectSame(await checkedShape(script), harmless, text);
    }
  });
});

test("only texts with control characters and line breaks are refused as names", () => {
  const refused = HOSTILE_TEXTS.filter((text) => orRefused(() => rules(text)) === undefined);
  expect(refused).toEqual(HOSTILE_TEXTS.filter((text) => /[\n\r\0\u0085\u2028]/.test(text)));
  expect(HOSTILE_NAMES.filter((text) => refused.includes(text))).toEqual([]);
});

test("three hundred hostile rules make one script of the same shape, but for the list of programs", async () => {
  const names = HOSTILE_TEXTS.filter((text) => orRefused(() => rules(text)) !== undefined);
  const many = Array.from({ length: 300 }, (_, index) => `${names[index % names.length]} ${index}`);
  const script = rules(...many);
  const { literals } = await parseScript(straight(script));
  for (const text of many) expect(literals).toContain(straight(text));
  expect(await checkedShape(script)).toBe(
    await checkedShape(rules(...many.map((_, i) => `${HARMLESS}${i}`))),
  );
});

test("what is started with rights is the same text again", async () => {
  const inner = rules(...HOSTILE_NAMES);
  const { literals } = await parseScript(straight(elevateScript(inner)));
  expect(literals.join("\n")).toContain(straight(inner));
  // A terminal gets it encoded, or as it is.
  expect(commandOf(inner)).toMatch(/^(?:# for PowerShell\n)?powershell\.exe [-A-Za-z ]+ [A-Za-z0-9+/=]+$/);
});

test("the commands of the scheduled task give every word as it is", async () => {
  const commands = (text: string) =>
    scheduledTaskCommands(["tensordeck", "agent", "service", "--name", text])
      .split("\n")
      .filter((line) => line.startsWith("  "))
      .join("\n");
  const harmless = await checkedTaskShape(commands("har mless"));
  for (const text of HOSTILE_TEXTS) {
    const made = orRefused(() => commands(text));
    if (made === undefined) continue;
    // A word alone stands without quotation marks.
    if (/^[\w-]+$/.test(text)) expect(made).toContain(`--name ${text} |`);
    else expectSame(await checkedTaskShape(made), harmless, text);
  }
});

async function checkedTaskShape(commands: string): Promise<string> {
  const parsed = await parseScript(straight(commands));
  expect(parsed.errors).toEqual([]);
  expect(commandProblems(parsed.commands.filter(({ name }) => name !== "tensordeck"))).toEqual([]);
  return shape(await parseTree(straight(commands)));
}

describe("the installer's scripts", () => {
  const source = readFileSync(join(repositoryRoot, "build", "installer", "installer.nsh"), "utf8");
  /** The scripts in NSIS's strings, in which a dollar sign is doubled and a quotation mark escaped. */
  const scripts = [...source.replace(/\\\n\s*/g, "").matchAll(/-Command (?:\$\\)?"(.*?)(?:\$\\)?"[`"]/g)].map(
    ([, script = ""]) => script,
  );

  test("have no text of NSIS's variables in them", () => {
    expect(scripts.length).toBeGreaterThan(0);
    expect(scripts).toHaveLength(source.match(/powershell\.exe|\$PowerShellPath/g)?.length ?? 0);
    for (const script of scripts) expect(script.replaceAll("$$", "")).not.toContain("$");
  });

  test("are in strict mode, and understood by the grammar", async () => {
    for (const script of scripts) {
      const unescaped = script.replaceAll("$$", "$");
      expect(unescaped).toMatch(/^Set-StrictMode -Version 3\.0; /);
      // The command line is in double quotation marks.
      expect(unescaped).not.toContain('"');
      await checkedShape(unescaped);
    }
  });
});

describe("the updater's check of a signature", () => {
  afterEach(() => vi.restoreAllMocks());
  const require = createRequire(import.meta.url);

  /** The command that electron-updater gives to PowerShell for a file. */
  function commandFor(file: string): string {
    let command = "";
    const execFile = (...call: readonly unknown[]) => {
      const args = call[1];
      command = Array.isArray(args) ? String(args.at(-1)).slice(1, -1) : "";
    };
    vi.spyOn(childProcess, "execFile").mockImplementation(
      execFile as unknown as typeof childProcess.execFile,
    );
    const verifier = "electron-updater/out/windowsExecutableCodeSignatureVerifier.js";
    const { verifySignature } = require(verifier) as {
      readonly verifySignature: (publishers: string[], file: string, logger: unknown) => unknown;
    };
    verifySignature([], file, { info: () => undefined });
    return command;
  }

  test("is done where the account's folder is but text in it, and refused elsewhere", async () => {
    const harmless = await checkedShape(commandFor(`C:\\Users\\${HARMLESS}\\update.exe`));
    const refused = [];
    for (const name of HOSTILE_NAMES) {
      const folder = `C:\\Users\\${name}\\AppData\\Local`;
      if (!isCheckable(folder)) {
        refused.push(name);
        continue;
      }
      const file = `${folder}\\tensordeck-updater\\pending\\update.exe`;
      expectSame(await checkedShape(commandFor(file)), harmless, name);
    }
    expect(refused).toEqual(HOSTILE_NAMES.filter((name) => /[%\u2018-\u201e]/.test(name)));
  });
});
