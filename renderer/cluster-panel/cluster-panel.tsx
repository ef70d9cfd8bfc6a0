import { type KeyboardEvent, type ReactElement, useMemo, useState } from "react";
import type { Machine } from "../../main/api/cluster.js";
import type { Problem } from "../../main/api/problem.js";
import { attempt } from "../stores/app-store.js";
import { addTasksIfAllowed } from "../stores/cluster-actions.js";
import { taskName, useCluster } from "../stores/cluster-store.js";
import { useDocument } from "../stores/document-store.js";
import { pinCounts } from "../stores/graph-tasks.js";
import { Button, IconButton } from "../ui/button.js";
import { countText } from "../ui/format.js";
import { ProblemView } from "../ui/problem-view.js";
import { AddTasks } from "./add-tasks.js";
import "./cluster-panel.css";
import { ClusterHint } from "./cluster-hint.js";
import { MachineHead } from "./machine-head.js";
import { TaskRow } from "./task-row.js";

export function ClusterPanel(): ReactElement {
  const state = useCluster((store) => store.state);
  if (state === undefined) return <p className="empty">Reading the cluster…</p>;
  const tasks = state.machines.reduce((sum, machine) => sum + machine.tasks.length, 0);
  return (
    <>
      <div className="side-head">
        <span className="grow ell">
          {countText(state.machines.length, "machine")} · {countText(tasks, "task")}
        </span>
        <AddTasks />
      </div>
      <ClusterTree machines={state.machines} />
      {state.notice ? <ClusterNotice notice={state.notice} /> : null}
      <ClusterHint />
    </>
  );
}

/** What happened to the cluster as a whole, until it is read and closed. */
function ClusterNotice({ notice }: { readonly notice: Problem }): ReactElement | null {
  const [read, setRead] = useState<string>();
  if (read === notice.message) return null;
  return (
    <div className="warn-row">
      <ProblemView problem={notice} kind="notice" />
      <IconButton icon="close" label="Dismiss" small onClick={() => setRead(notice.message)} />
    </div>
  );
}

function ClusterTree({ machines }: { readonly machines: readonly Machine[] }): ReactElement {
  const nodes = useDocument((store) => store.document.nodes);
  const counts = useMemo(() => pinCounts(nodes.values()), [nodes]);
  const [current, setCurrent] = useState<string>();
  const first = machines[0]?.id;
  const known = machines.some(({ id, tasks }) => id === current || tasks.some((task) => task.id === current));
  const focusable = known ? current : first;
  return (
    <div className="cluster-tree" role="tree" aria-label="Cluster" onKeyDown={onTreeKey}>
      {machines.map((machine) => (
        <section key={machine.id} className="mach">
          <MachineHead
            machine={machine}
            focusable={focusable === machine.id}
            onFocus={() => setCurrent(machine.id)}
          />
          {machine.tasks.map((task) => (
            <TaskRow
              key={task.id}
              task={task}
              nodes={counts.get(taskName(task)) ?? 0}
              focusable={focusable === task.id}
              onFocus={() => setCurrent(task.id)}
            />
          ))}
          {machine.tasks.length > 0 ? (
            <Button
              variant="ghost"
              size="small"
              icon="plus"
              className="add-row"
              onClick={() => attempt(addWorker)}
            >
              Add worker
            </Button>
          ) : null}
        </section>
      ))}
    </div>
  );
}

function addWorker(): Promise<void> {
  return addTasksIfAllowed("worker", 1);
}

/** Arrows move between the rows, Enter opens a row's menu. */
function onTreeKey(event: KeyboardEvent<HTMLElement>): void {
  const row = event.target instanceof Element ? event.target : undefined;
  if (row?.getAttribute("role") !== "treeitem") return;
  if (event.key === "Enter" || event.key === " " || event.key === "ContextMenu") {
    event.preventDefault();
    const menu = row.querySelector<HTMLElement>("[data-row-menu]");
    menu?.focus();
    menu?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    return;
  }
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="treeitem"]')];
  const at = rows.indexOf(row as HTMLElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  rows[next]?.focus();
}
