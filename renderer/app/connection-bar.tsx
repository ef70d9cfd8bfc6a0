import type { ReactElement } from "react";
import { downloadGraph } from "../actions/file-actions.js";
import { attempt, useApp } from "../stores/app-store.js";
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";

/** Says that the application is away, for now or for good. Nothing that is shown meanwhile is lost. */
export function ConnectionBar(): ReactElement | null {
  const connection = useApp((state) => state.connection);
  if (connection === "lost") {
    return (
      <div className="connection" role="alert">
        <span className="spinner" aria-hidden="true" />
        <p>
          <b>Connection lost, reconnecting…</b> Your graph is still here. See whether the terminal that runs
          npm start is still open.
        </p>
      </div>
    );
  }
  if (connection !== "refused") return null;
  return (
    <div className="connection" role="alert">
      <Icon name="warning" />
      <p>
        <b>Tensordeck was restarted, so this tab is disconnected.</b> Your changes are still here: download
        the graph, then open the new link that npm start printed and drop the file there.
      </p>
      <Button size="small" icon="download" onClick={() => attempt(downloadGraph)}>
        Download graph
      </Button>
    </div>
  );
}
