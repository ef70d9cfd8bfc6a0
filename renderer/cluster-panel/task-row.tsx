import type { ReactElement } from "react";
import type { Device, Machine, Task, TaskState } from "../../main/api/cluster.js";
import { taskDevice, taskName, taskNameOfDevice } from "../cluster/task-name.js";
import { taskCommands } from "../commands/task-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { ProblemView } from "../parts/problem-view.js";
import { useUnseenSince } from "../stores/app-store.js";
import { useDocument } from "../stores/document-store.js";
import { useDrag } from "../stores/drag-store.js";
import { taskSamples, useSamples } from "../stores/samples-store.js";
import { texts } from "../texts/texts.js";
import { taskColourVar } from "../theme/task-colour.js";
import { classNames } from "../ui/class-names.js";
import { bytesText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { IconButton } from "../ui/icon-button.js";
import { Menu } from "../ui/menu.js";
import { Spinner } from "../ui/spinner.js";
import { Swatch } from "../ui/swatch.js";
import { Tag } from "../ui/tag.js";
import textStyles from "../ui/text.module.css";
import { DismissableNotice } from "./dismissable-notice.js";
import { Meter, Meters } from "./machine-load.js";
import { NoticeFrame } from "./notice-frame.js";
import { taskMenu } from "./task-menu.js";
import styles from "./task-row.module.css";

const words = texts.clusterPanel.taskRow;

interface TaskRowProps {
  readonly task: Task;
  readonly machine: Machine;
  /** Nodes that are pinned to the task. */
  readonly nodes: number;
  readonly focusable: boolean;
  /** Shown below its name. */
  readonly note?: string | undefined;
  onFocus(): void;
}

/** One task: name, port, nodes, load, and its actions. Nodes can be dropped on it. */
export function TaskRow({ task, machine, nodes, focusable, note, onFocus }: TaskRowProps): ReactElement {
  const name = taskName(task);
  const drag = useDropState(task);
  const known = useUnseenSince() === undefined;
  const kind = task.pod !== undefined ? words.pod : task.foreign ? words.foreign : undefined;
  const port = task.address.split(":").at(-1);
  const gpuBytes = machine.gpus.reduce((most, gpu) => Math.max(most, gpu.memoryBytes), 0);
  // A process on a machine that only speaks TensorFlow's protocol is not measured.
  const measured = hasProcess(task.state) && !task.foreign && machine.presence !== "offline" && known;
  const load = measured ? <TaskLoad task={task} gpuBytes={gpuBytes} /> : null;
  const dropText = drag ? <DropText drag={drag} /> : null;
  return (
    <div
      className={classNames(
        styles.task,
        drag && DROPS[drag.kind],
        task.state === "stopped" && styles.stopped,
      )}
      style={{ "--c": taskColourVar(task) }}
      role="treeitem"
      aria-level={2}
      tabIndex={focusable ? 0 : -1}
      data-task-id={task.id}
      data-device={taskDevice(task)}
      onFocus={onFocus}
    >
      <span className={textStyles.spokenOnly}>
        {[
          ...[name, known ? stateText(task.state) : UNKNOWN, kind],
          ...[words.pinned({ count: nodes }), task.address, machine.name, ...task.devices.flatMap(gpuText)],
        ]
          .filter(Boolean)
          .join(", ")}
      </span>
      <div className={styles.row}>
        <Swatch task={task} />
        <b aria-hidden="true">{name}</b>
        {port ? (
          <span
            aria-hidden="true"
            className={classNames(textStyles.monospace, styles.port)}
            title={task.address}
          >
            :{port}
          </span>
        ) : null}
        {kind === undefined ? null : (
          <Tag aria-hidden="true" title={task.pod ?? words.foreignTitle}>
            {kind}
          </Tag>
        )}
        {task.devices.some(({ type }) => type === "GPU") ? (
          <Tag aria-hidden="true" title={task.devices.flatMap(gpuText).join("\n")}>
            {words.gpu}
          </Tag>
        ) : null}
        {task.engine === "portable" && machine.engines[0]?.engine === "tensorflow" ? (
          <Tag className={styles.engine} title={words.portableTitle}>
            {words.portable}
          </Tag>
        ) : null}
        <span className={textStyles.grow} />
        {load === null && dropText !== null ? (
          dropText
        ) : (
          <>
            {known ? <StateMark state={task.state} /> : <span className={styles.state}>{UNKNOWN}</span>}
            {drag || (known && task.state === "running") ? (
              <span
                aria-hidden="true"
                className={drag?.kind === "target" ? undefined : textStyles.muted}
                title={words.pinnedTitle}
              >
                {drag?.count ?? words.pinned({ count: nodes })}
              </span>
            ) : null}
          </>
        )}
        <Menu
          align="end"
          label={words.menu({ name })}
          trigger={
            <IconButton
              icon="more"
              label={words.menu({ name })}
              data-row-menu=""
              className={styles.menu}
              small
              tabIndex={-1}
            />
          }
          entries={() => taskMenu(task)}
        />
      </div>
      {load === null ? null : (
        <div className={styles.detail}>
          {load}
          {dropText}
        </div>
      )}
      {note === undefined ? null : <div className={textStyles.muted}>{note}</div>}
      {task.problem && !isSaidByMachine(task, machine) ? (
        <NoticeFrame at="task" kind="problem">
          <ProblemView problem={task.problem}>
            {kind === words.foreign ? null : <Recovery task={task} />}
          </ProblemView>
        </NoticeFrame>
      ) : task.notice ? (
        <DismissableNotice where={`${task.id} ${task.startedAt ?? 0}`} problem={task.notice} at="task" />
      ) : null}
    </div>
  );
}

/** A machine that does not answer says so once, above its tasks. */
function isSaidByMachine({ state, unreachable }: Task, { problem }: Machine): boolean {
  return unreachable === true && state === "unresponsive" && problem !== undefined;
}

/** The remedy for a task that failed or does not respond. */
function Recovery({ task }: { readonly task: Task }): ReactElement {
  return (
    <>
      <CommandButton
        command={hasProcess(task.state) || task.pod ? taskCommands.restart : taskCommands.start}
        target={task}
        size="small"
      />
      <CommandButton command={taskCommands.showLog} target={task} size="small" variant="ghost" />
    </>
  );
}

/**
 * The effect of a drop. It takes the place of the load, or of the state where no load is shown, so that no row moves away
 * from under the pointer.
 */
function DropText({ drag: { kind, text } }: { readonly drag: DropState }): ReactElement {
  return (
    <span className={styles.dropText} title={text}>
      {kind === "target" ? <Icon name="pin" size={14} /> : null}
      <span className={textStyles.truncated}>{text}</span>
    </span>
  );
}

const DROPS = {
  target: styles.target,
  possible: styles.possible,
  impossible: styles.impossible,
} as const;

interface DropState {
  /** target: under the pointer. possible: would accept the nodes. impossible: would change nothing. */
  readonly kind: keyof typeof DROPS;
  readonly count: string;
  readonly text: string;
}

/** The effect of dropping the dragged nodes on a task; undefined while nothing is dragged. */
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
  const count = words.pinned({ count: here });
  if (coming === 0) return { kind: "impossible", count, text: words.pinnedHere };
  const after = here + coming;
  if (over)
    return {
      kind: "target",
      count: words.pinnedAfterDrop({ here, after }),
      text: words.pin({ count: coming }),
    };
  return {
    kind: "possible",
    count,
    text:
      task.state === "running"
        ? words.dropPreview({ after })
        : words.dropPreviewInState({ after, state: stateText(task.state) }),
  };
}

