import { describe, expect, it } from "vitest";
import { matchesShortcut, shortcutText, shownShortcut } from "../../../renderer/ui/shortcut.js";

function press(keys: string) {
  const parts = keys.split(" ");
  return {
    key: parts.at(-1) ?? "",
    ctrlKey: parts.includes("Ctrl"),
    metaKey: parts.includes("Meta"),
    shiftKey: parts.includes("Shift"),
    altKey: parts.includes("Alt"),
  };
}

describe("matchesShortcut", () => {
  it.each([
    ["Mod+Z", "Ctrl z", true],
    ["Mod+Z", "Ctrl Z", true],
    ["Mod+Z", "Ctrl Shift Z", false],
    ["Mod+Z", "Meta z", false],
    ["Mod+Z", "Ctrl Meta z", false],
    ["Mod+Shift+Z Mod+Y", "Ctrl y", true],
    ["Mod+Shift+Z Mod+Y", "Ctrl Shift Z", true],
    ["P", "p", true],
    ["P", "Ctrl p", false],
    ["P", "Alt p", false],
    ["?", "Shift ?", true],
    ["?", "?", true],
    ["+ =", "Shift +", true],
    ["+ =", "=", true],
    ["Mod++", "Ctrl Shift +", true],
    ["Mod+1", "Ctrl 1", true],
    ["Mod+1", "Ctrl Shift 1", false],
    ["Shift+Escape", "Shift Escape", true],
    ["Shift+Escape", "Escape", false],
    ["Ctrl+Tab Alt+PageDown", "Ctrl Tab", true],
    ["Ctrl+Tab Alt+PageDown", "Alt PageDown", true],
    ["Ctrl+Tab", "Ctrl Shift Tab", false],
  ])("%j meets %j: %j", (shortcut, keys, expected) => {
    expect(matchesShortcut(shortcut, press(keys), false)).toBe(expected);
  });

  it("takes Cmd for Mod on macOS, and not Ctrl", () => {
    expect(matchesShortcut("Mod+K", press("Meta k"), true)).toBe(true);
    expect(matchesShortcut("Mod+K", press("Ctrl k"), true)).toBe(false);
    expect(matchesShortcut("Ctrl+Tab", press("Ctrl Tab"), true)).toBe(true);
  });
});

describe("shortcutText", () => {
  it.each([
    ["Mod+Shift+Z Mod+Y", "Ctrl Shift Z"],
    ["Delete Backspace", "Del"],
    ["+ =", "+"],
    ["Mod++", "Ctrl +"],
    ["-", "−"],
  ])("writes %j as %j", (shortcut, text) => {
    expect(shortcutText(shortcut, false)).toBe(text);
  });

  it("leaves out what a browser keeps for itself, where it is one", () => {
    expect(shownShortcut("Mod+W Alt+W", true)).toBe("Alt+W");
    expect(shownShortcut("Mod+W Alt+W", false)).toBe("Mod+W");
    expect(shownShortcut("Mod+W", true)).toBe("Mod+W");
  });

  it("says Cmd on macOS", () => expect(shortcutText("Mod+K", true)).toBe("Cmd K"));
});
