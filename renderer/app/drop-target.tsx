import { type ReactElement, useEffect, useState } from "react";
import { openDropped } from "../actions/file-actions.js";
import { attempt } from "../stores/app-store.js";
import { uiActions } from "../stores/ui-store.js";

const GRAPH_FILE = /\.(pb|pbtxt|meta)$/i;

function holdsFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

/** A graph file that is dropped anywhere on the window is opened, unless a field under the pointer takes files. */
export function DropTarget(): ReactElement | null {
  const [over, setOver] = useState(false);
  useEffect(() => {
    let depth = 0;
    const takesFiles = (event: DragEvent) =>
      event.target instanceof Element && event.target.closest("[data-takes-files]") !== null;
    const enter = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      depth++;
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(false);
    };
    const drag = (event: DragEvent) => {
      if (holdsFiles(event) && !takesFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      depth = 0;
      setOver(false);
      if (!holdsFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      const file = [...(event.dataTransfer?.files ?? [])].find(({ name }) => GRAPH_FILE.test(name));
      attempt(async () => {
        if (file === undefined)
          throw new Error(
            "Only .pb, .pbtxt and .meta files can be dropped here. Feeds take .npy and .csv in the inspector.",
          );
        uiActions.close();
        await openDropped(file);
      });
    };
    window.addEventListener("dragenter", enter);
    window.addEventListener("dragleave", leave);
    window.addEventListener("dragover", drag);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragenter", enter);
      window.removeEventListener("dragleave", leave);
      window.removeEventListener("dragover", drag);
      window.removeEventListener("drop", drop);
    };
  }, []);
  return over ? (
    <div className="drop-target" aria-hidden="true">
      <span>Drop a .pbtxt or .pb file to open it</span>
    </div>
  ) : null;
}
