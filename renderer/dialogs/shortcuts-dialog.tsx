import type { ReactElement } from "react";
import { allCommands, COMMAND_GROUPS } from "../commands/registry.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Dialog, DialogBody } from "../ui/dialog.js";
import { shortcutText } from "../ui/shortcut.js";
import styles from "./shortcuts-dialog.module.css";

const words = texts.dialogs.shortcutsDialog;

/** Keys of the canvas that move rather than act; commands have the others. */
const MOVES: readonly (readonly [label: string, keys: string])[] = [
  [words.moves.anotherNode, shortcutText("Tab")],
  [words.moves.direction, "←↑→↓"],
  [words.moves.move, `${shortcutText("Alt")} ←↑→↓`],
  [words.moves.inspector, shortcutText("Enter")],
  [words.moves.pan, words.dragWithSpace],
];

export function ShortcutsDialog(): ReactElement {
  return (
    <Dialog title={words.title} width="wide" onClose={uiActions.close}>
      {/* A scrolled area can be reached by keyboard. */}
      <DialogBody className={styles.shortcuts} role="region" aria-label={words.all} tabIndex={0}>
        {COMMAND_GROUPS.map((group) => {
          const commands = allCommands.filter((command) => command.group === group && command.shortcut);
          if (commands.length === 0) return null;
          return (
            <section key={group}>
              <h3>{texts.commands.groups[group]}</h3>
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
          <h3>{words.onCanvas}</h3>
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
