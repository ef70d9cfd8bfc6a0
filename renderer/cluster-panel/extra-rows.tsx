/** Rows of the panel that are neither a machine nor a task: problems, and the button that adds. */

import type { ReactElement } from "react";
import type { Machine } from "../../main/api/cluster.js";
import type { Problem } from "../../main/api/problem.js";
import type { Route } from "../../main/api/reachability.js";
import { linkCommands, routeCommands } from "../commands/cluster-commands.js";
import { machineCommands } from "../commands/machine-commands.js";
import { blockOf } from "../commands/target-kinds.js";
import { CommandButton } from "../parts/command-button.js";
import { ProblemView, withoutRemedy } from "../parts/problem-view.js";
import styles from "./extra-rows.module.css";
import { NoticeFrame } from "./notice-frame.js";
import { useFixable } from "./use-fixable.js";

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
    <CommandButton
      command={machineCommands.addWorker}
      target={machine}
      role="treeitem"
      aria-level={2}
      tabIndex={focusable ? 0 : -1}
      onFocus={onFocus}
      variant="ghost"
      size="small"
      icon
      className={styles.add}
      spoken="named"
    />
  );
}

interface ProblemRowProps extends ItemProps {
  readonly machine: Machine;
  readonly problem: Problem;
}

/** A problem of a machine as a whole, e.g. that it does not respond. */
export function ProblemRow({ machine, problem, focusable, onFocus }: ProblemRowProps): ReactElement {
  return (
    <NoticeFrame at="machine" role="treeitem" aria-level={2} tabIndex={focusable ? 0 : -1} onFocus={onFocus}>
      <ProblemView problem={problem} kind="notice">
        {machine.clones ? (
          <>
            <CommandButton command={machineCommands.newIdentity} target={machine} size="small" />
            {machine.role === "manage" ? (
              <CommandButton command={machineCommands.openWindow} target={machine} size="small" />
            ) : null}
          </>
        ) : null}
        {machine.kind === "paired" && !machine.clones ? (
          <CommandButton command={linkCommands.check} size="small" />
        ) : null}
      </ProblemView>
    </NoticeFrame>
  );
}

interface BlockedRowProps extends ItemProps {
  readonly route: Route;
  readonly problem: Problem;
}

/** A route that does not work, with the fix. */
export function BlockedRow({ route, problem, focusable, onFocus }: BlockedRowProps): ReactElement {
  const { firewallOf, from } = route;
  const isFixable = useFixable(firewallOf);
  return (
    <NoticeFrame at="machine" role="treeitem" aria-level={2} tabIndex={focusable ? 0 : -1} onFocus={onFocus}>
      <ProblemView problem={isFixable ? withoutRemedy(problem) : problem} kind="notice">
        {firewallOf === undefined ? (
          <CommandButton command={linkCommands.check} size="small" />
        ) : (
          <CommandButton command={routeCommands.fix} target={blockOf(firewallOf, from)} size="small" />
        )}
      </ProblemView>
    </NoticeFrame>
  );
}
