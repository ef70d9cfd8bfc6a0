import type { ReactElement } from "react";
import { canvasCommands } from "../commands/canvas-commands.js";
import { openScopeCommands } from "../commands/scope-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { useActiveSession, useSessions } from "../stores/document-session.js";
import { useGraph } from "../stores/document-store.js";
import { functionOf } from "../stores/function-bodies.js";
import { useGraphView } from "../stores/graph-view-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { openScopesAround } from "../viewport/selected-scopes.js";
import { goOutOfFunctions } from "../viewport/travel.js";
import styles from "./breadcrumbs.module.css";

const words = texts.canvas.breadcrumbs;

/** The functions that are open, and the open scopes around the selection; each leads to itself. */
export function Breadcrumbs(): ReactElement {
  useGraph((state) => state.selection);
  useGraph((state) => state.document.nodes);
  useGraphView((state) => state.shown);
  const document = useActiveSession();
  const functions = useSessions(({ within }) => within.get(document)) ?? [];
  const scopes = openScopesAround();
  if (scopes.length + functions.length === 0) return <b>{words.graph}</b>;
  return (
    <nav className={styles.crumbs} aria-label={functions.length > 0 ? words.functions : words.label}>
      {functions.length > 0 ? (
        <Button variant="ghost" size="small" onClick={() => goOutOfFunctions()}>
          {words.graph}
        </Button>
      ) : (
        <CommandButton command={canvasCommands.fit} variant="ghost" size="small">
          {() => words.graph}
        </CommandButton>
      )}
      {functions.map((session, index) => (
        <span key={session.id}>
          <i aria-hidden="true">›</i>
          {index < functions.length - 1 ? (
            <Button variant="ghost" size="small" onClick={() => goOutOfFunctions(session)}>
              {functionOf(session)}
            </Button>
          ) : (
            <CommandButton command={canvasCommands.fit} variant="ghost" size="small">
              {() => <b aria-current="location">{functionOf(session)}</b>}
            </CommandButton>
          )}
        </span>
      ))}
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
