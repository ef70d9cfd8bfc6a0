import { describe, expect, it } from "vitest";
import type { Command } from "../../../renderer/commands/command.js";
import { allCommands, commandById, commandForKey } from "../../../renderer/commands/registry.js";

const canvas = { typing: false, elsewhere: false, ownLetters: false, modal: false };
const press = (key: string, ctrlKey = false) => ({
  key,
  ctrlKey,
  metaKey: false,
  shiftKey: false,
  altKey: false,
});

describe("commands", () => {
  it("have ids of their own, and no two share a shortcut", () => {
    const ids = allCommands.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const shortcuts = allCommands.flatMap(({ shortcut }) => shortcut?.split(" ") ?? []);
    expect(shortcuts.filter((shortcut, index) => shortcuts.indexOf(shortcut) !== index)).toEqual([]);
  });

  it("are those of the guide", () => {
    const shortcuts = new Set(allCommands.flatMap(({ shortcut }) => shortcut?.split(" ") ?? []));
    const guide = [
      "Mod+K",
      "Mod+Enter",
      "Shift+Escape",
      "Mod+Z",
      "Mod+Shift+Z",
      "P",
      "Delete",
      "L",
      "F",
      "M",
      "+",
      "-",
      "Mod+F",
      "Mod+1",
      "F6",
    ];
    for (const shortcut of guide) expect(shortcuts).toContain(shortcut);
  });

  it("are found by id, and an unknown id is an error", () => {
    expect(commandById("run.once").label).toBe("Run one step");
    expect(() => commandById("no.such")).toThrow("no.such");
  });
});

it("every shortcut with Ctrl or Cmd works in a field, but for undo, redo and what is the canvas's own", () => {
  const inField = { typing: true, elsewhere: true, ownLetters: false, modal: false };
  const withMod = allCommands.filter(({ shortcut }) =>
    shortcut?.split(" ").some((keys) => keys.startsWith("Mod+")),
  );
  const dead = withMod.filter(({ shortcut = "" }) =>
    shortcut.split(" ").every((keys) => {
      const parts = keys.split("+");
      const event = { ...press(parts.at(-1) ?? "", true), shiftKey: parts.includes("Shift") };
      return commandForKey(event, inField) === undefined;
    }),
  );
  expect(dead.filter(({ onCanvas }) => !onCanvas).map(({ id }) => id)).toEqual(["edit.undo", "edit.redo"]);
});

describe("commandForKey", () => {
  const commands: Command[] = [
    { id: "a", label: "A", group: "Run", shortcut: "Mod+Enter", run: () => undefined },
    { id: "j", label: "J", group: "View", shortcut: "Mod+J", run: () => undefined },
    { id: "q", label: "Q", group: "Help", shortcut: "?", run: () => undefined },
    { id: "f", label: "F", group: "View", shortcut: "F6", whileTyping: true, run: () => undefined },
    { id: "b", label: "B", group: "Edit", shortcut: "Mod+Z", run: () => undefined },
    { id: "c", label: "C", group: "Graph", shortcut: "P", onCanvas: true, run: () => undefined },
  ];
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
