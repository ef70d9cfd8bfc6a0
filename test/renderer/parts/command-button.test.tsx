// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { defineCommands, NOT_CONNECTED, when } from "../../../renderer/commands/command.js";
import { noTarget } from "../../../renderer/commands/target-kinds.js";
import {
  CommandButton,
  CommandIconButton,
  CommandLink,
  CommandSwitch,
} from "../../../renderer/parts/command-button.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { connect, expectAccessible, show } from "../support/components.js";

const run = vi.fn();
const commands = defineCommands(noTarget, {
  start: {
    id: "test.start",
    group: "Run",
    label: "Run the graph",
    short: () => "Run",
    icon: "play",
    shortcut: "Mod+Enter",
    needsApplication: true,
    isEnabled: () => when(useUi.getState().dockHeight > 0, "There is no dock."),
    run,
  },
  trace: {
    id: "test.trace",
    group: "Run",
    label: "Trace",
    needsApplication: true,
    isOn: () => useUi.getState().trace,
    run: () => useUi.setState(({ trace }) => ({ trace: !trace })),
  },
  elsewhere: { id: "test.elsewhere", group: "Run", label: "Elsewhere", applies: () => false, run },
});

const lose = () => act(() => useApp.setState({ connection: "lost" }));

beforeEach(() => {
  run.mockClear();
  connect();
});

describe.each([
  ["button", CommandButton, "Run"],
  ["icon button", CommandIconButton, "Run the graph"],
  ["link", CommandLink, "Run"],
] as const)("a command as a %s", (_, Component, name) => {
  const control = () => screen.getByRole("button", { name });

  it("runs by keyboard", async () => {
    const { user } = show(<Component command={commands.start} />);
    await user.tab();
    expect(document.activeElement).toBe(control());
    await user.keyboard("{Enter}");
    expect(run).toHaveBeenCalledTimes(1);
    await expectAccessible();
  });

  it("that cannot run keeps the focus, says why and does nothing", async () => {
    const { user } = show(<Component command={commands.start} />);
    lose();
    await user.tab();
    expect(document.activeElement).toBe(control());
    expect(control().getAttribute("aria-disabled")).toBe("true");
    expect((await screen.findByRole("tooltip")).textContent).toContain(NOT_CONNECTED);
    await user.keyboard("{Enter}");
    await user.click(control());
    expect(run).not.toHaveBeenCalled();
    await expectAccessible();
  });

  it("says another reason as soon as it is another, and runs again without one", async () => {
    const { user } = show(<Component command={commands.start} />);
    act(() => useUi.setState({ dockHeight: 0 }));
    await user.tab();
    expect((await screen.findByRole("tooltip")).textContent).toContain("There is no dock.");
    act(() => useUi.setState({ dockHeight: 5 }));
    expect(control().hasAttribute("aria-disabled")).toBe(false);
    await user.click(control());
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("is left out where it means nothing", () => {
    show(<Component command={commands.elsewhere} />);
    expect(screen.queryByRole("button")).toBeNull();
  });
});

describe("a command that switches", () => {
  it("says its state as a button and as a switch", async () => {
    const { user } = show(
      <>
        <CommandButton command={commands.trace} />
        <CommandSwitch command={commands.trace} />
      </>,
    );
    const button = screen.getByRole("button", { name: "Trace", pressed: false });
    await user.click(screen.getByRole("switch", { name: "Trace", checked: false }));
    expect(screen.getByRole("switch", { name: "Trace", checked: true })).toBeDefined();
    expect(button.getAttribute("aria-pressed")).toBe("true");
    await expectAccessible();
  });

  it("that cannot run now says so and stays as it is", async () => {
    const { user } = show(<CommandSwitch command={commands.trace} />);
    lose();
    const control = screen.getByRole("switch", { name: "Trace" });
    expect(control.getAttribute("aria-disabled")).toBe("true");
    expect(control.title).toBe(NOT_CONNECTED);
    await user.click(control);
    expect(control.getAttribute("aria-checked")).toBe("false");
  });
});

it("a button may do something first, but only if its command then runs", async () => {
  const before = vi.fn();
  const { user } = show(
    <CommandButton command={commands.start} before={before} text="label" spoken="short" />,
  );
  const control = screen.getByRole("button", { name: "Run" });
  expect(control.textContent).toBe("Run the graph");
  lose();
  await user.click(control);
  expect(before).not.toHaveBeenCalled();
  act(() => connect());
  await user.click(control);
  expect(before).toHaveBeenCalledTimes(1);
  expect(run).toHaveBeenCalledTimes(1);
});
