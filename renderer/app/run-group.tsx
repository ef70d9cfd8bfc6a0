import type { ReactElement } from "react";
import { startRun, stopRun } from "../actions/run-actions.js";
import { commandById } from "../commands/registry.js";
import { attempt, useApp } from "../stores/app-store.js";
import { useRun } from "../stores/run-store.js";
import { uiActions, useUi } from "../stores/ui-store.js";
import { Button } from "../ui/button.js";
import { countText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { Menu } from "../ui/menu.js";
import { Tooltip } from "../ui/tooltip.js";
import { useLongRun } from "./use-long-run.js";

const STEP_CHOICES = [10, 100, 1000] as const;

/** Run, run many, stop. While a run goes on, Stop is the only one that can be pressed. */
export function RunGroup(): ReactElement {
  const running = useLongRun();
  const connected = useApp((state) => state.connection === "connected");
  const blocked = running || !connected;
  const steps = useUi((state) => state.manySteps);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would lay its parts out in its own way
    <div className="run-group" role="group" aria-label="Run">
      <Tooltip text="Run one step" shortcut={commandById("run.once").shortcut}>
        <Button
          variant={running ? "standard" : "primary"}
          icon="play"
          disabled={blocked}
          onClick={() => attempt(() => startRun(1))}
        >
          Run
        </Button>
      </Tooltip>
      <span className="split">
        <Button
          icon="fast-forward"
          disabled={blocked}
          className="split-main run-many"
          aria-label={`Run ${countText(steps, "step")}`}
          onClick={() => attempt(() => startRun(steps))}
        >
          <span className="wide-only">Run {countText(steps, "step")}</span>
        </Button>
        <Menu
          align="end"
          label="Number of steps"
          trigger={
            <button type="button" className="btn split-more" aria-label="Number of steps" disabled={blocked}>
              <Icon name="chevron-down" />
            </button>
          }
          entries={[
            ...STEP_CHOICES.map((count) => ({
              kind: "item" as const,
              label: countText(count, "step"),
              checked: count === steps,
              run: () => chooseSteps(count),
            })),
            { kind: "separator" },
            { kind: "item", label: "Another number…", run: () => uiActions.open({ kind: "custom-steps" }) },
          ]}
        />
      </span>
      {running ? <StopButton /> : null}
    </div>
  );
}

function chooseSteps(count: number): void {
  uiActions.setManySteps(count);
  attempt(() => startRun(count));
}

function StopButton(): ReactElement {
  const again = useRun(
    (state) => state.newest?.state === "stopping" || state.stopRequested === state.newest?.runId,
  );
  return (
    <Tooltip
      text={
        again ? "Cancel the step that is running" : "Finish the current step, then stop; again: cancel it"
      }
      shortcut={commandById("run.stop").shortcut}
    >
      <Button variant="primary" icon="stop" onClick={() => attempt(stopRun)}>
        {again ? "Abort" : "Stop"}
      </Button>
    </Tooltip>
  );
}
