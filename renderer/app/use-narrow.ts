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

/** Closes the dock while the window is low; it can be opened there, and is open again afterwards if it was before. */
export function useDockThatYields(): void {
  useEffect(() => {
    const query = window.matchMedia(LOW);
    let wasOpen = false;
    const update = () => {
      if (query.matches) {
        wasOpen = useUi.getState().dockOpen;
        if (wasOpen) uiActions.toggleDock(false);
      } else if (wasOpen) {
        wasOpen = false;
        uiActions.toggleDock(true);
      }
    };
    update();
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, []);
}