/** "GPU:0 NVIDIA GeForce RTX 4090, 23 GB"; none of a CPU. */
function gpuText({ name, type, description, memoryLimitBytes }: Device): string[] {
  if (type !== "GPU") return [];
  const model = /\bname: ([^,]+)/.exec(description)?.[1] ?? description;
  const index = name.slice(name.lastIndexOf(":") + 1);
  return [words.gpuText({ index, model, memory: bytesText(memoryLimitBytes) })];
}

/** Present from the start of a task, so the rows below do not move when its first sample arrives. */
function TaskLoad({ task, gpuBytes }: { readonly task: Task; readonly gpuBytes: number }): ReactElement {
  const { id, startedAt = 0 } = task;
  const known = useSamples((store) => taskSamples(store, id));
  // Those of the process before say nothing of this one.
  const samples = known.filter(({ at }) => at >= startedAt);
  const newest = samples.at(-1);
  const memory = samples.map(({ memoryBytes }) => memoryBytes);
  const onGpu = samples.map(({ gpuMemoryBytes }) => gpuMemoryBytes ?? 0);
  return (
    <Meters aria-hidden="true">
      <Meter
        name={words.cpu}
        value={newest && `${Math.round(newest.cpuPercent)}%`}
        values={samples.map(({ cpuPercent }) => cpuPercent)}
        max={100}
        title={words.cpuTitle}
      />
      <Meter
        name={words.gpu}
        value={newest?.gpuMemoryBytes === undefined ? undefined : bytesText(newest.gpuMemoryBytes)}
        values={newest?.gpuMemoryBytes === undefined ? [] : onGpu}
        max={Math.max(gpuBytes, 1)}
        title={words.gpuTitle}
      />
      <Meter
        name={words.mem}
        value={newest && bytesText(newest.memoryBytes)}
        values={memory}
        max={1.5 * Math.max(1, ...memory)}
        title={words.memTitle}
      />
    </Meters>
  );
}

function hasProcess(state: TaskState): boolean {
  return state !== "stopped" && state !== "failed";
}

export function stateText(state: TaskState): string {
  return texts.cluster.taskStates[state];
}

/** Instead of its state while the window has no news of a task. */
const UNKNOWN = words.unknownState;

function StateMark({ state }: { readonly state: TaskState }): ReactElement | null {
  if (state === "running") return null;
  const busy = state === "starting" || state === "stopping";
  const bad = state === "failed" || state === "unresponsive";
  return (
    <span className={classNames(styles.state, bad && styles.failing)} role="status">
      {busy ? <Spinner /> : null}
      {bad ? <Icon name="error" size={13} /> : null}
      <span className={textStyles.truncated}>
        {busy ? words.underWay({ state: stateText(state) }) : stateText(state)}
      </span>
    </span>
  );
}
