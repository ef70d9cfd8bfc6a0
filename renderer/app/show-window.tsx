import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { listenToErrors, reportError } from "../actions/report-error.js";
import { applyTheme } from "../stores/settings-store.js";
import { rememberLayout } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import type { Arrival } from "../transport/arrive.js";
import { ErrorBoundary } from "../ui/error-boundary.js";
import { App } from "./app.js";
import { start } from "./start.js";
import { WindowFailure } from "./window-failure.js";

/**
 * Shows the window in the page. Its language is chosen before this module is loaded.
 *
 * @param arrival the connection of a browser tab to its application; undefined in the desktop window
 */
export function showWindow(arrival: Promise<Arrival> | undefined): void {
  applyTheme();
  rememberLayout();
  listenToErrors();
  void start(arrival);
  const root = document.getElementById("root");
  if (root === null) throw new Error("The page has no root element.");
  createRoot(root).render(
    <StrictMode>
      <ErrorBoundary
        onError={(error, components) => reportError(texts.actions.reportError.theWindow, error, components)}
        fallback={(error, retry) => <WindowFailure error={error} onRetry={retry} />}
      >
        <App />
      </ErrorBoundary>
    </StrictMode>,
  );
}
