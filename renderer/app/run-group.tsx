import type { ReactElement } from "react";
import { menuEntry } from "../commands/menu-entry.js";
import { activeRunCommands, runCommands, stepsCommands } from "../commands/run-commands.js";
import { runConfigCommands } from "../commands/run-config-commands.js";
import { useCommand } from "../commands/use-action.js";
import { runConfigsOf } from "../document/run-configs.js";
import { CommandButton, CommandIconButton } from "../parts/command-button.js";
import { useDocument } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { Icon } from "../ui/icon.js";
import { Menu } from "../ui/menu.js";
import textStyles from "../ui/text.module.css";
import narrowStyles from "./narrow-window.module.css";
import styles from "./run-group.module.css";
import { useLongRun } from "./use-long-run.js";

const words = texts.app.runGroup;

const STEP_CHOICES = [10, 100, 1000] as const;

/** The choice among the run configurations, in a document with several. */
function RunConfigMenu(): ReactElement | null {
  const several = useDocument((state) => state.document.otherRuns.length > 0);
  const name = useDocument((state) => state.document.runConfig.name);
  if (!several) return null;
  return (
    <Menu
      align="end"
      label={words.runConfiguration}
      trigger={
        <Button className={styles.config} aria-label={words.runConfigurationNow({ name })}>
          <span className={classNames(textStyles.truncated, narrowStyles.notInNarrowWindow)}>{name}</span>
          <Icon name="chevron-down" />
        </Button>
      }
      entries={() => [
        ...runConfigsOf(useDocument.getState().document).map((config) =>
          menuEntry(runConfigCommands.choose.on(config), "short"),
        ),
        { kind: "separator" },
        menuEntry(runCommands.choose.now(), "short"),
      ]}
    />
  );
}

/** Run, run many, stop. During a run only Stop is enabled. */
export function RunGroup(): ReactElement {
  const running = useLongRun();
  const blocked = useCommand(runCommands.many).reason !== undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would lay its parts out in its own way
    <div className={styles.group} role="group" aria-label={words.run}>
      <CommandButton command={runCommands.once} icon variant={running ? "standard" : "primary"} />
      <span className={styles.split}>
        <CommandButton command={runCommands.many} icon className={styles.many} spoken="short">
          {(text) => (
            <span
              className={classNames(narrowStyles.notInNarrowWindow, running && narrowStyles.notWhileRunning)}
            >
              {text}
            </span>
          )}
        </CommandButton>
        <Menu
          align="end"
          label={words.numberOfSteps}
          trigger={
            <Button
              className={styles.steps}
              aria-label={words.numberOfSteps}
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
      <RunConfigMenu />
      {running ? <CommandIconButton command={activeRunCommands.pause} /> : null}
      {running ? <CommandButton command={activeRunCommands.stop} icon variant="primary" /> : null}
    </div>
  );
}
