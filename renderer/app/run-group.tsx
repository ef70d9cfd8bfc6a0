import type { ReactElement } from "react";
import { menuEntry } from "../commands/menu-entry.js";
import { activeRunCommands, runCommands, stepsCommands } from "../commands/run-commands.js";
import { useCommand } from "../commands/use-action.js";
import { CommandButton } from "../parts/command-button.js";
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import { Menu } from "../ui/menu.js";
import narrowStyles from "./narrow-window.module.css";
import styles from "./run-group.module.css";
import { useLongRun } from "./use-long-run.js";

const STEP_CHOICES = [10, 100, 1000] as const;

/** Run, run many, stop. During a run only Stop is enabled. */
export function RunGroup(): ReactElement {
  const running = useLongRun();
  const blocked = useCommand(runCommands.many).reason !== undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would lay its parts out in its own way
    <div className={styles.group} role="group" aria-label="Run">
      <CommandButton command={runCommands.once} icon variant={running ? "standard" : "primary"} />
      <span className={styles.split}>
        <CommandButton command={runCommands.many} icon className={styles.many} spoken="short">
          {(text) => <span className={narrowStyles.notInNarrowWindow}>{text}</span>}
        </CommandButton>
        <Menu
          align="end"
          label="Number of steps"
          trigger={
            <Button
              className={styles.steps}
              aria-label="Number of steps"
              aria-disabled={blocked || undefined}
            >
              <Icon name="chevron-down" />
            </Button>
          }
          entries={() => [
            ...STEP_CHOICES.map((count) => menuEntry(stepsCommands.run.on(count), "short")),
            { kind: "separator" },
            menuEntry(runCommands.customSteps.now(), "short"),
          ]}
        />
      </span>
      {running ? <CommandButton command={activeRunCommands.stop} icon variant="primary" /> : null}
    </div>
  );
}
