import type { ReactElement, ReactNode } from "react";
import { errorText, reportError } from "../actions/report-error.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { CopyButton } from "../ui/copy-button.js";
import { ErrorBoundary } from "../ui/error-boundary.js";
import { Icon } from "../ui/icon.js";
import { bold } from "../ui/rich-parts.js";
import styles from "./panel-boundary.module.css";

const words = texts.parts.panelBoundary;

interface PanelBoundaryProps {
  /** As a sentence begins with it: "The inspector". */
  readonly name: string;
  /** The panel is drawn again when this changes. */
  readonly resetOn?: unknown;
  readonly children: ReactNode;
}

/** A part of the window whose errors leave the others alone. */
export function PanelBoundary({ name, resetOn, children }: PanelBoundaryProps): ReactElement {
  return (
    <ErrorBoundary
      resetOn={resetOn}
      onError={(error, components) => reportError(name, error, components)}
      fallback={(error, retry) => <PanelFailure name={name} error={error} onRetry={retry} />}
    >
      {children}
    </ErrorBoundary>
  );
}

interface PanelFailureProps {
  readonly name: string;
  readonly error: unknown;
  onRetry(): void;
}

/** The error, and how to recover. It reads no store, since the error may have come from one. */
export function PanelFailure({ name, error, onRetry }: PanelFailureProps): ReactElement {
  return (
    <div className={styles.failure} role="alert">
      <Icon name="error" />
      <div>
        <p>{words.notDrawn({ name, b: bold })}</p>
        <p className={styles.cause}>{error instanceof Error ? error.message : String(error)}</p>
        <div className={styles.remedies}>
          <Button size="small" variant="primary" onClick={onRetry}>
            {texts.common.tryAgain}
          </Button>
          <CopyButton text={errorText(error)} label={words.copyDetails} />
          <Button size="small" variant="ghost" onClick={() => window.location.reload()}>
            {texts.common.reloadWindow}
          </Button>
        </div>
      </div>
    </div>
  );
}
