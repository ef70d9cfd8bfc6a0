// @vitest-environment happy-dom
import { act, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { FirewallPlan, FirewallWizard } from "../../../main/api/firewall.js";
import { FirewallDialog } from "../../../renderer/firewall/firewall-dialog.js";
import { useFirewall } from "../../../renderer/stores/firewall-store.js";
import { calls, connect, expectAccessible, show } from "../support/components.js";

const rule = (more: Partial<FirewallPlan["rules"][number]> = {}) => ({
  ...{ name: "Tensordeck tasks", protocol: "TCP", ports: "2222–2225", from: "192.168.1.0/24" },
  ...{ profile: "Private", purpose: "tasks", ...more },
});

function planOf(more: Partial<FirewallPlan> = {}): FirewallPlan {
  return {
    rules: [rule()],
    removals: [],
    script: "ufw allow from 192.168.1.0/24",
    undoScript: "# remove the rule\nufw delete allow",
    elevation: "pkexec",
    command: "sudo sh rules.sh",
    notes: [{ kind: "ok", text: "The public zone stays closed." }],
    ...more,
  };
}

function wizard(more: Partial<FirewallWizard> = {}): FirewallWizard {
  return {
    machine: { id: "pc", name: "gpu-pc" },
    peer: { id: "pi", name: "raspberrypi", address: "192.168.1.31" },
    ports: [2222],
    scope: { kind: "subnet" },
    removeBlockRules: false,
    step: "blocked",
    busy: false,
    headline: "gpu-pc's firewall drops the connection",
    explanation: "Nothing answers on this port, and the machine is up.",
    proof: [{ what: "raspberrypi → gpu-pc:2222", outcome: "failed", detail: "timed out after 3.0 s" }],
    verification: [],
    ...more,
  };
}

const go = (state: FirewallWizard) => act(() => useFirewall.setState({ wizard: state }));
const button = (name: string) => screen.getByRole("button", { name });
const methods = () => calls.map(({ method }) => method);
const current = () =>
  screen.getAllByRole("listitem").find((one) => one.getAttribute("aria-current") === "step");

beforeEach(() => connect());

describe("the firewall wizard", () => {
  it("is not there until the application has one, and goes with Escape at once", async () => {
    const { user } = show(<FirewallDialog />);
    expect(screen.queryByRole("dialog")).toBeNull();
    go(wizard());
    const dialog = screen.getByRole("dialog", { name: "Let raspberrypi reach gpu-pc" });
    expect(dialog.contains(document.activeElement)).toBe(true);
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(methods()).toEqual(["firewall.close"]);
  });

  it("says what is blocked and how that is known, then goes on or tests again", async () => {
    const { user } = show(<FirewallDialog />);
    go(wizard());
    expect(current()?.textContent).toContain("What was found");
    expect(screen.getByRole("heading", { name: "gpu-pc's firewall drops the connection" })).toBeDefined();
    expect(screen.getByText("timed out after 3.0 s")).toBeDefined();
    expect(screen.getByText("Nothing has been changed.")).toBeDefined();
    await expectAccessible();
    await user.click(button("Test again"));
    await user.click(button("Next"));
    expect(calls).toEqual([
      { method: "firewall.test", params: undefined },
      { method: "firewall.goTo", params: { step: "change" } },
    ]);
    go(wizard({ busy: true }));
    expect(screen.getByRole("status").textContent).toBe("Testing…");
    expect(button("Test again")).toHaveProperty("disabled", true);
  });

  it("shows one rule with all its facts, and how it is undone, before any rights are asked for", async () => {
    const { user } = show(<FirewallDialog />);
    go(wizard({ step: "change", plan: planOf() }));
    expect(current()?.textContent).toContain("What will change");
    expect(screen.getByRole("heading", { name: "One rule will be added on gpu-pc" })).toBeDefined();
    expect(screen.getByText("TCP 2222–2225")).toBeDefined();
    expect(screen.getByText("ufw allow from 192.168.1.0/24")).toBeDefined();
    expect(screen.getByText("Undo: remove the rule")).toBeDefined();
    await expectAccessible();
    await user.click(button("Apply…"));
    expect(methods()).toEqual(["firewall.apply"]);
  });

  it("shows several rules as a table", async () => {
    show(<FirewallDialog />);
    const icmp = rule({ name: "ping", protocol: "ICMP echo", ports: "", purpose: "checks" });
    go(wizard({ step: "change", plan: planOf({ rules: [rule(), icmp], removals: ["old"] }) }));
    expect(
      screen.getByRole("heading", { name: "Two rules will be added and 1 Block rule removed on gpu-pc" }),
    ).toBeDefined();
    expect(screen.getAllByRole("row").map(({ textContent }) => textContent)).toEqual([
      "AllowFromProfileFor",
      "TCP 2222–2225192.168.1.0/24Privatetasks",
      "ICMP echo192.168.1.0/24Privatechecks",
    ]);
    await expectAccessible();
  });

  it("asks for who may connect and for Block rules, and keeps the old plan in view while it makes another", async () => {
    const facts: NonNullable<FirewallWizard["facts"]> = {
      ...{ tool: "windows", name: "Windows Defender Firewall", active: true, adapters: [], ownRules: [] },
      blockRules: [{ id: "b", name: "node.exe", program: "C:\\node.exe" }],
    };
    const { user } = show(<FirewallDialog />);
    const state = wizard({ step: "change", plan: planOf(), facts });
    go(state);
    const everyone = screen.getByRole("radio", { name: "Every machine on the local network" });
    expect(everyone).toHaveProperty("checked", true);
    await user.click(screen.getByRole("radio", { name: /^Only raspberrypi/ }));
    await user.click(screen.getByRole("checkbox", { name: /^Also remove 1 Block rule/ }));
    expect(calls).toEqual([
      {
        method: "firewall.configure",
        params: { scope: { kind: "peer", address: "192.168.1.31" }, removeBlockRules: false },
      },
      { method: "firewall.configure", params: { scope: { kind: "subnet" }, removeBlockRules: true } },
    ]);
    const { plan: _, ...planning } = state;
    go({ ...planning, busy: true });
    expect(screen.getByText("TCP 2222–2225")).toBeDefined();
    expect(button("Apply…")).toHaveProperty("disabled", true);
    expect(screen.getByRole("group", { name: "Who may connect" })).toHaveProperty("disabled", true);
    await expectAccessible();
  });

  it("ends where nothing has to change", async () => {
    const { user } = show(<FirewallDialog />);
    go(wizard({ step: "change", plan: planOf({ rules: [], removals: [], script: "", undoScript: "" }) }));
    expect(screen.getByRole("heading", { name: "Nothing has to change on gpu-pc" })).toBeDefined();
    expect(screen.queryByRole("button", { name: "Apply…" })).toBeNull();
    await user.click(button("Done"));
    expect(methods()).toEqual(["firewall.close"]);
  });

  it("waits for the administrator, and gives the line for another one", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    show(<FirewallDialog />);
    go(wizard({ step: "apply", plan: planOf(), apply: { state: "waiting", since: Date.now() - 60_000 } }));
    expect(screen.getByRole("heading", { name: "gpu-pc asks for an administrator" })).toBeDefined();
    const waiting = () => screen.getByText(/answer the prompt on gpu-pc/).textContent;
    const first = waiting();
    act(() => void vi.advanceTimersByTime(65_000));
    expect(waiting()).not.toBe(first);
    expect(screen.getByText("sudo sh rules.sh")).toBeDefined();
    expect(button("Applying…")).toHaveProperty("disabled", true);
    vi.useRealTimers();
    await expectAccessible();
  });

  it.each([
    ["declined", "The prompt was declined", "Try again", "firewall.apply"],
    ["failed", "The change did not succeed", "Try again", "firewall.apply"],
    ["applied", "The rules are on gpu-pc", "Test again", "firewall.test"],
    ["by-hand", "Run this command on gpu-pc", "Test again", "firewall.test"],
  ] as const)("says that it was %s, and what can be done then", async (state, headline, next, method) => {
    const { user } = show(<FirewallDialog />);
    const problem = { code: "INTERNAL", message: "ufw ended with 1." };
    go(
      wizard({
        step: "apply",
        plan: planOf(),
        apply: { state, since: 0, ...(state === "failed" ? { problem } : {}) },
      }),
    );
    expect(screen.getByRole("heading", { name: headline })).toBeDefined();
    if (state === "failed") expect(screen.getByRole("alert").textContent).toContain("ufw ended with 1.");
    await expectAccessible();
    const buttons = within(screen.getByRole("dialog")).getAllByRole("button", { name: next });
    const last = buttons.at(-1);
    if (last) await user.click(last);
    expect(methods()).toEqual([method]);
  });

  it("tests from the other side whether it helped, and takes the rule away again", async () => {
    const { user } = show(<FirewallDialog />);
    go(
      wizard({
        step: "verify",
        plan: planOf(),
        headline: "raspberrypi reaches gpu-pc",
        apply: { state: "applied", since: 0 },
        verification: [{ what: "raspberrypi → gpu-pc:2222", outcome: "ok", detail: "connected in 3 ms" }],
      }),
    );
    expect(screen.getByRole("heading", { name: "raspberrypi reaches gpu-pc" })).toBeDefined();
    expect(screen.getByText("connected in 3 ms")).toBeDefined();
    expect(screen.queryByRole("button", { name: "Back" })).toBeNull();
    await expectAccessible();
    await user.click(button("Remove rule"));
    await user.click(button("Done"));
    expect(methods()).toEqual(["firewall.undo", "firewall.close"]);
  });

  it("leads back where it did not help", async () => {
    const { user } = show(<FirewallDialog />);
    go(
      wizard({
        step: "verify",
        plan: planOf(),
        verification: [{ what: "raspberrypi → gpu-pc:2222", outcome: "failed", detail: "refused" }],
      }),
    );
    await user.click(button("Back"));
    expect(calls).toEqual([{ method: "firewall.goTo", params: { step: "change" } }]);
  });
});
