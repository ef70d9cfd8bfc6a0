import type { ReactElement } from "react";
import { commandById, runCommand } from "../commands/registry.js";
import { useDocument } from "../stores/document-store.js";
import { uiActions, useUi } from "../stores/ui-store.js";
import { IconButton } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import { shortcutText } from "../ui/shortcut.js";
import { Switch } from "../ui/switch.js";
import { MainMenu } from "./main-menu.js";
import { RunGroup } from "./run-group.js";
import { RunProgress } from "./run-progress.js";
import { SessionTarget } from "./session-target.js";

export function TopBar(): ReactElement {
  const trace = useUi((state) => state.trace);
  const sideWidth = useUi((state) => state.sideWidth);
  const setTrace = (on: boolean) => uiActions.setTrace(on);
  return (
    <header className="top-bar" data-panel="top" tabIndex={-1}>
      <MainMenu />
      <DocumentName />
      <UndoButtons />
      <span className="top-gap" style={{ minWidth: 16, flexBasis: Math.max(16, sideWidth - 280) }} />
      <SessionTarget />
      <RunGroup />
      <RunProgress />
      <Switch
        label="Trace"
        icon="pulse"
        checked={trace}
        title="Record when and where every node runs. A traced step takes longer."
        onChange={setTrace}
      />
      <span className="grow" />
      <button
        type="button"
        className="command-field"
        aria-keyshortcuts="Control+K"
        onClick={() => uiActions.open({ kind: "palette" })}
      >
        <Icon name="search" />
        <span className="ell">Search or run a command</span>
        <kbd>{shortcutText("Mod+K")}</kbd>
      </button>
    </header>
  );
}

function DocumentName(): ReactElement {
  const name = useDocument((state) => state.document.name);
  const path = useDocument((state) => state.document.path);
  const dirty = useDocument((state) => state.dirty);
  return (
    <div className="document-name" title={path ?? "Not saved in a file yet"}>
      <h1 className="ell">{name}</h1>
      {dirty ? <span className="unsaved" role="img" aria-label="has unsaved changes" /> : null}
    </div>
  );
}

function UndoButtons(): ReactElement {
  const canUndo = useDocument((state) => state.canUndo);
  const canRedo = useDocument((state) => state.canRedo);
  const undoLabel = useDocument((state) => state.undoLabel);
  const redoLabel = useDocument((state) => state.redoLabel);
  const undo = commandById("edit.undo");
  const redo = commandById("edit.redo");
  return (
    <>
      <IconButton
        icon="undo"
        label={undoLabel ? `Undo: ${undoLabel}` : "Undo"}
        shortcut={undo.shortcut}
        disabled={!canUndo}
        onClick={() => runCommand(undo)}
      />
      <IconButton
        icon="redo"
        label={redoLabel ? `Redo: ${redoLabel}` : "Redo"}
        shortcut={redo.shortcut?.split(" ")[0]}
        disabled={!canRedo}
        onClick={() => runCommand(redo)}
      />
    </>
  );
}
