import type { ReactElement } from "react";
import { downloadGraph } from "../actions/file-actions.js";
import { errorText } from "../actions/report-error.js";
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";

interface WindowFailureProps {
  readonly error: unknown;
  onRetry(): void;
}

/** Stands in place of the whole window when even its frame cannot be drawn. It uses nothing that may have failed. */
export function WindowFailure({ error, onRetry }: WindowFailureProps): ReactElement {
  return (
    <main className="refused" role="alert">
      <Icon name="error" size={24} />
      <h1>The window could not be drawn</h1>
      <p>
        Unsaved edits were kept: they are back when the window is reloaded. Tasks and runs go on meanwhile.
      </p>
      <div className="refused-ways">
        <Button variant="primary" onClick={() => window.location.reload()}>
          Reload the window
        </Button>
        <Button onClick={onRetry}>Try again</Button>
        <Button icon="download" onClick={downloadGraph}>
          Download graph
        </Button>
      </div>
      <pre className="details">{errorText(error)}</pre>
    </main>
  );
}
