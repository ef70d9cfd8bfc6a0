// @vitest-environment happy-dom
import { act, renderHook } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { usePanelsThatYield } from "../../../renderer/app/use-narrow.js";
import { uiActions, useUi } from "../../../renderer/stores/ui-store.js";

/** A window that is small, low and narrow, or not. */
function windowOf(isSmall: boolean) {
  const query = Object.assign(new EventTarget(), { matches: isSmall });
  vi.spyOn(window, "matchMedia").mockReturnValue(query as unknown as MediaQueryList);
  return (matches: boolean) =>
    act(() => {
      query.matches = matches;
      query.dispatchEvent(new Event("change"));
    });
}

afterEach(() => {
  vi.restoreAllMocks();
  uiActions.toggleDock(false);
  uiActions.toggleSide(true);
});

const isOpen = () => useUi.getState().dockOpen;

it("the dock is closed while the window is low, and open again afterwards", () => {
  uiActions.toggleDock(true);
  const become = windowOf(false);
  renderHook(usePanelsThatYield);
  expect(isOpen()).toBe(true);
  become(true);
  expect(isOpen()).toBe(false);
  become(false);
  expect(isOpen()).toBe(true);
});

it("the side panel is closed while the window is small, unless it is opened there, and open again afterwards", () => {
  const become = windowOf(true);
  renderHook(usePanelsThatYield);
  expect(useUi.getState().sideOpen).toBe(false);
  become(false);
  expect(useUi.getState().sideOpen).toBe(true);
  become(true);
  act(() => uiActions.toggleSide(true));
  expect(useUi.getState().sideOpen).toBe(true);
});

it("the dock can be opened in a low window, and one that was closed stays closed", () => {
  const become = windowOf(true);
  renderHook(usePanelsThatYield);
  act(() => uiActions.toggleDock(true));
  expect(isOpen()).toBe(true);
  act(() => uiActions.toggleDock(false));
  become(false);
  expect(isOpen()).toBe(false);
});
