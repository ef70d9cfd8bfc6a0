import type { ReactElement } from "react";
import { canvasCommands } from "../commands/canvas-commands.js";
import { openScopeCommands } from "../commands/scope-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { useDocument } from "../stores/document-store.js";
import { useGraphView } from "../stores/graph-view-store.js";
import { texts } from "../texts/texts.js";
import { openScopesAround } from "../viewport/selected-scopes.js";
import styles from "./breadcrumbs.module.css";

const words = texts.canvas.breadcrumbs;

/** The open scopes around the selection; each leads to itself. */
export function Breadcrumbs(): ReactElement {
  useDocument((state) => state.selection);
  useDocument((state) => state.document.nodes);
  useGraphView((state) => state.shown);
  const scopes = openScopesAround();
  if (scopes.length === 0) return <b>{words.graph}</b>;
  return (
    <nav className={styles.crumbs} aria-label={words.label}>
      <CommandButton command={canvasCommands.fit} variant="ghost" size="small">
        {() => words.graph}
      </CommandButton>
      {scopes.map((scope) => (
        <span key={scope.id}>
          <i aria-hidden="true">/</i>
          <CommandButton
            command={openScopeCommands.show}
            target={[scope]}
            variant="ghost"
            size="small"
            spoken="named"
          >
            {() => scope.label}
          </CommandButton>
        </span>
      ))}
    </nav>
  );
}
