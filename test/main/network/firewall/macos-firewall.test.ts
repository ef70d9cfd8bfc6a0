import { describe, expect, it } from "vitest";
import type { FirewallApply } from "../../../../main/api/firewall.js";
import type { RunCommand } from "../../../../main/network/firewall/command.js";
import { macosFirewall } from "../../../../main/network/firewall/macos/macos-firewall.js";
import {
  readGlobalState,
  readProgramState,
  readStealth,
  SOCKETFILTERFW,
} from "../../../../main/network/firewall/macos/socketfilterfw.js";
import { SystemFirewall } from "../../../../main/network/firewall/system-firewall.js";
import type { FirewallChange } from "../../../../main/network/firewall/tool.js";

const { signal } = new AbortController();
const NODE = "/Applications/Tensordeck's/node";
const change: FirewallChange = { scope: { kind: "subnet" }, ports: [2222], removeBlockRules: false };

/** Stands in for macOS's programs where processes would be started. */
class Mac {
  state = "Firewall is enabled. (State = 1)";
  program = "The application is not part of the firewall";
  console = "501";
  ending: { code: number; stderr: string } = { code: 0, stderr: "" };
  readonly scripts: string[] = [];

  readonly run: RunCommand = async (program, args) => {
    const printed = (stdout: string) => ({ code: 0, stdout, stderr: "" });
    if (program === "/usr/bin/stat") return printed(`${this.console}\n`);
    if (program === SOCKETFILTERFW) {
      if (args[0] === "--getglobalstate") return printed(this.state);
      return printed(args[0] === "--getappblocked" ? this.program : "Firewall stealth mode is off");
    }
    const script = args.at(-1) ?? "";
    this.scripts.push(script);
    if (this.ending.code === 0)
      this.program = script.includes("--unblockapp") ? "is permitted" : "not part of";
    return { stdout: "", ...this.ending };
  };

  tool(uid = 501): SystemFirewall {
    return new SystemFirewall(
      macosFirewall({ run: this.run, programs: [NODE], agentPort: () => 2220, uid, adapters: () => [] }),
    );
  }
}

async function lastOf(states: AsyncIterable<FirewallApply>): Promise<FirewallApply | undefined> {
  let last: FirewallApply | undefined;
  for await (const state of states) last = state;
  return last;
}

describe("macOS's application firewall", () => {
  it("is read from what its command prints", () => {
    expect(readGlobalState("Firewall is disabled. (State = 0)")).toBe("off");
    expect(readGlobalState("Firewall is enabled. (State = 1)")).toBe("on");
    expect(readGlobalState("Firewall is enabled. (State = 2)")).toBe("block-all");
    expect(
      readGlobalState("Firewall settings cannot be modified from command line on managed Mac computers."),
    ).toBe("unknown");
    expect(readProgramState("Incoming connection to the application is blocked")).toBe("blocked");
    expect(readProgramState("Incoming connection to the application is permitted")).toBe("allowed");
    expect(readProgramState("The application is not part of the firewall")).toBe("unknown");
    expect(readStealth("Stealth mode enabled")).toBe(true);
    expect(readStealth("Firewall stealth mode is off")).toBe(false);
  });

  it("lets the program in after one dialog, and is asked nothing the second time", async () => {
    const mac = new Mac();
    const plan = await mac.tool().plan(change, signal);
    expect(plan).toMatchObject({ elevation: "osascript", rules: [{ profile: NODE, from: "any address" }] });
    expect(plan.script).toContain(`${SOCKETFILTERFW} --unblockapp '/Applications/Tensordeck'\\''s/node'`);
    expect(plan.notes.map(({ text }) => text).join()).toContain("from every network and on every port");
    expect(await lastOf(mac.tool().apply(change, signal))).toMatchObject({ state: "applied" });
    expect(mac.scripts).toEqual([plan.script]);
    expect(await lastOf(mac.tool().apply(change, signal))).toMatchObject({ state: "already" });
    expect(await lastOf(mac.tool().undo(change, signal))).toMatchObject({ state: "undone" });
    expect(mac.scripts).toEqual([plan.script, plan.undoScript]);
  });

  it("tells a declined dialog from a script that failed", async () => {
    const mac = new Mac();
    mac.ending = { code: 1, stderr: "0:55: execution error: User canceled. (-128)" };
    expect(await lastOf(mac.tool().apply(change, signal))).toMatchObject({ state: "declined" });
    mac.ending = { code: 1, stderr: "execution error: cannot be modified on managed Mac computers. (1)" };
    expect(await lastOf(mac.tool().apply(change, signal))).toMatchObject({
      state: "failed",
      problem: { reason: expect.stringContaining("managed") },
    });
  });

  it("shows a command where this account's user is not at the screen", async () => {
    const mac = new Mac();
    mac.console = "0";
    const state = await lastOf(mac.tool().apply(change, signal));
    expect(state).toMatchObject({ state: "by-hand", command: expect.stringMatching(/^sudo sh -c /) });
    expect(await lastOf(mac.tool(0).apply(change, signal))).toMatchObject({ state: "applied" });
  });

  it("is left alone while it is off, and finds the program blocked", async () => {
    const mac = new Mac();
    mac.state = "Firewall is disabled. (State = 0)";
    expect(await mac.tool().plan(change, signal)).toMatchObject({ rules: [], script: "" });
    mac.state = "Firewall is enabled. (State = 2)";
    mac.program = "Incoming connection to the application is blocked";
    const facts = await mac.tool().inspect({ ports: [] }, signal);
    expect(facts).toMatchObject({ active: true, blockRules: [{ program: NODE }] });
    const plan = await mac.tool().plan(change, signal);
    expect(plan.removals).toHaveLength(1);
    expect(plan.notes.map(({ text }) => text).join()).toContain("block all incoming connections");
  });
});
