import type { ReactElement } from "react";
import type { Task, TaskState } from "../../main/api/cluster.js";
import { client } from "../client.js";
import { attempt } from "../stores/app-store.js";
import { taskColourVar, taskDevice, taskName } from "../stores/cluster-store.js";
import { useDocument } from "../stores/document-store.js";
import { useDrag } from "../stores/drag-store.js";
import { uiActions } from "../stores/ui-store.js";
import { Button, IconButton } from "../ui/button.js";
import { copyText } from "../ui/copy-button.js";
import { bytesText, countText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { Menu, type MenuEntry } from "../ui/menu.js";
import { ProblemView } from "../ui/problem-view.js";
import { Sparkline } from "../ui/sparkline.js";
import { Swatch } from "../ui/swatch.js";

/** Samples that a task keeps, one a second. */
const SAMPLES = 60;

interface TaskRowProps {
  readonly task: Task;
  /** Nodes that are pinned to the task. */
  readonly nodes: number;
  readonly focusable: boolean;
  onFocus(): void;
}

/** One task: name, port, nodes, load, and what can be done with it. Nodes can be dropped on it. */
export function TaskRow({ task, nodes, focusable, onFocus }: TaskRowProps): ReactElement {
  const name = taskName(task);
  const drag = useDropState(task);
  const port = task.address.split(":").at(-1);
  const metrics = hasProcess(task.state) && !drag ? <Metrics task={task} /> : null;
  const classes = ["task"];
  if (drag) classes.push(drag.kind);
  if (task.state === "stopped") classes.push("off");
  return (
    <div
      className={classes.join(" ")}
      style={{ "--c": taskColourVar(task) }}
      role="treeitem"
      aria-level={2}
      aria-label={`${name}, ${stateText(task.state)}, ${countText(nodes, "node")}${task.address ? `, ${task.address}` : ""}`}
      tabIndex={focusable ? 0 : -1}
      data-task-id={task.id}
      data-device={taskDevice(task)}
      onFocus={onFocus}
    >
      <div className="tr">
        <Swatch task={task} />
        <b>{name}</b>
        {port ? (
          <span className="fg2 mono" title={task.address}>
            :{port}
          </span>
        ) : null}
        <span className="grow" />
        <StateMark state={task.state} />
        {drag || task.state === "running" ? (
          <span className={drag?.kind === "target" ? "" : "fg2"}>
            {drag?.count ?? countText(nodes, "node")}
          </span>
        ) : null}
        <Menu
          align="end"
          label={`Menu of ${name}`}
          trigger={
            <IconButton
              icon="more"
              label={`Menu of ${name}`}
              data-row-menu=""
              className="row-menu"
              small
              tabIndex={-1}
            />
          }
          entries={taskMenu(task)}
        />
      </div>
      {drag ? (
        <div className="why">
          {drag.kind === "target" ? <Icon name="pin" size={14} /> : null}
          {drag.text}
        </div>
      ) : null}
      {metrics}
      {task.problem ? (
        <div className="task-problem">
          <ProblemView problem={task.problem}>
            <Button
              size="small"
              onClick={() => attempt(() => client().call("cluster.startTask", { taskId: task.id }))}
            >
              Start again
            </Button>
            <Button size="small" variant="ghost" onClick={() => uiActions.showLog(task.id)}>
              Show log
            </Button>
          </ProblemView>
        </div>
      ) : task.notice ? (
        <div className="task-problem">
          <ProblemView problem={task.notice} kind="notice" />
        </div>
      ) : null}
    </div>
  );
}

interface DropState {
  /** target: under the pointer. possible: would take the nodes. dim: would change nothing. */
  readonly kind: "target" | "possible" | "dim";
  readonly count: string;
  readonly text: string;
}

/** What dropping the dragged nodes on a task would do; undefined while nothing is dragged. */
function useDropState(task: Task): DropState | undefined {
  const dragged = useDrag((state) => state.nodes);
  const over = useDrag((state) => state.overTaskId === task.id);
  const nodes = useDocument((state) => state.document.nodes);
  if (dragged.length === 0) return undefined;
  const device = taskDevice(task);
  const isHere = (at: string) => at === device || at.startsWith(`${device}/`);
  const here = [...nodes.values()].filter((node) => isHere(node.device)).length;
  const coming = dragged.filter((name) => {
    const node = nodes.get(name);
    return node !== undefined && !isHere(node.device);
  }).length;
  const count = countText(here, "node");
  if (coming === 0) return { kind: "dim", count, text: "Already pinned here" };
  const note = task.state === "running" ? "" : `, ${stateText(task.state)}`;
  if (over)
    return {
      kind: "target",
      count: `${here} → ${here + coming} nodes`,
      text: `Pin ${countText(coming, "node")}`,
    };
  return {
    kind: "possible",
    count,
    text: `${countText(here, "node")} here now, ${here + coming} after${note}`,
  };
}

/** There from the start of a task, so that the rows below stay where they are when its first sample comes. */
function Metrics({ task }: { readonly task: Task }): ReactElement {
  const newest = task.metrics.at(-1);
  const cpu = task.metrics.map(({ cpuPercent }) => cpuPercent);
  const memory = task.metrics.map(({ memoryBytes }) => memoryBytes);
  return (
    <div className="ms">
      <div className="m" title="Share of one core, the last minute">
        <span>CPU</span>
        <span className="mv">{newest ? `${Math.round(newest.cpuPercent)}%` : "–"}</span>
        <Sparkline
          values={cpu}
          max={100}
          capacity={SAMPLES}
          label={newest ? `CPU ${Math.round(newest.cpuPercent)} percent of one core` : "CPU not measured yet"}
        />
      </div>
      <div className="m" title="Memory of the task's process, the last minute">
        <span>Mem</span>
        <span className="mv">{newest ? bytesText(newest.memoryBytes) : "–"}</span>
        <Sparkline
          values={memory}
          max={1.5 * Math.max(1, ...memory)}
          capacity={SAMPLES}
          label={newest ? `Memory ${bytesText(newest.memoryBytes)}` : "Memory not measured yet"}
        />
      </div>
    </div>
  );
}

function hasProcess(state: TaskState): boolean {
  return state !== "stopped" && state !== "failed";
}

export function stateText(state: TaskState): string {
  return state === "unresponsive" ? "does not answer" : state;
}

function StateMark({ state }: { readonly state: TaskState }): ReactElement | null {
  if (state === "running") return null;
  const busy = state === "starting" || state === "stopping";
  const bad = state === "failed" || state === "unresponsive";
  return (
    <span className={bad ? "state bad" : "state"} role="status">
      {busy ? <span className="spinner" aria-hidden="true" /> : null}
      {bad ? <Icon name="error" size={13} /> : null}
      {stateText(state)}
      {busy ? "…" : ""}
    </span>
  );
}

function taskMenu(task: Task): MenuEntry[] {
  const { id: taskId, state, address } = task;
  const down = state === "stopped" || state === "failed";
  const act =
    (method: "cluster.startTask" | "cluster.stopTask" | "cluster.restartTask" | "cluster.removeTask") => () =>
      attempt(() => client().call(method, { taskId }));
  return [
    down
      ? { kind: "item", label: "Start", icon: "power", run: act("cluster.startTask") }
      : {
          kind: "item",
          label: "Stop",
          icon: "stop",
          disabled: state === "stopping",
          run: act("cluster.stopTask"),
        },
    { kind: "item", label: "Restart", icon: "refresh", disabled: down, run: act("cluster.restartTask") },
    { kind: "separator" },
    { kind: "item", label: "Show log", icon: "list", run: () => uiActions.showLog(taskId) },
    {
      kind: "item",
      label: "Copy address",
      icon: "copy",
      hint: address,
      disabled: address === "",
      run: () => attempt(() => copyText(address)),
    },
    {
      kind: "item",
      label: "Copy device",
      hint: taskDevice(task),
      run: () => attempt(() => copyText(taskDevice(task))),
    },
    { kind: "separator" },
    { kind: "item", label: "Remove", icon: "trash", danger: true, run: act("cluster.removeTask") },
  ];
}
