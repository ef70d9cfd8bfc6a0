import { type ReactElement, useEffect, useMemo, useRef, useState } from "react";
import type { ScriptJob } from "../../../main/api/scripts.js";
import { logIdOf, useScriptLogs } from "../../stores/script-store.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { classNames } from "../../ui/class-names.js";
import { CopyButton } from "../../ui/copy-button.js";
import { EmptyText } from "../../ui/empty-text.js";
import { clockText } from "../../ui/format.js";
import { Icon } from "../../ui/icon.js";
import { Segmented } from "../../ui/segmented.js";
import { Swatch } from "../../ui/swatch.js";
import textStyles from "../../ui/text.module.css";
import { SelectInput } from "../../ui/text-input.js";
import { useVirtualRows } from "../../ui/use-virtual-rows.js";
import { FindField } from "../find-field.js";
import { filteredLines, type LevelFilter, levelOptions } from "../log-filter.js";
import { ScrollRegion } from "../scroll-region.js";
import { TabBar } from "../tab-bar.js";
import { type LogRow, logRows, type TaskLine } from "./log-rows.js";
import styles from "./script-log.module.css";

const words = texts.dock.scriptLog;

/** The height of a row of one line. */
const ROW_HEIGHT = 22;

interface ScriptLogProps {
  readonly job: ScriptJob;
  /** The task whose lines alone are shown; undefined: all. */
  readonly task: string | undefined;
  onTask(task: string | undefined): void;
}

/** The output of all tasks in one list, whose end is in view as it grows. */
export function ScriptLog({ job, task, onTask }: ScriptLogProps): ReactElement {
  const names = useMemo(() => job.tasks.map(({ name }) => name), [job.tasks]);
  const logs = useScriptLogs((state) => state.lines);
  const [level, setLevel] = useState<LevelFilter>("all");
  const [search, setSearch] = useState("");
  const [follow, setFollow] = useState(true);
  const frame = useRef<HTMLElement>(null);
  const lastTop = useRef(0);
  const rows = useMemo(() => {
    const wanted = task === undefined ? ["", ...names] : [task];
    const lines = wanted.flatMap((name) =>
      (logs.get(logIdOf(job.id, name)) ?? []).map((line): TaskLine => ({ ...line, task: name })),
    );
    return logRows(lines, task === undefined ? names.length : 1);
  }, [logs, names, job.id, task]);
  const shown = useMemo(() => filteredLines(rows, level, search), [rows, level, search]);
  const view = useVirtualRows(frame, shown.length, ROW_HEIGHT);
  const total = shown.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines, and those whose height becomes known, move the end
  useEffect(() => {
    if (follow && frame.current) frame.current.scrollTop = frame.current.scrollHeight;
  }, [follow, total, view.height]);
  return (
    <section className={styles.log} aria-label={texts.dock.scriptsTab.log}>
      <TabBar className={styles.bar}>
        <FindField
          label={words.filter}
          placeholder={words.filter}
          className={styles.find}
          value={search}
          onChange={setSearch}
        />
        <Segmented
          label={words.level}
          options={levelOptions(rows, words)}
          selected={level}
          onSelect={(id) => setLevel(id)}
        />
        <SelectInput
          aria-label={words.task}
          className={styles.choice}
          value={task ?? ""}
          onChange={({ target }) => onTask(target.value || undefined)}
        >
          <option value="">{words.allTasks}</option>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectInput>
        <span className={classNames(textStyles.grow, textStyles.muted, textStyles.truncated)}>
          {words.lines({ count: total })}
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
        <CopyButton text={shown.map(rowText).join("\n")} />
      </TabBar>
      <ScrollRegion
        ref={frame}
        role="log"
        label={words.log}
        aria-live="off"
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          // Up from the end, by wheel, key or scroll bar: to read there in peace.
          const isEnd = scrollTop + clientHeight >= scrollHeight - ROW_HEIGHT;
          if (scrollTop < lastTop.current && !isEnd) setFollow(false);
          lastTop.current = scrollTop;
        }}
      >
        {total === 0 ? (
          <EmptyText>{rows.length > 0 ? words.nothingFound : words.nothingYet}</EmptyText>
        ) : (
          <div style={{ height: view.height, position: "relative" }}>
            {view.items.map(({ index, start }) => {
              const row = shown[index];
              return row ? (
                <Row
                  key={`${row.tasks.join()} ${row.sequence}`}
                  row={row}
                  index={index}
                  top={start}
                  names={names}
                  measure={view.measure}
                />
              ) : null;
            })}
          </div>
        )}
      </ScrollRegion>
    </section>
  );
}

/** Who wrote a row: "worker/0", "all 3". */
function writerText({ tasks: [first = "", ...others] }: LogRow): string {
  if (others.length > 0) return words.allOf({ count: others.length + 1 });
  return first === "" ? words.job : first;
}

function rowText(row: LogRow): string {
  return `${clockText(row.at)} ${writerText(row)} ${row.text}`;
}

interface RowProps {
  readonly row: LogRow;
  readonly index: number;
  readonly top: number;
  /** The names of all tasks: their order gives them their colours. */
  readonly names: readonly string[];
  /** The ref that makes its height known. */
  readonly measure: (element: Element | null) => void;
}

function Row({ row, index, top, names, measure }: RowProps): ReactElement {
  const { level } = row;
  return (
    <div
      ref={measure}
      data-index={index}
      className={classNames(
        styles.row,
        level === "warning" && styles.warning,
        level === "error" && styles.error,
      )}
      style={{ top, minHeight: ROW_HEIGHT }}
    >
      <span className={classNames(textStyles.monospace, textStyles.muted)}>{clockText(row.at)}</span>
      <span className={styles.writer}>
        {names.map((name, colour) =>
          row.tasks.includes(name) ? <Swatch key={name} small task={{ colour }} /> : null,
        )}
        {writerText(row)}
      </span>
      <span className={styles.text}>
        {level === "info" ? null : <Icon name={level} size={14} />}
        {row.text}
      </span>
    </div>
  );
}
