/** The scripts that change the rules, run step by step: whatever fails, the rules are whole, and the exit code tells the truth. */
import { describe, expect, it } from "vitest";
import { openings } from "../../../../main/network/firewall/rules.js";
import { NEW_SUFFIX, OLD_SUFFIX } from "../../../../main/network/firewall/windows/change-script.js";
import {
  type ChangeStep,
  changeSteps,
  exitCodes,
  readFailure,
} from "../../../../main/network/firewall/windows/exit-codes.js";
import {
  ownRuleNames,
  removeScript,
  ruleScript,
} from "../../../../main/network/firewall/windows/rule-script.js";
import { CmdletError, runScript } from "./support/powershell-interpreter.js";
import { PowerFailure, RuleStore, type StoredRule } from "./support/rule-store.js";

const TAG = "0123456789abcdef";
const PROGRAM = "C:\\Program Files\\Tensordeck\\node.exe";

function rule(name: string, values: Partial<StoredRule> = {}): StoredRule {
  return {
    Name: name,
    Group: "Tensordeck",
    Action: "Allow",
    Direction: "Inbound",
    Enabled: "True",
    Program: "Any",
    ...values,
  };
}

const block = (name: string, values: Partial<StoredRule> = {}) =>
  rule(name, { Group: "", Action: "Block", Program: PROGRAM, ...values });

const [agentRule = "", tasksRule = "", discoveryRule = ""] = ownRuleNames(TAG);

/** Rules of this installation, of earlier versions, of another installation and of others, some of them disabled. */
const before: readonly StoredRule[] = [
  rule(agentRule, { LocalPort: "2220" }),
  rule(tasksRule, { LocalPort: "2222", Enabled: "False" }),
  rule(discoveryRule),
  rule("Tensordeck-Agent-TCP"),
  rule("Tensordeck-Tasks-TCP", { Group: "Somebody else's" }),
  rule("Tensordeck-Ping", { Action: "Block" }),
  rule("Tensordeck-Agent-TCP-fedcba9876543210"),
  block("{1}"),
  block("{2}", { Program: PROGRAM.toLowerCase() }),
  block("{3}", { Enabled: "False" }),
  block("{4}", { Program: "C:\\other.exe" }),
];

/** The script of the wizard for the Block rules that an inspection finds now. */
function applyScript(rules: readonly StoredRule[]): string {
  const blocking = rules
    .filter(({ Action, Enabled, Program }) => Action === "Block" && Enabled === "True" && isProgram(Program))
    .map(({ Name, Program }) => ({ id: Name, name: "node.exe", program: Program }));
  return ruleScript(openings([2222, 2223], 2220), { kind: "subnet" }, blocking, TAG);
}

const isProgram = (program: string) => program.toLowerCase() === PROGRAM.toLowerCase();

const scripts = { apply: applyScript, undo: () => removeScript(TAG) };
type Change = keyof typeof scripts;
const changes = Object.keys(scripts) as Change[];

/** Runs a change on these rules; the calls with these numbers fail. */
async function run(
  change: Change,
  rules: readonly StoredRule[],
  failing: readonly number[] = [],
  id = "Windows System Error 1168",
) {
  const store = new RuleStore(rules, (call) => {
    if (failing.includes(call)) throw new CmdletError(`Call ${call} fails.`, id);
  });
  const outcome = await runScript(scripts[change](rules), store.cmdlets);
  return { store, ...outcome };
}

/** The numbers of a change's calls, where the calls with the numbers in `failing` fail. */
async function callsOf(
  change: Change,
  rules: readonly StoredRule[],
  failing: readonly number[] = [],
): Promise<number[]> {
  const { store } = await run(change, rules, failing);
  return store.calls.map((_, index) => index + 1);
}

/** The rules after the change, where nothing fails. */
async function changed(change: Change, rules: readonly StoredRule[] = before): Promise<StoredRule[]> {
  return (await run(change, rules)).store.state;
}

/** The state after an interruption at each call. */
async function interruptions(change: Change): Promise<StoredRule[][]> {
  const states = [];
  for (const interrupted of await callsOf(change, before)) {
    const store = new RuleStore(before, (call) => {
      if (call === interrupted) throw new PowerFailure();
    });
    await expect(runScript(scripts[change](before), store.cmdlets)).rejects.toThrow(PowerFailure);
    states.push(store.state);
  }
  return states;
}

/** All pairs of calls pass as well, and take a minute. */
const everyFifth = <T>(all: readonly T[]) => all.filter((_, index) => index % 5 === 0);

const names = (rules: readonly StoredRule[]) => rules.map(({ Name }) => Name);
const leftovers = (rules: readonly StoredRule[]) =>
  names(rules).filter((name) => name.endsWith(NEW_SUFFIX) || name.endsWith(OLD_SUFFIX));

