/** Rows of the panel that are neither a machine nor a task: what is wrong, and the button that adds. */
import type { ReactElement } from "react";
import type { Machine } from "../../main/api/cluster.js";
import type { Problem } from "../../main/api/problem.js";
import type { Route } from "../../main/api/reachability.js";
import { addWorker } from "../actions/cluster-actions.js";
import { newIdentity, openMachineWindow } from "../actions/machine-actions.js";
import { ProblemView, withoutRemedy } from "../parts/problem-view.js";
import { attempt } from "../stores/app-store.js";
import { openFirewall } from "../stores/firewall-store.js";
import { checkRoutes } from "../stores/reachability-store.js";
import { Button } from "../ui/button.js";

/** Every row of a tree is an item of it. */
interface ItemProps {
  readonly focusable: boolean;
  onFocus(): void;
}

export function AddRow({
  machine,
  focusable,
  onFocus,
}: ItemProps & { readonly machine: Machine }): ReactElement {
  return (
    <Button
      role="treeitem"
      aria-level={2}
      tabIndex={focusable ? 0 : -1}
      onFocus={onFocus}
      variant="ghost"
      size="small"
      icon="plus"
      className="add-row"
      aria-label={`Add worker on ${machine.name}`}
      onClick={() => attempt(() => addWorker(machine.id))}
    >
      Add worker
    </Button>
  );
}

interface ProblemRowProps extends ItemProps {
  readonly machine: Machine;
  readonly problem: Problem;
}

/** What is wrong with a machine as a whole, e.g. that it does not answer. */
export function ProblemRow({ machine, problem, focusable, onFocus }: ProblemRowProps): ReactElement {
  return (
    <div className="warn-row" role="treeitem" aria-level={2} tabIndex={focusable ? 0 : -1} onFocus={onFocus}>
      <ProblemView problem={problem} kind="notice">
        {machine.clones && machine.kind === "this" ? (
          <Button size="small" onClick={() => attempt(newIdentity)}>
            New identity…
          </Button>
        ) : null}
        {machine.clones && machine.kind === "paired" && machine.role === "manage" ? (
          <Button size="small" onClick={() => attempt(() => openMachineWindow(machine))}>
            Open its window
          </Button>
        ) : null}
        {machine.kind === "paired" && !machine.clones ? (
          <Button size="small" onClick={() => attempt(checkRoutes)}>
            Check again
          </Button>
        ) : null}
      </ProblemView>
    </div>
  );
}

interface BlockedRowProps extends ItemProps {
  readonly route: Route;
  readonly problem: Problem;
}

/** A route that does not work, with the way to mend it. */
export function BlockedRow({ route, problem, focusable, onFocus }: BlockedRowProps): ReactElement {
  const { firewallOf, from } = route;
  return (
    <div className="warn-row" role="treeitem" aria-level={2} tabIndex={focusable ? 0 : -1} onFocus={onFocus}>
      <ProblemView problem={firewallOf === undefined ? problem : withoutRemedy(problem)} kind="notice">
        {firewallOf === undefined ? (
          <Button size="small" onClick={() => attempt(checkRoutes)}>
            Check again
          </Button>
        ) : (
          <Button
            size="small"
            onClick={() =>
              attempt(() =>
                openFirewall(
                  firewallOf === from ? { machineId: firewallOf } : { machineId: firewallOf, peerId: from },
                ),
              )
            }
          >
            Fix…
          </Button>
        )}
      </ProblemView>
    </div>
  );
}
