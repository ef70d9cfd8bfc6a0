import type { ReactElement } from "react";
import { enteringCommands } from "../commands/function-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { texts } from "../texts/texts.js";
import { useEntering } from "../viewport/entering.js";
import styles from "./arranging-bar.module.css";

const words = texts.canvas.enteringBar;

/** Says which large function will be shown, and what is found out about it first. */
export function EnteringBar(): ReactElement | null {
  const entered = useEntering((state) => state.entered);
  if (!entered) return null;
  const { name, size, stage } = entered;
  return (
    <div className={styles.bar} role="status">
      <span>{words[stage]({ name, count: size })}</span>
      <CommandButton command={enteringCommands.cancel} size="small" />
    </div>
  );
}
