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

describe("commandForKey", () => {
  const commands: Command[] = [
    { id: "a", label: "A", group: "Run", shortcut: "Mod+Enter", whileTyping: true, run: () => undefined },
    { id: "b", label: "B", group: "Edit", shortcut: "Mod+Z", run: () => undefined },
    { id: "c", label: "C", group: "Graph", shortcut: "P", onCanvas: true, run: () => undefined },
  ];
  const found = (key: string, ctrl: boolean, context: Partial<typeof canvas>) =>
    commandForKey(press(key, ctrl), { ...canvas, ...context }, commands)?.id;

  it("leaves keys to a field in which the user types, but for those that are meant to work there", () => {
    expect(found("Enter", true, { typing: true })).toBe("a");
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
