import type { ReactElement } from "react";
import { scopesCommands } from "../commands/scope-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { useGraph } from "../stores/document-store.js";
import { useGraphView } from "../stores/graph-view-store.js";
import { texts } from "../texts/texts.js";
import styles from "./arranging-bar.module.css";

const words = texts.canvas.arrangingBar;

/** Says that a layout is computed, if that takes long enough to be noticed. */
export function ArrangingBar(): ReactElement | null {
  const arranging = useGraphView((state) => state.arranging);
  const count = useGraph((state) => state.document.nodes.size);
  if (!arranging) return null;
  return (
    <div className={styles.bar} role="status">
      <span>{words.arranging({ count })}</span>
      <CommandButton command={scopesCommands.cancelArranging} size="small" />
    </div>
  );
}
