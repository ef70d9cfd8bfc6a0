import { useEffect } from "react";
import { useUi } from "../stores/ui-store.js";

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
