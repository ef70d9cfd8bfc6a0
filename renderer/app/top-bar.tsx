import type { ReactElement } from "react";
import { editCommands } from "../commands/edit-commands.js";
import { helpCommands } from "../commands/help-commands.js";
import { traceCommands } from "../commands/run-commands.js";
import { useCommand } from "../commands/use-action.js";
import { CommandIconButton, CommandSwitch } from "../parts/command-button.js";
import { useDocument } from "../stores/document-store.js";
import { useUi } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Icon } from "../ui/icon.js";
import { shortcutText } from "../ui/shortcut.js";
import textStyles from "../ui/text.module.css";
import { MainMenu } from "./main-menu.js";
import narrowStyles from "./narrow-window.module.css";
import { RunGroup } from "./run-group.js";
import { RunProgress } from "./run-progress.js";
import { SessionTarget } from "./session-target.js";
import styles from "./top-bar.module.css";
import { useLongRun } from "./use-long-run.js";

const words = texts.app.topBar;

export function TopBar(): ReactElement {
  const palette = useCommand(helpCommands.palette);
  const sideWidth = useUi((state) => state.sideWidth);
  const running = useLongRun();
  return (
    <header className={styles.bar} data-panel-name="top" tabIndex={-1}>
      <MainMenu />
      <DocumentName />
      <span className={narrowStyles.notInSmallWindow}>
        <CommandIconButton command={editCommands.undo} />
        <CommandIconButton command={editCommands.redo} />
      </span>
      <span className={styles.gap} style={{ minWidth: 16, flexBasis: Math.max(16, sideWidth - 280) }} />
      <SessionTarget />
      <RunGroup />
      <RunProgress />
      <span className={running ? narrowStyles.notInSmallWindow : undefined}>
        <CommandSwitch command={traceCommands.toggle} />
      </span>
      <span className={styles.rest} />
      <button
        type="button"
        className={styles.palette}
        aria-keyshortcuts="Control+K"
        onClick={() => void palette.run()}
      >
        <Icon name="search" />
        <span className={textStyles.truncated}>{palette.label}</span>
        <kbd className={running ? narrowStyles.notWhileRunning : undefined}>
          {shortcutText(palette.shortcut ?? "")}
        </kbd>
      </button>
    </header>
  );
}

function DocumentName(): ReactElement {
  const name = useDocument((state) => state.document.name);
  const path = useDocument((state) => state.document.path);
  const dirty = useDocument((state) => state.dirty);
  return (
    <div className={styles.document} title={path ?? words.notSaved}>
      <h1 className={textStyles.truncated}>{name}</h1>
      {dirty ? <span className={styles.unsaved} role="img" aria-label={words.unsaved} /> : null}
    </div>
  );
}
