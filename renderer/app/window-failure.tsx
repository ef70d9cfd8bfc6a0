import type { ReactElement } from "react";
import { downloadGraph } from "../actions/file-actions.js";
import { errorText } from "../actions/report-error.js";
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import styles from "./whole-page.module.css";

interface WindowFailureProps {
  readonly error: unknown;
  onRetry(): void;
}

/** Replaces the whole window when even its frame cannot be rendered. It uses nothing that may have failed. */
export function WindowFailure({ error, onRetry }: WindowFailureProps): ReactElement {
  return (
    <main style={{ display: "contents" }}>
      <div className={styles.page} role="alert">
        <Icon name="error" size={24} />
        <h1>The window could not be drawn</h1>
        <p>
          Unsaved edits were kept: they are back when the window is reloaded. Tasks and runs continue
          meanwhile.
        </p>
        <div className={styles.buttons}>
          <Button variant="primary" onClick={() => window.location.reload()}>
            Reload the window
          </Button>
          <Button onClick={onRetry}>Try again</Button>
          <Button icon="download" onClick={downloadGraph}>
            Download graph
          </Button>
        </div>
        <pre className={styles.details}>{errorText(error)}</pre>
      </div>
    </main>
  );
}
