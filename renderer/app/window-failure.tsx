import type { ReactElement } from "react";
import { downloadGraph } from "../actions/file-actions.js";
import { errorText } from "../actions/report-error.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import styles from "./whole-page.module.css";

const words = texts.app.windowFailure;

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
        <h1>{words.title}</h1>
        <p>{words.text}</p>
        <div className={styles.buttons}>
          <Button variant="primary" onClick={() => window.location.reload()}>
            {texts.common.reloadWindow}
          </Button>
          <Button onClick={onRetry}>{texts.common.tryAgain}</Button>
          <Button icon="download" onClick={downloadGraph}>
            {words.download}
          </Button>
        </div>
        <pre className={styles.details}>{errorText(error)}</pre>
      </div>
    </main>
  );
}
