import type { ReactElement } from "react";
import { documentCommands } from "../commands/file-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { useApp } from "../stores/app-store.js";
import { texts } from "../texts/texts.js";
import { Icon } from "../ui/icon.js";
import { bold } from "../ui/rich-parts.js";
import { Spinner } from "../ui/spinner.js";
import styles from "./connection-bar.module.css";

const words = texts.app.connectionBar;

/** Shows that the application is not connected, temporarily or permanently. Nothing on screen is lost. */
export function ConnectionBar(): ReactElement | null {
  const connection = useApp((state) => state.connection);
  if (connection === "lost") {
    return (
      <div className={styles.bar} role="alert">
        <Spinner />
        <p>{words.connectionLost({ b: bold })}</p>
      </div>
    );
  }
  if (connection !== "refused") return null;
  return (
    <div className={styles.bar} role="alert">
      <Icon name="warning" />
      <p>{words.restarted({ b: bold })}</p>
      <CommandButton command={documentCommands.download} icon size="small" />
    </div>
  );
}
