import type { ReactElement } from "react";
import { menuEntry } from "../commands/menu-entry.js";
import { activeRunCommands, runCommands, stepsCommands } from "../commands/run-commands.js";
import { useCommand } from "../commands/use-action.js";
import { CommandButton } from "../parts/command-button.js";
import { Icon } from "../ui/icon.js";
import { Menu } from "../ui/menu.js";
import { useLongRun } from "./use-long-run.js";

const STEP_CHOICES = [10, 100, 1000] as const;

/** Run, run many, stop. While a run goes on, Stop is the only one that can be pressed. */
export function RunGroup(): ReactElement {
  const running = useLongRun();
  const blocked = useCommand(runCommands.many).reason !== undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would lay its parts out in its own way
    <div className="run-group" role="group" aria-label="Run">
      <CommandButton command={runCommands.once} icon variant={running ? "standard" : "primary"} />
      <span className="split">
        <CommandButton command={runCommands.many} icon className="split-main run-many" spoken="short">
          {(text) => <span className="wide-only">{text}</span>}
        </CommandButton>
        <Menu
          align="end"
          label="Number of steps"
          trigger={
            <button
              type="button"
              className="btn split-more"
              aria-label="Number of steps"
              aria-disabled={blocked || undefined}
            >
              <Icon name="chevron-down" />
            </button>
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
