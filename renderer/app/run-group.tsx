import type { ReactElement } from "react";
import { commandById } from "../commands/registry.js";
import { attempt } from "../stores/app-store.js";
import { startRun, stopRun } from "../stores/run-actions.js";
import { isActive, useRun } from "../stores/run-store.js";
import { uiActions, useUi } from "../stores/ui-store.js";
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import { Menu } from "../ui/menu.js";
import { Tooltip } from "../ui/tooltip.js";

const STEP_CHOICES = [10, 100, 1000] as const;

/** Run, run many, stop. While a run goes on, Stop is the only one that can be pressed. */
export function RunGroup(): ReactElement {
  const active = useRun((state) => isActive(state.latest));
  const steps = useUi((state) => state.manySteps);
  return (
    <div className="run-group" role="group" aria-label="Run">
      <Tooltip text="Run one step" shortcut={commandById("run.once").shortcut}>
        <Button
          variant={active ? "standard" : "primary"}
          icon="play"
          disabled={active}
          onClick={() => attempt(() => startRun(1))}
        >
          Run
        </Button>
      </Tooltip>
      <span className="split">
        <Button
          icon="fast-forward"
          disabled={active}
          className="split-main run-many"
          aria-label={`Run ${steps} steps`}
          onClick={() => attempt(() => startRun(steps))}
        >
          <span className="wide-only">Run {steps} steps</span>
        </Button>
        <Menu
          align="end"
          label="Number of steps"
          trigger={
            <button type="button" className="btn split-more" aria-label="Number of steps" disabled={active}>
              <Icon name="chevron-down" />
            </button>
          }
          entries={[
            ...STEP_CHOICES.map((count) => ({
              kind: "item" as const,
              label: `${count} steps`,
              checked: count === steps,
              run: () => chooseSteps(count),
            })),
            { kind: "separator" },
            { kind: "item", label: "Another number…", run: () => uiActions.open({ kind: "custom-steps" }) },
          ]}
        />
      </span>
      {active ? <StopButton /> : null}
    </div>
  );
}

function chooseSteps(count: number): void {
  uiActions.setManySteps(count);
  attempt(() => startRun(count));
}

function StopButton(): ReactElement {
  const again = useRun(
    (state) => state.latest?.state === "stopping" || state.stopRequested === state.latest?.runId,
  );
  return (
    <Tooltip
      text={again ? "Cancel the step that is running" : "Finish the current step, then stop"}
      shortcut={commandById("run.stop").shortcut}
    >
      <Button variant="primary" icon="stop" onClick={() => attempt(stopRun)}>
        {again ? "Abort" : "Stop"}
      </Button>
    </Tooltip>
  );
}
