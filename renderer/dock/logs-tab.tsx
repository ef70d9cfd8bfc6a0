import { type ReactElement, useEffect, useMemo, useRef, useState } from "react";
import type { LogLine, Task } from "../../main/api/cluster.js";
import { taskName } from "../cluster/task-name.js";
import { useCluster } from "../stores/cluster-store.js";
import { useLogs } from "../stores/logs-store.js";
import { uiActions, useUi } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { taskColourVar } from "../theme/task-colour.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { CopyButton } from "../ui/copy-button.js";
import { EmptyText } from "../ui/empty-text.js";
import { clockText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { Menu } from "../ui/menu.js";
import { Segmented } from "../ui/segmented.js";
import { Swatch } from "../ui/swatch.js";
import textStyles from "../ui/text.module.css";
import { useVirtualRows } from "../ui/use-virtual-rows.js";
import { FindField } from "./find-field.js";
import { filteredLines, type LevelFilter, levelOptions } from "./log-filter.js";
import styles from "./logs-tab.module.css";
import { ScrollRegion } from "./scroll-region.js";
import { TabBar } from "./tab-bar.js";
import { TaskChip } from "./task-chip.js";

const words = texts.dock.logsTab;

const ROW_HEIGHT = 23;

interface Line extends LogLine {
  readonly task: Task;
}

/** The output of all tasks in the order of time. */
export default function LogsTab(): ReactElement {
  const tasks = useCluster((state) => state.tasks);
  const lines = useLogs((state) => state.lines);
  const shownTask = useUi((state) => state.logTask);
  const [level, setLevel] = useState<LevelFilter>("all");
  const [search, setSearch] = useState("");
  const [follow, setFollow] = useState(true);
  const frame = useRef<HTMLElement>(null);

  const ofTasks = useMemo(() => {
    const chosen = tasks.filter((task) => shownTask === undefined || task.id === shownTask);
    const all: Line[] = chosen.flatMap((task) =>
      (lines.get(task.id) ?? []).map((line) => ({ ...line, task })),
    );
    return all.sort((one, other) => one.at - other.at || one.sequence - other.sequence);
  }, [tasks, lines, shownTask]);
  const shown = useMemo(() => filteredLines(ofTasks, level, search), [ofTasks, level, search]);
  const view = useVirtualRows(frame, shown.length, ROW_HEIGHT);
  const total = shown.length;

  useEffect(() => {
    if (follow && frame.current && total > 0) frame.current.scrollTop = frame.current.scrollHeight;
  }, [follow, total]);

  const task = tasks.find(({ id }) => id === shownTask);
  return (
    <>
      <TabBar>
        <FindField label={words.search} placeholder={words.search} value={search} onChange={setSearch} />
        <Segmented
          label={words.level}
          options={levelOptions(ofTasks, words)}
          selected={level}
          onSelect={(id) => setLevel(id)}
        />
        <Menu
          label={words.task}
          trigger={
            <Button size="small">
              {task
                ? taskName(task)
                : tasks.length === 1
                  ? words.oneTask
                  : words.allOfTasks({ count: tasks.length })}
              <Icon name="chevron-down" />
            </Button>
          }
          entries={[
            {
              kind: "item",
              label: words.allTasks,
              checked: shownTask === undefined,
              run: () => uiActions.showLog(),
            },
            ...tasks.map((choice) => ({
              kind: "item" as const,
              label: taskName(choice),
              swatch: <Swatch task={choice} />,
              run: () => uiActions.showLog(choice.id),
            })),
          ]}
        />
        <span className={textStyles.grow} />
        <span className={textStyles.muted}>
          {shown.length === ofTasks.length
            ? words.lines({ count: shown.length })
            : words.found({ shown: shown.length, all: ofTasks.length })}
        </span>
        <Button
          size="small"
          variant={follow ? "standard" : "ghost"}
          icon="follow"
          aria-pressed={follow}
          onClick={() => setFollow(!follow)}
        >
          {words.follow}
        </Button>
        <CopyButton text={shown.map(lineText).join("\n")} />
      </TabBar>
      <ScrollRegion
        ref={frame}
        role="log"
        label={words.log}
        aria-live="off"
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          // Away from the end, by wheel, key or scroll bar: to read there in peace.
          if (scrollTop + clientHeight < scrollHeight - ROW_HEIGHT) setFollow(false);
        }}
      >
        {shown.length === 0 ? (
          <EmptyText>
            {ofTasks.length > 0 ? words.nothingFound : tasks.length === 0 ? words.noTasks : words.nothingYet}
          </EmptyText>
        ) : (
          <div style={{ height: view.height, position: "relative" }}>
            {view.items.map(({ index, start }) => {
              const line = shown[index];
              return line ? (
                <LogRow
                  key={`${line.task.id} ${line.sequence}`}
                  line={line}
                  top={start}
                  search={search.trim()}
                />
              ) : null;
            })}
          </div>
        )}
      </ScrollRegion>
    </>
  );
}

function lineText(line: Line): string {
  return `${clockText(line.at)} ${taskName(line.task)} ${line.level} ${line.text}`;
}

const LEVEL_ICONS = { info: "info", warning: "warning", error: "error" } as const;

function LogRow({
  line,
  top,
  search,
}: {
  readonly line: Line;
  readonly top: number;
  readonly search: string;
}): ReactElement {
  return (
    <div
      className={classNames(
        styles.line,
        line.level === "warning" && styles.warning,
        line.level === "error" && styles.error,
      )}
      style={{ top, height: ROW_HEIGHT, "--c": taskColourVar(line.task) }}
    >
      <span className={classNames(textStyles.monospace, textStyles.muted)}>{clockText(line.at)}</span>
      <TaskChip className={styles.task}>
        <Swatch task={line.task} />
        {taskName(line.task)}
      </TaskChip>
      <span className={styles.level}>
        <Icon name={LEVEL_ICONS[line.level]} size={14} />
        {line.level}
      </span>
      <span className={classNames(styles.message, textStyles.truncated)} title={line.text}>
        <Marked text={line.text} search={search} />
      </span>
    </div>
  );
}

function Marked({ text, search }: { readonly text: string; readonly search: string }): ReactElement {
  const at = search === "" ? -1 : text.toLowerCase().indexOf(search.toLowerCase());
  if (at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <b>{text.slice(at, at + search.length)}</b>
      {text.slice(at + search.length)}
    </>
  );
}
