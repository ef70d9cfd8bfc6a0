import type { ReactElement } from "react";
import { documentCommands } from "../commands/file-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { useApp } from "../stores/app-store.js";
import { Icon } from "../ui/icon.js";
import { Spinner } from "../ui/spinner.js";
import styles from "./connection-bar.module.css";

/** Shows that the application is not connected, temporarily or permanently. Nothing on screen is lost. */
export function ConnectionBar(): ReactElement | null {
  const connection = useApp((state) => state.connection);
  if (connection === "lost") {
    return (
      <div className={styles.bar} role="alert">
        <Spinner />
        <p>
          <b>Connection lost, reconnecting…</b> Your graph is still here. Check whether the terminal that runs
          npm start is still open.
        </p>
      </div>
    );
  }
  if (connection !== "refused") return null;
  return (
    <div className={styles.bar} role="alert">
      <Icon name="warning" />
      <p>
        <b>Tensordeck was restarted, so this tab is disconnected.</b> Your changes are still here: download
        the graph, then open the new link that npm start printed and drop the file there.
      </p>
      <CommandButton command={documentCommands.download} icon size="small" />
    </div>
  );
}
