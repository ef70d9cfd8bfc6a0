import type { ReactElement } from "react";
import { allCommands, COMMAND_GROUPS } from "../commands/registry.js";
import { uiActions } from "../stores/ui-store.js";
import { Dialog, DialogBody } from "../ui/dialog.js";
import { shortcutText } from "../ui/shortcut.js";
import styles from "./shortcuts-dialog.module.css";

/** Keys of the canvas that move rather than act; commands have the others. */
const MOVES: readonly (readonly [label: string, keys: string])[] = [
  ["Go to another node", "Tab"],
  ["Go to the node in a direction", "←↑→↓"],
  ["Move the selected nodes", "Alt ←↑→↓"],
  ["Go to the inspector", "Enter"],
  ["Pan", "Space drag"],
];

export function ShortcutsDialog(): ReactElement {
  return (
    <Dialog title="Keyboard shortcuts" width="wide" onClose={uiActions.close}>
      {/* What scrolls can be reached by keyboard. */}
      <DialogBody className={styles.shortcuts} role="region" aria-label="All shortcuts" tabIndex={0}>
        {COMMAND_GROUPS.map((group) => {
          const commands = allCommands.filter((command) => command.group === group && command.shortcut);
          if (commands.length === 0) return null;
          return (
            <section key={group}>
              <h3>{group}</h3>
              <dl>
                {commands.map((command) => (
                  <div key={command.id}>
                    <dt>{command.label}</dt>
                    <dd>
                      <kbd>{shortcutText(command.shortcut ?? "")}</kbd>
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          );
        })}
        <section>
          <h3>On the canvas</h3>
          <dl>
            {MOVES.map(([label, keys]) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>
                  <kbd>{keys}</kbd>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      </DialogBody>
    </Dialog>
  );
}
