import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { NativeMenu } from "../../../main/api/native-menu.js";
import { followNativeMenu } from "../../../renderer/app/native-menu.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { useDrag } from "../../../renderer/stores/drag-store.js";
import { uiActions, useUi } from "../../../renderer/stores/ui-store.js";

const shown: NativeMenu[] = [];
const bridge = {
  show: (menu: NativeMenu) => shown.push(menu),
  onChosen: (listener: (key: string) => void) => {
    bridge.choose = listener;
    return () => undefined;
  },
  choose: (_key: string): void => undefined,
};

/** The only question to the page: where the focus is. */
const page = Object.assign(new EventTarget(), { activeElement: null as unknown });
class Field {
  readonly isConnected = true;
  closest(selector: string): unknown {
    return selector.startsWith("input") ? this : null;
  }
  hasAttribute(): boolean {
    return false;
  }
}

const settle = () => vi.advanceTimersByTimeAsync(100);
const menuOf = (label: string) => shown.at(-1)?.menus.find((menu) => menu.label === label)?.items ?? [];
const item = (menu: string, key: string) =>
  menuOf(menu).find((one) => one.kind === "command" && one.key === key);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", page);
  vi.stubGlobal("Element", Field);
  vi.stubGlobal("HTMLElement", Field);
  page.activeElement = null;
  shown.length = 0;
  useApp.setState({ connection: "connected" });
  useUi.setState({ trace: false, dialog: undefined, explanation: undefined });
  followNativeMenu(bridge);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("is shown at once, again when a command would look different, and not for anything else", async () => {
  expect(item("Run", "run.once")).toMatchObject({ enabled: true });
  useApp.setState({ connection: "lost" });
  useUi.setState({ trace: true });
  await settle();
  expect(item("Run", "run.once")).toMatchObject({ enabled: false });
  expect(item("Run", "run.trace")).toMatchObject({ checked: true });
  const count = shown.length;
  useDrag.setState({ status: "Pin 3 nodes" });
  useUi.setState({ dockHeight: 300 });
  await settle();
  expect(shown).toHaveLength(count);
});

it("gives a field that has the focus its own undo", async () => {
  expect(item("Edit", "edit.undo")).toBeDefined();
  page.activeElement = new Field();
  page.dispatchEvent(new Event("focusin"));
  await settle();
  expect(item("Edit", "edit.undo")).toBeUndefined();
  expect(menuOf("Edit")).toContainEqual({ kind: "role", role: "undo" });
});

it("runs what is chosen; what cannot run by then says why, and behind a dialog nothing is run", async () => {
  bridge.choose("run.trace");
  expect(useUi.getState().trace).toBe(true);
  useApp.setState({ connection: "lost" });
  bridge.choose("run.once");
  expect(useUi.getState().explanation).toBe("Run one step: Not connected to Tensordeck.");
  uiActions.open({ kind: "about" });
  bridge.choose("run.trace");
  expect(useUi.getState().trace).toBe(true);
  await settle();
  expect(item("Run", "run.trace")).toMatchObject({ enabled: false });
});
