import { type ReactElement, useId, useRef } from "react";
import type { ClusterState, GpuChoice, Machine, Task } from "../../main/api/cluster.js";
import { engineSchema } from "../../main/api/cluster.js";
import type { RowProblem } from "../../worker-runtime/cluster/cluster-table.js";
import { type DraftRow, usableMachines } from "../cluster/table-draft.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { EmptyText } from "../ui/empty-text.js";
import { Icon } from "../ui/icon.js";
import { IconButton } from "../ui/icon-button.js";
import { StatusDot, type StatusDotKind } from "../ui/status-dot.js";
import { Swatch } from "../ui/swatch.js";
import textStyles from "../ui/text.module.css";
import { SelectInput, TextInput } from "../ui/text-input.js";
import { useVirtualRows } from "../ui/use-virtual-rows.js";
import styles from "./table-view.module.css";

const words = texts.clusterTable.tableView;

interface TableViewProps {
  readonly rows: readonly DraftRow[];
  readonly problems: readonly RowProblem[];
  readonly state: ClusterState;
  onChange(rows: DraftRow[]): void;
}

/** The height of a task without a problem; lines are measured. */
const ROW_HEIGHT = 37;

/** One line per task; a task's problem is shown in a line below it, with its fix. */
export function TableView({ rows, problems, state, onChange }: TableViewProps): ReactElement {
  const tasks = new Map(state.machines.flatMap((machine) => machine.tasks.map((task) => [task.id, task])));
  const jobs = [...new Set(["worker", "ps", ...rows.map(({ job }) => job)])];
  const jobList = useId();
  const frame = useRef<HTMLDivElement>(null);
  const drawn = useVirtualRows(frame, rows.length, ROW_HEIGHT);
  const change = (position: number, row: DraftRow) => onChange(rows.with(position, row));
  return (
    <div ref={frame} className={styles.scroll}>
      <datalist id={jobList}>
        {jobs.map((job) => (
          <option key={job} value={job} />
        ))}
      </datalist>
      <table className={styles.table} aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            <th>
              <span className={textStyles.spokenOnly}>{words.colour}</span>
            </th>
            <th>{words.job}</th>
            <th>{words.index}</th>
            <th>{words.machine}</th>
            <th>{words.address}</th>
            <th>{words.engine}</th>
            <th>{words.gpu}</th>
            <th>{words.state}</th>
            <th>
              <span className={textStyles.spokenOnly}>{words.actions}</span>
            </th>
          </tr>
        </thead>
        <Gap height={drawn.before} />
        {drawn.items.map(({ index: position }) => {
          const row = rows[position];
          return row ? (
            <TableLine
              key={row.key}
              measure={drawn.measure}
              position={position}
              row={row}
              task={tasks.get(row.taskId ?? "")}
              problem={problems.find((problem) => problem.row === position)}
              machines={usableMachines(state)}
              jobList={jobList}
              onChange={(changed) => change(position, changed)}
              onRemove={() => onChange(rows.toSpliced(position, 1))}
            />
          ) : null;
        })}
        <Gap height={drawn.after} />
      </table>
      {rows.length === 0 ? <EmptyText>{words.noTask}</EmptyText> : null}
    </div>
  );
}

/** The rows before or after those in view. */
function Gap({ height }: { readonly height: number }): ReactElement | null {
  if (height <= 0) return null;
  return (
    <tbody aria-hidden="true">
      <tr>
        <td colSpan={9} style={{ height, padding: 0 }} />
      </tr>
    </tbody>
  );
}

interface LineProps {
  readonly position: number;
  readonly measure: (element: Element | null) => void;
  readonly row: DraftRow;
  readonly task: Task | undefined;
  readonly problem: RowProblem | undefined;
  readonly machines: readonly Machine[];
  readonly jobList: string;
  onChange(row: DraftRow): void;
  onRemove(): void;
}

