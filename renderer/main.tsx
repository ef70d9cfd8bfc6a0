import "./theme/tokens.css";
import "./theme/base.css";
import "./ui/ui.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.js";
import { start } from "./app/start.js";
import { showProblem } from "./stores/app-store.js";
import { applyTheme } from "./stores/settings-store.js";
import { rememberLayout } from "./stores/ui-store.js";

applyTheme();
rememberLayout();
// What was begun by a click and nobody waits for.
window.addEventListener("unhandledrejection", ({ reason }) => showProblem(reason));
void start();

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no root element.");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
