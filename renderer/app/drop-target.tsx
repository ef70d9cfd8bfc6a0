import { combine } from "@atlaskit/pragmatic-drag-and-drop/combine";
import {
  dropTargetForExternal,
  monitorForExternal,
} from "@atlaskit/pragmatic-drag-and-drop/external/adapter";
import { containsFiles, getFiles } from "@atlaskit/pragmatic-drag-and-drop/external/file";
import { preventUnhandled } from "@atlaskit/pragmatic-drag-and-drop/prevent-unhandled";
import { type ReactElement, useEffect, useState } from "react";
import { isClusterFile, openDroppedCluster } from "../actions/cluster-file-actions.js";
import { openDropped } from "../actions/open-actions.js";
import { openDroppedScript } from "../actions/script-actions.js";
import { attempt } from "../stores/app-store.js";
import { inShown } from "../stores/document-session.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import styles from "./drop-target.module.css";

const words = texts.app.dropTarget;

const SCRIPT_FILE = /\.py$/i;
const GRAPH_FILE = /\.(pb|pbtxt|meta|keras|h5|hdf5|onnx)$/i;

/** Graph files that are dropped anywhere on the window are opened, a script is run. */
export function DropTarget(): ReactElement | null {
  const [over, setOver] = useState(false);
  useEffect(
    () =>
      combine(
        dropTargetForExternal({
          element: document.documentElement,
          canDrop: containsFiles,
          onDragEnter: () => setOver(true),
          onDragLeave: () => setOver(false),
          onDrop: ({ source }) => {
            setOver(false);
            openFiles(getFiles({ source }));
          },
        }),
        // A file dropped elsewhere would replace the page.
        monitorForExternal({
          canMonitor: containsFiles,
          onDragStart: () => preventUnhandled.start(),
          onDrop: () => preventUnhandled.stop(),
        }),
      ),
    [],
  );
  return over ? (
    <div className={styles.target} aria-hidden="true">
      <span>{words.drop}</span>
    </div>
  ) : null;
}

function openFiles(files: readonly File[]): void {
  const graphs = files.filter(({ name }) => GRAPH_FILE.test(name));
  const script = files.find(({ name }) => SCRIPT_FILE.test(name));
  const cluster = files.find(({ name }) => isClusterFile(name));
  attempt(async () => {
    if (graphs.length === 0 && script) {
      uiActions.close();
      await openDroppedScript(script);
      return;
    }
    if (graphs.length === 0 && cluster) {
      await openDroppedCluster(cluster);
      return;
    }
    if (graphs.length === 0)
      throw new Error(
        "Only graphs (.pb, .pbtxt, .meta), models (.keras, .h5, .onnx), clusters (.yaml, .json) and Python scripts can be dropped here. Feeds take .npy, .npz, CSV and images in the inspector.",
      );
    uiActions.close();
    for (const file of graphs) await inShown(() => openDropped(file));
  });
}