function TableLine(props: LineProps): ReactElement {
  const { position, measure, row, task, problem, machines, jobList, onChange, onRemove } = props;
  const name = `${row.job}/${row.index}`;
  const messageId = useId();
  const faulty = (field: RowProblem["field"]) =>
    problem?.field === field ? { "aria-invalid": true, "aria-describedby": messageId } : {};
  return (
    <tbody ref={measure} data-index={position} className={problem ? styles.invalidRow : undefined}>
      <tr aria-rowindex={position + 2}>
        <td>
          <Swatch task={task} />
        </td>
        <td>
          <TextInput
            className={styles.cell}
            aria-label={words.jobOf({ name })}
            list={jobList}
            value={row.job}
            spellCheck={false}
            onChange={(event) => onChange({ ...row, job: event.target.value.trim() })}
            {...faulty("job")}
          />
        </td>
        <td>
          <TextInput
            className={classNames(styles.cell, styles.index)}
            aria-label={words.indexOf({ name })}
            type="number"
            min={0}
            max={9999}
            value={row.index}
            onChange={(event) =>
              onChange({ ...row, index: Math.max(0, Math.trunc(event.target.valueAsNumber) || 0) })
            }
            {...faulty("index")}
          />
        </td>
        <td>
          <SelectInput
            className={styles.cell}
            aria-label={words.machineOf({ name })}
            value={row.machineId}
            onChange={(event) => onChange({ ...row, machineId: event.target.value, gpu: "auto" })}
            {...faulty("machine")}
          >
            {machines.map(({ id, name: machine }) => (
              <option key={id} value={id}>
                {machine}
              </option>
            ))}
            <option value="">{words.serverElsewhere}</option>
          </SelectInput>
        </td>
        <td>
          <TextInput
            monospace
            className={styles.address}
            aria-label={words.addressOf({ name })}
            value={row.address}
            placeholder={words.chosenWhenItStarts}
            spellCheck={false}
            onChange={(event) => onChange({ ...row, address: event.target.value.trim() })}
            {...faulty("address")}
          />
        </td>
        <td>
          {row.machineId === "" ? (
            <span className={textStyles.muted}>{words.ownAddress}</span>
          ) : (
            <SelectInput
              className={styles.cell}
              aria-label={words.engineOf({ name })}
              value={row.engine}
              onChange={(event) => onChange({ ...row, engine: engineSchema.parse(event.target.value) })}
            >
              {engineSchema.options.map((engine) => (
                <option key={engine} value={engine}>
                  {words.engines[engine]}
                </option>
              ))}
            </SelectInput>
          )}
        </td>
        <td>
          <GpuCell row={row} machine={machines.find(({ id }) => id === row.machineId)} onChange={onChange} />
        </td>
        <td>
          <StateCell task={task} problem={problem} />
        </td>
        <td>
          <IconButton icon="trash" label={words.remove({ name })} small onClick={onRemove} />
        </td>
      </tr>
      {problem ? (
        <tr>
          <td colSpan={4} className={styles.problemCell} />
          <td colSpan={5} className={styles.problemCell}>
            <span className={styles.problem} id={messageId} role="alert">
              <Icon name="warning" /> {problem.message}
            </span>
            {problem.fix ? <FixButton problem={problem} row={row} onChange={onChange} /> : null}
          </td>
        </tr>
      ) : null}
    </tbody>
  );
}

function FixButton({
  problem,
  row,
  onChange,
}: {
  problem: RowProblem;
  row: DraftRow;
  onChange(row: DraftRow): void;
}) {
  const { fix } = problem;
  if (!fix) return null;
  const { job, index, address } = fix.row;
  return (
    <Button size="small" onClick={() => onChange({ ...row, job, index, address })}>
      {fix.label}
    </Button>
  );
}

interface GpuCellProps {
  readonly row: DraftRow;
  readonly machine: Machine | undefined;
  onChange(row: DraftRow): void;
}

function GpuCell({ row, machine, onChange }: GpuCellProps): ReactElement {
  if (!machine || machine.gpus.length === 0) return <span className={textStyles.muted}>{words.noGpu}</span>;
  const value = typeof row.gpu === "string" ? row.gpu : row.gpu.join(",");
  const several = typeof row.gpu !== "string" && row.gpu.length > 1;
  return (
    <SelectInput
      className={styles.cell}
      aria-label={words.gpuOf({ name: `${row.job}/${row.index}` })}
      value={value}
      onChange={(event) => onChange({ ...row, gpu: gpuChoice(event.target.value) })}
    >
      <option value="auto">{row.job === "ps" ? words.noneAuto : words.oneAuto}</option>
      <option value="none">{words.none}</option>
      {/* The portable engine chooses the best GPU automatically. */}
      {(row.engine === "portable" && typeof row.gpu === "string" ? [] : machine.gpus).map(
        ({ index, name }) => (
          <option key={index} value={String(index)}>
            {name}
            {machine.gpus.length > 1 ? ` (${index})` : ""}
          </option>
        ),
      )}
      {several ? <option value={value}>{value}</option> : null}
    </SelectInput>
  );
}

function gpuChoice(value: string): GpuChoice {
  return value === "auto" || value === "none" ? value : value.split(",").map(Number);
}

const DOTS: Partial<Record<Task["state"], StatusDotKind>> = {
  running: "ok",
  failed: "error",
  unresponsive: "warning",
};

function StateCell({
  task,
  problem,
}: {
  readonly task: Task | undefined;
  readonly problem: RowProblem | undefined;
}) {
  if (problem) {
    return (
      <span className={classNames(styles.state, styles.cannotStart)}>
        <Icon name="error" /> {words.cannotStart}
      </span>
    );
  }
  if (!task) return <span className={textStyles.muted}>{words.new}</span>;
  const kind = DOTS[task.state] ?? "off";
  return (
    <span className={styles.state}>
      <StatusDot kind={kind} /> {texts.cluster.taskStates[task.state]}
    </span>
  );
}
