import { type ReactElement, useId, useRef } from "react";
import type { ClusterState, GpuChoice, Machine, Task } from "../../main/api/cluster.js";
import { engineSchema } from "../../main/api/cluster.js";
import type { RowProblem } from "../../worker-runtime/cluster/cluster-table.js";
import { type DraftRow, usableMachines } from "../cluster/table-draft.js";
import { taskColourVar } from "../theme/task-colour.js";
import { Button, IconButton } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import { useVirtualRows } from "../ui/use-virtual-rows.js";

interface TableViewProps {
  readonly rows: readonly DraftRow[];
  readonly problems: readonly RowProblem[];
  readonly state: ClusterState;
  onChange(rows: DraftRow[]): void;
}

/** Of a task without a problem; lines are measured. */
const ROW_HEIGHT = 37;

const ENGINES = { tensorflow: "TensorFlow", portable: "portable" } as const;

/** One line per task; a task's problem is shown in a line below it, with its fix. */
export function TableView({ rows, problems, state, onChange }: TableViewProps): ReactElement {
  const tasks = new Map(state.machines.flatMap((machine) => machine.tasks.map((task) => [task.id, task])));
  const jobs = [...new Set(["worker", "ps", ...rows.map(({ job }) => job)])];
  const jobList = useId();
  const frame = useRef<HTMLDivElement>(null);
  const drawn = useVirtualRows(frame, rows.length, ROW_HEIGHT);
  const change = (position: number, row: DraftRow) => onChange(rows.with(position, row));
  return (
    <div ref={frame} className="ct-scroll">
      <datalist id={jobList}>
        {jobs.map((job) => (
          <option key={job} value={job} />
        ))}
      </datalist>
      <table className="ct" aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            <th>
              <span className="hidden-text">Colour</span>
            </th>
            <th>Job</th>
            <th>Index</th>
            <th>Machine</th>
            <th>Address</th>
            <th>Engine</th>
            <th>GPU</th>
            <th>State</th>
            <th>
              <span className="hidden-text">Actions</span>
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
      {rows.length === 0 ? (
        <p className="empty">The cluster has no task. Add a row, or import a cluster.</p>
      ) : null}
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
    <tbody ref={measure} data-index={position} className={problem ? "bad" : undefined}>
      <tr aria-rowindex={position + 2}>
        <td>
          <span className="sw" style={{ background: taskColourVar(task) }} aria-hidden="true" />
        </td>
        <td>
          <input
            className="text-input"
            aria-label={`Job of ${name}`}
            list={jobList}
            value={row.job}
            spellCheck={false}
            onChange={(event) => onChange({ ...row, job: event.target.value.trim() })}
            {...faulty("job")}
          />
        </td>
        <td>
          <input
            className="text-input ct-index"
            aria-label={`Index of ${name}`}
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
          <select
            className="text-input"
            aria-label={`Machine of ${name}`}
            value={row.machineId}
            onChange={(event) => onChange({ ...row, machineId: event.target.value, gpu: "auto" })}
            {...faulty("machine")}
          >
            {machines.map(({ id, name: machine }) => (
              <option key={id} value={id}>
                {machine}
              </option>
            ))}
            <option value="">a server elsewhere</option>
          </select>
        </td>
        <td>
          <input
            className="text-input mono"
            aria-label={`Address of ${name}`}
            value={row.address}
            placeholder="chosen when it starts"
            spellCheck={false}
            onChange={(event) => onChange({ ...row, address: event.target.value.trim() })}
            {...faulty("address")}
          />
        </td>
        <td>
          {row.machineId === "" ? (
            <span className="fg2">its own</span>
          ) : (
            <select
              className="text-input"
              aria-label={`Engine of ${name}`}
              value={row.engine}
              onChange={(event) => onChange({ ...row, engine: engineSchema.parse(event.target.value) })}
            >
              {engineSchema.options.map((engine) => (
                <option key={engine} value={engine}>
                  {ENGINES[engine]}
                </option>
              ))}
            </select>
          )}
        </td>
        <td>
          <GpuCell row={row} machine={machines.find(({ id }) => id === row.machineId)} onChange={onChange} />
        </td>
        <td>
          <StateCell task={task} problem={problem} />
        </td>
        <td>
          <IconButton icon="trash" label={`Remove ${name}`} small onClick={onRemove} />
        </td>
      </tr>
      {problem ? (
        <tr className="ct-problem">
          <td colSpan={4} />
          <td colSpan={5}>
            <span id={messageId} role="alert">
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
  if (!machine || machine.gpus.length === 0) return <span className="fg2">no GPU</span>;
  const value = typeof row.gpu === "string" ? row.gpu : row.gpu.join(",");
  const several = typeof row.gpu !== "string" && row.gpu.length > 1;
  return (
    <select
      className="text-input"
      aria-label={`GPU of ${row.job}/${row.index}`}
      value={value}
      onChange={(event) => onChange({ ...row, gpu: gpuChoice(event.target.value) })}
    >
      <option value="auto">{row.job === "ps" ? "none (auto)" : "one (auto)"}</option>
      <option value="none">none</option>
      {machine.gpus.map(({ index, name }) => (
        <option key={index} value={String(index)}>
          {name}
          {machine.gpus.length > 1 ? ` (${index})` : ""}
        </option>
      ))}
      {several ? <option value={value}>{value}</option> : null}
    </select>
  );
}

function gpuChoice(value: string): GpuChoice {
  return value === "auto" || value === "none" ? value : value.split(",").map(Number);
}

function StateCell({
  task,
  problem,
}: {
  readonly task: Task | undefined;
  readonly problem: RowProblem | undefined;
}) {
  if (problem) {
    return (
      <span className="ct-bad">
        <Icon name="error" /> cannot start
      </span>
    );
  }
  if (!task) return <span className="fg2">new</span>;
  const kind = { running: "ok", failed: "err", unresponsive: "warn" }[task.state as string] ?? "off";
  return (
    <span className="ct-state">
      <span className={`dot ${kind}`} aria-hidden="true" /> {task.state}
    </span>
  );
}
