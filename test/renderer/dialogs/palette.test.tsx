// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import Dialogs from "../../../renderer/app/dialogs.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useExamples } from "../../../renderer/stores/example-store.js";
import { uiActions, useUi } from "../../../renderer/stores/ui-store.js";
import { welcome } from "../document/graphs.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { calls, connect, expectAccessible, show } from "../support/components.js";
import { openDocument } from "../support/documents.js";

const search = () => screen.getByPlaceholderText("Search or run a command");
const options = () => screen.getAllByRole("option").map(({ textContent }) => textContent ?? "");
const chosen = () => screen.getByRole("option", { selected: true }).textContent;

beforeEach(() => {
  connect();
  // The list brings what is chosen into view, which this DOM cannot.
  Element.prototype.scrollIntoView ??= vi.fn();
  openDocument(welcome());
  receiveCluster(clusterOf([machineOf("laptop", { tasks: [taskOf("worker/0")] })]));
});

/** Draws the palette as it opens. */
async function openPalette() {
  const { user } = show(<Dialogs />);
  act(() => uiActions.open({ kind: "palette" }));
  await screen.findByRole("dialog", { name: "Commands" });
  return user;
}

describe("the palette", () => {
  it("has the focus in its field, and lists what can be done now", async () => {
    await openPalette();
    expect(document.activeElement).toBe(search());
    expect(options().some((text) => text.startsWith("Run one step"))).toBe(true);
    // There is nothing to undo.
    expect(options().some((text) => text.startsWith("Undo"))).toBe(false);
    await expectAccessible();
  });

  it("finds a command by any of its words and by others, and runs it with Enter", async () => {
    const user = await openPalette();
    await user.type(search(), "shortcut keyboard");
    expect(chosen()).toMatch(/shortcuts/i);
    await user.clear(search());
    await user.type(search(), "dock open");
    await user.keyboard("{Enter}");
    expect(useUi.getState()).toMatchObject({ dialog: undefined, dockOpen: true });
  });

  it("lists what fits best first, and what cannot be done now last", async () => {
    const user = await openPalette();
    await user.type(search(), "run");
    expect(options()[0]).toMatch(/^Run one step/);
    const stop = options().findIndex((text) => text.startsWith("Stop the run"));
    const many = options().findIndex((text) => text.startsWith("Run many steps"));
    expect(many).toBeGreaterThanOrEqual(0);
    expect(stop).toBeGreaterThan(many);
    await user.clear(search());
    await user.type(search(), "add op");
    expect(options()[0]).toMatch(/^Add an op here/);
    expect(options().some((text) => text.startsWith("Copy the address of worker/0"))).toBe(true);
    expect(chosen()).toMatch(/^Add an op here/);
    await expectAccessible();
  });

  it("runs no other command with Enter where the one that was typed cannot be run", async () => {
    useExamples.setState({
      examples: [{ id: "ring", title: "Select ring all-reduce", description: "A ring." }],
    });
    const user = await openPalette();
    await user.type(search(), "open all");
    expect(options().length).toBeGreaterThan(1);
    expect(chosen()).toMatch(/^Open all scopes/);
    await user.keyboard("{Enter}");
    expect(screen.getByRole("dialog", { name: "Commands" })).toBeDefined();
    expect(calls).toEqual([]);
    await user.clear(search());
    await user.type(search(), "ring all");
    expect(chosen()).toMatch(/ring all-reduce/);
    await user.clear(search());
    // Words as they were typed count more than the same words apart.
    await user.type(search(), "select all");
    expect(chosen()).toMatch(/^Select all nodes/);
    await expectAccessible();
  });

  it("goes through what it found with the arrows", async () => {
    const user = await openPalette();
    await user.type(search(), "show");
    const first = chosen();
    await user.keyboard("{ArrowDown}");
    const second = chosen();
    expect(second).not.toBe(first);
    await user.keyboard("{ArrowUp}");
    expect(chosen()).toBe(first);
  });

  it("shows what cannot be done with the reason, and does not do it", async () => {
    act(() => useApp.setState({ connection: "lost" }));
    const user = await openPalette();
    await user.type(search(), "run one step");
    const option = screen.getByRole("option", { name: /^Run one step/ });
    expect(option.textContent).toContain("Not connected to Tensordeck.");
    expect(option.getAttribute("aria-disabled")).toBe("true");
    await user.click(option);
    expect(calls).toEqual([]);
    await expectAccessible();
  });

  it("has the commands of machines and tasks by their names, and nodes", async () => {
    const user = await openPalette();
    await user.type(search(), "worker/0");
    expect(options().some((text) => text.startsWith("Restart worker/0"))).toBe(true);
    await user.clear(search());
    await user.type(search(), "y");
    await user.click(screen.getByRole("option", { name: /^y\s*Mul/ }));
    expect([...useDocument.getState().selection]).toEqual(["y"]);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("offers commands of the selection, which act on it", async () => {
    documentActions.select(["z"]);
    const user = await openPalette();
    await user.type(search(), "delete selection{Enter}");
    expect(useDocument.getState().document.nodes.has("z")).toBe(false);
  });

  it("says that nothing fits, and closes with Escape", async () => {
    const user = await openPalette();
    await user.type(search(), "no such thing");
    expect(screen.getByText("No command and no node has “no such thing” in its name.")).toBeDefined();
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("dialog")).toBeNull();
  });
});
