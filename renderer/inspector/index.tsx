import type { ReactElement } from "react";
import { useGraph } from "../stores/document-store.js";
import styles from "./inspector.module.css";
import { NodeInspector } from "./node-inspector.js";
import { NothingSelected } from "./nothing-selected.js";
import { SelectionInspector } from "./selection-inspector.js";

/** Shows and edits the selection. Fills its parent. */
export function Inspector(): ReactElement {
  const count = useGraph((state) => state.selection.size);
  const name = useGraph((state) => (state.selection.size === 1 ? [...state.selection][0] : undefined));
  const node = useGraph((state) => (name === undefined ? undefined : state.document.nodes.get(name)));
  return (
    <div className={styles.inspector} data-inspector="">
      {node ? (
        <NodeInspector key={node.name} node={node} />
      ) : count > 1 ? (
        <SelectionInspector />
      ) : (
        <NothingSelected />
      )}
    </div>
  );
}
