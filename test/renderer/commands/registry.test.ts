import { beforeEach, describe, expect, it, vi } from "vitest";
import type { AnyCommand } from "../../../renderer/commands/command.js";
import { defineCommands, when } from "../../../renderer/commands/command.js";
import { menuEntry } from "../../../renderer/commands/menu-entry.js";
import { allCommands, COMMAND_GROUPS, commandForKey } from "../../../renderer/commands/registry.js";
import { noTarget } from "../../../renderer/commands/target-kinds.js";
import { useApp } from "../../../renderer/stores/app-store.js";

const canvas = { typing: false, elsewhere: false, ownLetters: false, modal: false };
const press = (key: string, ctrlKey = false) => ({
  key,
  ctrlKey,
  metaKey: false,
  shiftKey: false,
  altKey: false,
});
const alternatives = ({ shortcut }: AnyCommand) => shortcut?.split(" ") ?? [];

beforeEach(() => useApp.setState({ connection: "starting" }));

describe("the registry", () => {
  it("has one command for an id, and one for each key wherever the key means a command", () => {
    const ids = allCommands.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    // A key of the canvas is not another panel's either: it would mean two things while the canvas has the focus.
    const shortcuts = allCommands.flatMap(alternatives);
    expect(shortcuts.filter((shortcut, index) => shortcuts.indexOf(shortcut) !== index)).toEqual([]);
  });

  it("has a label, a group and a kind of target for every command", () => {
    for (const { id, label, group, target } of allCommands) {
      expect(id).toMatch(/^[a-z]+(\.[a-z]+)+$/i);
      expect(label, id).toMatch(/^\S.*\S$/);
      expect(COMMAND_GROUPS, id).toContain(group);
      expect(target, id).not.toBe("");
    }
    const labels = allCommands.map(({ label, group, target }) => `${group} ${target}: ${label}`);
    expect(new Set(labels).size).toBe(labels.length);
  });

  it("has the shortcuts of the guide", () => {
    const shortcuts = new Set(allCommands.flatMap(alternatives));
    const guide = [
      ...["Mod+K", "Mod+Enter", "Shift+Escape", "Mod+Z", "Mod+Shift+Z", "P", "Delete", "L"],
      ...["F", "M", "+", "-", "Mod+F", "Mod+1", "F6", "F1"],
    ];
    for (const shortcut of guide) expect(shortcuts).toContain(shortcut);
  });

  it("finds a command by its id, and none by an id that no command has", () => {
    const labelOf = (id: string) => allCommands.find((command) => command.id === id)?.label;
    expect(labelOf("run.once")).toBe("Run one step");
    expect(labelOf("no.such")).toBeUndefined();
  });

  it("says the reason wherever a command cannot run", () => {
    const disabled = allCommands.map((command) => command.now()).filter(({ reason }) => reason !== undefined);
    expect(disabled.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["run.once", "machine.addWorker", "edit.undo", "graph.pin", "task.stop"]),
    );
    for (const action of disabled) {
      expect(action.reason, action.id).toMatch(/^[A-Z].*\.$/);
      expect(menuEntry(action), action.id).toMatchObject({ disabled: true, note: action.reason });
      expect(action.run(), action.id).toEqual({ reason: action.reason });
    }
  });
});

describe("a command that cannot run", () => {
  const run = vi.fn();
  const state = { enabled: false };
  const { act } = defineCommands(noTarget, {
    act: {
      id: "test.act",
      group: "Run",
      label: "Act",
      note: () => "Does it.",
      isEnabled: () => when(state.enabled, "Not now."),
      run,
    },
  });
  beforeEach(() => {
    run.mockClear();
    state.enabled = false;
  });

  it("is not run by a menu, a button or a key, not even by one that was drawn while it could", () => {
    state.enabled = true;
    const shown = act.now();
    const entry = menuEntry(shown);
    expect(entry).toMatchObject({ disabled: false, note: "Does it." });
    state.enabled = false;
    entry.run();
    expect(shown.run()).toEqual({ reason: "Not now." });
    expect(run).not.toHaveBeenCalled();
    state.enabled = true;
    expect(shown.run()).toBe(true);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("needs the application where it says so", () => {
    const { save } = defineCommands(noTarget, {
      save: { id: "test.save", group: "File", label: "Save", needsApplication: true, run },
    });
    expect(save.now().reason).toBe("Not connected to Tensordeck.");
    useApp.setState({ connection: "connected" });
    expect(save.now().reason).toBeUndefined();
    useApp.setState({ connection: "lost" });
    expect(save.now().run()).toEqual({ reason: "Not connected to Tensordeck." });
    expect(run).not.toHaveBeenCalled();
  });
});

it("every shortcut with Ctrl or Cmd works in a field, but for undo, redo and what is the canvas's own", () => {
  const inField = { typing: true, elsewhere: true, ownLetters: false, modal: false };
  const withMod = allCommands.filter((command) =>
    alternatives(command).some((keys) => keys.startsWith("Mod+")),
  );
  const dead = withMod.filter((command) =>
    alternatives(command).every((keys) => {
      const parts = keys.split("+");
      const event = { ...press(parts.at(-1) ?? "", true), shiftKey: parts.includes("Shift") };
      return commandForKey(event, inField) === undefined;
    }),
  );
  expect(dead.filter(({ onCanvas }) => !onCanvas).map(({ id }) => id)).toEqual(["edit.undo", "edit.redo"]);
});

describe("commandForKey", () => {
  const run = () => undefined;
  const commands = Object.values(
    defineCommands(noTarget, {
      a: { id: "a", label: "A", group: "Run", shortcut: "Mod+Enter", run },
      j: { id: "j", label: "J", group: "View", shortcut: "Mod+J", run },
      q: { id: "q", label: "Q", group: "Help", shortcut: "?", run },
      f: { id: "f", label: "F", group: "View", shortcut: "F6", whileTyping: true, run },
      b: { id: "b", label: "B", group: "Edit", shortcut: "Mod+Z", run },
      c: { id: "c", label: "C", group: "Graph", shortcut: "P", onCanvas: true, run },
    }),
  );
  const found = (key: string, ctrl: boolean, context: Partial<typeof canvas>) =>
    commandForKey(press(key, ctrl), { ...canvas, ...context }, commands)?.id;

  it("leaves to a field in which the user types the keys that write or edit text, and no others", () => {
    expect(found("Enter", true, { typing: true })).toBe("a");
    expect(found("j", true, { typing: true, elsewhere: true })).toBe("j");
    expect(found("F6", false, { typing: true })).toBe("f");
    expect(found("?", false, { typing: true })).toBeUndefined();
    expect(found("z", true, { typing: true })).toBeUndefined();
    expect(found("z", true, {})).toBe("b");
  });

  it("keeps keys of the canvas to the canvas", () => {
    expect(found("p", false, {})).toBe("c");
    expect(found("p", false, { elsewhere: true })).toBeUndefined();
    expect(found("z", true, { elsewhere: true })).toBe("b");
  });

  it("does nothing behind a dialog", () => {
    expect(found("Enter", true, { modal: true })).toBeUndefined();
  });
});
