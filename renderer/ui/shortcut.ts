/**
 * Keys as commands write them: "Mod+Shift+Z", alternatives separated by a space. "Mod" is Ctrl or, on macOS, Cmd; "Ctrl"
 * is Ctrl everywhere.
 */
import { texts } from "../texts/texts.js";

const words = texts.ui.shortcut;

const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");

/** The relevant part of a keyboard event. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

interface Keys {
  readonly key: string;
  readonly mod: boolean;
  readonly ctrl: boolean;
  readonly shift: boolean;
  readonly alt: boolean;
}

function parse(alternative: string): Keys {
  // A "+" at the end is the key itself.
  const parts = alternative.endsWith("+")
    ? [...alternative.slice(0, -1).split("+").filter(Boolean), "+"]
    : alternative.split("+");
  return {
    key: (parts.at(-1) ?? "").toLowerCase(),
    mod: parts.includes("Mod"),
    ctrl: parts.includes("Ctrl"),
    shift: parts.includes("Shift"),
    alt: parts.includes("Alt"),
  };
}

/** True when a key press is the shortcut or one of its alternatives. */
export function matchesShortcut(shortcut: string, press: KeyPress, mac: boolean = isMac): boolean {
  return shortcut.split(" ").some((alternative) => {
    const keys = parse(alternative);
    const ctrl = keys.ctrl || (keys.mod && !mac);
    const meta = keys.mod && mac;
    if (ctrl !== press.ctrlKey || meta !== press.metaKey || keys.alt !== press.altKey) return false;
    if (keys.key !== press.key.toLowerCase()) return false;
    // A sign such as "?" or "+" may need Shift on one keyboard and not on another.
    const isSign = keys.key.length === 1 && keys.key.toLowerCase() === keys.key.toUpperCase();
    return keys.shift === press.shiftKey || (isSign && !/\d/.test(keys.key));
  });
}

/** The commands of Ctrl or Cmd and a key for text in a field, on one system or another. */
const TEXT_KEYS: ReadonlySet<string> = new Set([
  ...["a", "c", "v", "x", "y", "z", "insert", "delete", "backspace"],
  ...["arrowleft", "arrowright", "arrowup", "arrowdown", "home", "end"],
]);

/** True for a press that writes into a field or edits its text; it then belongs to the field. */
export function isTextKey(press: KeyPress): boolean {
  return !(press.ctrlKey || press.metaKey) || TEXT_KEYS.has(press.key.toLowerCase());
}

const NAMES: Readonly<Record<string, string>> = {
  ...words.keys,
  ArrowUp: "↑",
  ArrowDown: "↓",
  "-": "−",
};

/** The shortcuts of browsers for their own tabs and windows, without asking the page. */
const KEPT_BY_BROWSERS: ReadonlySet<string> = new Set([
  ...["Mod+N", "Mod+W", "Ctrl+Tab", "Ctrl+Shift+Tab", "Ctrl+PageDown", "Ctrl+PageUp"],
]);

/** The desktop program's window has a bridge, and all keys to itself. */
const isBrowser = (): boolean => globalThis.window !== undefined && !("tensordeck" in globalThis.window);

/** The alternative that stands in menus and tooltips: the first that reaches the page. */
export function shownShortcut(shortcut: string, inBrowser: boolean = isBrowser()): string {
  const [first = "", ...others] = shortcut.split(" ");
  const free = (one: string) => !inBrowser || !KEPT_BY_BROWSERS.has(one);
  return [first, ...others].find(free) ?? first;
}

/** A shortcut as it stands in menus and tooltips: "Ctrl Shift Z", "Cmd Shift Z". */
export function shortcutText(shortcut: string, mac: boolean = isMac): string {
  const first = shownShortcut(shortcut);
  const parts = first.endsWith("+")
    ? [...first.slice(0, -1).split("+").filter(Boolean), "+"]
    : first.split("+");
  return parts
    .map((part) => {
      if (part === "Mod") return mac ? words.command : words.control;
      return NAMES[part] ?? part;
    })
    .join(" ");
}
