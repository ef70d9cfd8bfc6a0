// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { PairingState } from "../../../main/api/machines.js";
import { PairingDialog } from "../../../renderer/pairing/pairing-dialog.js";
import { usePairing } from "../../../renderer/stores/pairing-store.js";
import { calls, connect, expectAccessible, show } from "../support/components.js";

const ID = "abcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrst";

function pairing(more: Partial<PairingState> = {}): PairingState {
  return {
    id: "p1",
    side: "enter",
    machine: { id: ID, name: "desktop", address: "10.0.0.2:7370" },
    ownId: ID,
    step: "code",
    expiresAt: Date.now() + 90_000,
    triesLeft: 3,
    grantedRole: "run",
    ...more,
  };
}

const go = (state: PairingState) => act(async () => usePairing.setState({ state }));
const box = (digit: number) => screen.getByRole<HTMLInputElement>("textbox", { name: `Digit ${digit} of 6` });
const typed = () =>
  screen
    .getAllByRole<HTMLInputElement>("textbox")
    .map(({ value }) => value)
    .join("");
const button = (name: string) => screen.getByRole("button", { name });

beforeEach(() => {
  connect();
  // The time that is left is drawn again twice a second.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  return () => vi.useRealTimers();
});

describe("the code of the other machine", () => {
  it("is typed digit by digit, corrected, and sent with Enter once it is whole", async () => {
    const { user } = show(<PairingDialog />);
    await go(pairing());
    expect(screen.getByRole("dialog", { name: "Pair with desktop" })).toBeDefined();
    expect(document.activeElement).toBe(box(1));
    await user.keyboard("12x34{Enter}");
    expect(typed()).toBe("1234");
    expect(document.activeElement).toBe(box(5));
    expect(button("Pair")).toHaveProperty("disabled", true);
    expect(calls).toEqual([]);
    // In an empty box it takes the digit before.
    await user.keyboard("{Backspace}9{Home}0{End}5");
    expect(typed()).toBe("02395");
    await user.keyboard("{ArrowLeft}66{Enter}");
    expect(calls).toEqual([{ method: "pairing.enterCode", params: { code: typed() } }]);
    expect(typed()).toMatch(/^\d{6}$/);
    await expectAccessible();
  });

  it("is pasted whole into any box", async () => {
    const { user } = show(<PairingDialog />);
    await go(pairing());
    await user.click(box(4));
    await user.paste("123 456");
    expect(typed()).toBe("123456");
    await user.click(button("Pair"));
    expect(calls).toEqual([{ method: "pairing.enterCode", params: { code: "123456" } }]);
  });

  it("that does not match says so, and a new one is begun with the keyboard alone", async () => {
    const { user } = show(<PairingDialog />);
    await go(pairing());
    await user.keyboard("123456{Enter}");
    await go(pairing({ step: "checking" }));
    expect(box(1).disabled).toBe(true);
    expect(button("Checking…")).toHaveProperty("disabled", true);
    await go(pairing({ step: "wrong", triesLeft: 1 }));
    expect(screen.getByRole("alert").textContent).toMatch(/does not match.* 1 try left, then pairing closes/);
    expect(box(1).getAttribute("aria-invalid")).toBe("true");
    expect(document.activeElement).toBe(button("Clear and retry"));
    await expectAccessible();
    await user.keyboard("{Enter}");
    expect(typed()).toBe("");
    expect(document.activeElement).toBe(box(1));
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("goes with what the machine may do here, chosen by arrows", async () => {
    const { user } = show(<PairingDialog />);
    await go(pairing());
    const group = screen.getByRole("radiogroup", { name: "What desktop may do here" });
    const run = screen.getByRole("radio", { name: "Run", checked: true });
    expect(group.contains(run)).toBe(true);
    await user.click(run);
    await user.keyboard("{ArrowRight}");
    expect(screen.getByRole("radio", { name: "Manage", checked: true })).toBe(document.activeElement);
    expect(calls.at(-1)).toEqual({ method: "pairing.setGrantedRole", params: { role: "manage" } });
  });
});

describe("the machine that is asked", () => {
  it("shows the code, readable digit by digit, and can refuse", async () => {
    const { user } = show(<PairingDialog />);
    await go(pairing({ side: "show", code: "123456" }));
    expect(screen.getByRole("dialog", { name: "desktop wants to pair" })).toBeDefined();
    expect(screen.getByRole("img", { name: "1 2 3 4 5 6" }).textContent).toBe("123 456");
    expect(screen.getByRole("timer", { name: "Time left" }).textContent).toMatch(/^1:[23]\d left$/);
    await expectAccessible();
    await user.click(button("Refuse"));
    expect(calls).toEqual([{ method: "pairing.close", params: undefined }]);
    expect(screen.queryByRole("dialog")).toBeNull();
  });
});

describe("a pairing", () => {
  it("says that it connects, that it failed and why, and is tried again", async () => {
    const { user } = show(<PairingDialog />);
    await go(pairing({ step: "connecting" }));
    expect(screen.getByRole("status").textContent).toContain("Connecting to 10.0.0.2:7370.");
    await expectAccessible();
    const problem = { code: "UNAVAILABLE", message: "desktop does not answer.", remedy: "Switch it on." };
    await go(pairing({ step: "failed", problem }));
    expect(screen.getByRole("alert").textContent).toContain("desktop does not answer. Switch it on.");
    await expectAccessible();
    await user.click(button("Try again"));
    expect(calls.map(({ method }) => method)).toEqual(["pairing.close", "pairing.start"]);
  });

  it("that is done says what each machine may do on the other", async () => {
    const { user } = show(<PairingDialog />);
    await go(pairing({ step: "paired", role: "view" }));
    expect(screen.getByRole("dialog", { name: "Paired with desktop" })).toBeDefined();
    expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/^ok: this machine → desktop/),
      expect.stringMatching(/^ok: desktop → this machine/),
      expect.stringMatching(/^in progress: Control channel/),
    ]);
    await expectAccessible();
    await user.keyboard("{Escape}");
    expect(calls).toEqual([{ method: "pairing.close", params: undefined }]);
  });
});
