import type { ReactElement } from "react";
import type { Machine, Task, TaskState } from "../../main/api/cluster.js";
import { taskDevice, taskName, taskNameOfDevice } from "../cluster/task-name.js";
import { taskCommands } from "../commands/task-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { ProblemView } from "../parts/problem-view.js";
import { useDocument } from "../stores/document-store.js";
import { useDrag } from "../stores/drag-store.js";
import { taskSamples, useSamples } from "../stores/samples-store.js";
import { taskColourVar } from "../theme/task-colour.js";
import { IconButton } from "../ui/button.js";
import { bytesText, countText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { Menu } from "../ui/menu.js";
import { Swatch } from "../ui/swatch.js";
import { DismissableNotice } from "./dismissable-notice.js";
import { Meter } from "./machine-load.js";
import { taskMenu } from "./task-menu.js";

interface TaskRowProps {
  readonly task: Task;
  readonly machine: Machine;
  /** Nodes that are pinned to the task. */
  readonly nodes: number;
  readonly focusable: boolean;
  onFocus(): void;
}

/** One task: name, port, nodes, load, and what can be done with it. Nodes can be dropped on it. */
export function TaskRow({ task, machine, nodes, focusable, onFocus }: TaskRowProps): ReactElement {
  const name = taskName(task);
  const drag = useDropState(task);
  const port = task.address.split(":").at(-1);
  const gpuBytes = machine.gpus.reduce((most, gpu) => Math.max(most, gpu.memoryBytes), 0);
  // Nothing is measured of a process on a machine that only answers TensorFlow's protocol.
  const measured = hasProcess(task.state) && !task.foreign && machine.presence !== "offline";
  const load = measured && !drag ? <TaskLoad task={task} gpuBytes={gpuBytes} /> : null;
  const classes = ["task"];
  if (drag) classes.push(drag.kind);
  if (task.state === "stopped") classes.push("off");
  return (
    <div
      className={classes.join(" ")}
      style={{ "--c": taskColourVar(task) }}
      role="treeitem"
      aria-level={2}
      tabIndex={focusable ? 0 : -1}
      data-task-id={task.id}
      data-device={taskDevice(task)}
      onFocus={onFocus}
    >
      <span className="hidden-text">
        {[
          ...[name, stateText(task.state), task.foreign ? "foreign" : ""],
          ...[countText(nodes, "node"), task.address, machine.name],
        ]
          .filter(Boolean)
          .join(", ")}
      </span>
      <div className="tr">
        <Swatch task={task} />
        <b aria-hidden="true">{name}</b>
        {port ? (
          <span aria-hidden="true" className="fg2 mono" title={task.address}>
            :{port}
          </span>
        ) : null}
        {task.foreign ? (
          <span aria-hidden="true" className="tag" title="A TensorFlow server that somebody else started">
            foreign
          </span>
        ) : null}
        {task.engine === "portable" && machine.engines[0]?.engine === "tensorflow" ? (
          <span className="tag" title="Runs on the portable engine">
            portable
          </span>
        ) : null}
        <span className="grow" />
        <StateMark state={task.state} />
        {drag || task.state === "running" ? (
          <span aria-hidden="true" className={drag?.kind === "target" ? "" : "fg2"}>
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
          entries={() => taskMenu(task)}
        />
      </div>
      {drag ? (
        <div className="why">
          {drag.kind === "target" ? <Icon name="pin" size={14} /> : null}
          {drag.text}
        </div>
      ) : null}
      {load}
      {task.problem ? (
        <div className="task-problem">
          <ProblemView problem={task.problem}>{task.foreign ? null : <Recovery task={task} />}</ProblemView>
        </div>
      ) : task.notice ? (
        <DismissableNotice
          where={`${task.id} ${task.startedAt ?? 0}`}
          problem={task.notice}
          className="task-problem"
        />
      ) : null}
    </div>
  );
}

/** What helps a task that failed or does not answer. */
function Recovery({ task }: { readonly task: Task }): ReactElement {
  return (
    <>
      <CommandButton
        command={hasProcess(task.state) ? taskCommands.restart : taskCommands.start}
        target={task}
        size="small"
      />
      <CommandButton command={taskCommands.showLog} target={task} size="small" variant="ghost" />
    </>
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
  const isHere = (device: string) => taskNameOfDevice(device) === taskName(task);
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
function TaskLoad({ task, gpuBytes }: { readonly task: Task; readonly gpuBytes: number }): ReactElement {
  const { id, startedAt = 0 } = task;
  const known = useSamples((store) => taskSamples(store, id));
  // Those of the process before say nothing of this one.
  const samples = known.filter(({ at }) => at >= startedAt);
  const newest = samples.at(-1);
  const memory = samples.map(({ memoryBytes }) => memoryBytes);
  const onGpu = samples.map(({ gpuMemoryBytes }) => gpuMemoryBytes ?? 0);
  return (
    <div className="ms" aria-hidden="true">
      <Meter
        name="CPU"
        value={newest && `${Math.round(newest.cpuPercent)}%`}
        values={samples.map(({ cpuPercent }) => cpuPercent)}
        max={100}
        title="Share of one core, the last minute"
      />
      <Meter
        name="GPU"
        value={newest?.gpuMemoryBytes === undefined ? undefined : bytesText(newest.gpuMemoryBytes)}
        values={newest?.gpuMemoryBytes === undefined ? [] : onGpu}
        max={Math.max(gpuBytes, 1)}
        title="GPU memory that the task holds, the last minute"
      />
      <Meter
        name="Mem"
        value={newest && bytesText(newest.memoryBytes)}
        values={memory}
        max={1.5 * Math.max(1, ...memory)}
        title="Memory of the task's process, the last minute"
      />
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
      <span className="ell">
        {stateText(state)}
        {busy ? "…" : ""}
      </span>
    </span>
  );
}