/** The exit code tells the truth about what is there now. */
function expectTruth(
  exitCode: number,
  store: RuleStore,
  earlier: readonly StoredRule[],
  after: readonly StoredRule[],
): void {
  const failure = readFailure(exitCode);
  const enabled = after.filter(({ Enabled }) => Enabled === "True");
  if (failure?.isUndone) expect(store.state).toEqual(new RuleStore(earlier).state);
  else if (exitCode === exitCodes.leftBehind) expect(store.inForce).toEqual(enabled);
  else if (exitCode === exitCodes.applied) expect(store.inForce).toEqual(expect.arrayContaining(enabled));
  else expect(failure, `exit code ${exitCode}`).toBeDefined();
}

describe("a change of Windows' rules", () => {
  it("puts the new rules in the place of the earlier ones, and leaves those of others", async () => {
    const after = await changed("apply");
    const kept = before.filter(
      ({ Name }) =>
        !/^Tensordeck-.*-0123456789abcdef$/.test(Name) && !/^(Tensordeck-Agent-TCP|\{1\}|\{2\})$/.test(Name),
    );
    expect(after).toEqual(expect.arrayContaining([...kept]));
    expect(names(after.filter((one) => !kept.includes(one)))).toEqual(ownRuleNames(TAG).toSorted());
    expect(await changed("undo")).toEqual(
      new RuleStore(before.filter((one) => kept.includes(one) || /^\{[12]\}$/.test(one.Name))).state,
    );
  });

  it.each(changes)(
    "%s: is undone wherever a call of it fails, and only cleaning up leaves something",
    async (change) => {
      const after = await changed(change);
      const steps = new Set<ChangeStep>();
      for (const call of await callsOf(change, before)) {
        const { exitCode, store, errors } = await run(change, before, [call]);
        const failure = readFailure(exitCode);
        if (failure) {
          steps.add(failure.step);
          expect(failure, `call ${call}`).toMatchObject({ isUndone: true, cause: "other" });
          expect(errors).toHaveLength(1);
        } else expect([exitCodes.applied, exitCodes.leftBehind], `call ${call}`).toContain(exitCode);
        expectTruth(exitCode, store, before, after);
      }
      expect([...steps]).toEqual(change === "apply" ? Object.keys(changeSteps) : ["recover", "setAside"]);
    },
  );

  it.each(changes)(
    "%s: does not say that it was undone where a call of the undoing failed as well",
    async (change) => {
      const after = await changed(change);
      let broken = 0;
      for (const first of await callsOf(change, before)) {
        for (const second of await callsOf(change, before, [first])) {
          if (second <= first) continue;
          const { exitCode, store } = await run(change, before, [first, second]);
          if (readFailure(exitCode)?.isUndone === false) broken += 1;
          expectTruth(exitCode, store, before, after);
        }
      }
      expect(broken).toBeGreaterThan(0);
    },
  );

  it("is completed by the next one after an interruption at any call", async () => {
    const after = (await changed("apply")).filter(({ Enabled }) => Enabled === "True");
    for (const change of changes) {
      for (const state of await interruptions(change)) {
        const { exitCode, store } = await run("apply", state);
        expect(exitCode).toBe(exitCodes.applied);
        expect(store.inForce).toEqual(after);
        expect(leftovers(store.state)).toEqual([]);
      }
    }
  });

  it("is completed by a later one also where the next one fails while it brings the rules back", async () => {
    const after = (await changed("apply")).filter(({ Enabled }) => Enabled === "True");
    const states = (await interruptions("apply")).filter((state) => leftovers(state).length > 0);
    for (const state of everyFifth(states)) {
      for (const call of await callsOf("apply", state)) {
        const failed = await run("apply", state, [call]);
        const failure = readFailure(failed.exitCode);
        if (failure && failure.step !== "read" && failure.step !== "recover") break;
        const { exitCode, store } = await run("apply", failed.store.state);
        expect(exitCode).toBe(exitCodes.applied);
        expect(store.inForce).toEqual(after);
        expect(leftovers(store.state)).toEqual([]);
      }
    }
  });

  it("says which step failed and why", async () => {
    const causes = { noRights: "Windows System Error 5,x", policy: "Windows System Error 1260,x" } as const;
    for (const [cause, id] of Object.entries(causes)) {
      const { store } = await run("apply", before);
      const call = store.calls.indexOf("New-NetFirewallRule") + 1;
      const { exitCode, errors } = await run("apply", before, [call], id);
      expect(readFailure(exitCode)).toEqual({ step: "make", cause, isUndone: true });
      expect(errors).toEqual([`Call ${call} fails.`]);
    }
  });

  it("ends before anything is changed where the Block rules are others than those that were shown", async () => {
    const store = new RuleStore([...before, block("{5}")]);
    const { exitCode } = await runScript(applyScript(before), store.cmdlets);
    expect(exitCode).toBe(exitCodes.blockRulesChanged);
    expect(store.state).toEqual(new RuleStore([...before, block("{5}")]).state);
  });
});
