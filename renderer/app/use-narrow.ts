import { useEffect } from "react";
import { uiActions, useUi } from "../stores/ui-store.js";

/** Below this width, which 200 % zoom also reaches, the inspector covers part of the canvas. */
const NARROW = "(max-width: 1279px)";

/** Whether the window is narrow; keeps the store in step, because commands need to know as well. */
export function useNarrow(): boolean {
  const narrow = useUi((state) => state.narrow);
  useEffect(() => {
    const query = window.matchMedia(NARROW);
    const update = () => useUi.setState({ narrow: query.matches });
    update();
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, []);
  return narrow;
}

/** At this height, which 200 % zoom reaches on a laptop, an open dock would leave the graph a strip of 100 px. */
const LOW = "(max-height: 519px)";

/** At this width, which 200 % zoom reaches on a laptop, a side panel and the inspector would leave no graph to be seen. */
const SMALL = "(max-width: 767px)";

const isDockOpen = () => useUi.getState().dockOpen;
const isSideOpen = () => useUi.getState().sideOpen;

/** The dock and the side panel give way to the graph in a window that is too small for both. */
export function usePanelsThatYield(): void {
  usePanelThatYields(LOW, isDockOpen, uiActions.toggleDock);
  usePanelThatYields(SMALL, isSideOpen, uiActions.toggleSide);
}

/** Closes a panel while the window is small; it can be opened there, and is open again afterwards if it was before. */
function usePanelThatYields(small: string, isOpen: () => boolean, toggle: (open: boolean) => void): void {
  useEffect(() => {
    const query = window.matchMedia(small);
    let wasOpen = false;
    const update = () => {
      if (query.matches) {
        wasOpen = isOpen();
        if (wasOpen) toggle(false);
      } else if (wasOpen) {
        wasOpen = false;
        toggle(true);
      }
    };
    update();
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, [small, isOpen, toggle]);
}
