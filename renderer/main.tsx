import "./theme/tokens.css";
import "./theme/base.css";
import "./theme/react-flow.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { listenToErrors, reportError } from "./actions/report-error.js";
import { App } from "./app/app.js";
import { start } from "./app/start.js";
import { WindowFailure } from "./app/window-failure.js";
import { applyTheme } from "./stores/settings-store.js";
import { rememberLayout } from "./stores/ui-store.js";
import { ErrorBoundary } from "./ui/error-boundary.js";

applyTheme();
rememberLayout();
listenToErrors();
void start();

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no root element.");
createRoot(root).render(
  <StrictMode>
    <ErrorBoundary
      onError={(error, components) => reportError("The window", error, components)}
      fallback={(error, retry) => <WindowFailure error={error} onRetry={retry} />}
    >
      <App />
    </ErrorBoundary>
  </StrictMode>,
);
