import type { ReactElement } from "react";
import type { Machine } from "../../main/api/cluster.js";
import type { ScriptStrategy, ScriptTask } from "../../main/api/scripts.js";
import { takesTasks, whyNoTasks } from "../cluster/machines.js";
import { texts } from "../texts/texts.js";
import { Swatch } from "../ui/swatch.js";
import textStyles from "../ui/text.module.css";
import { SelectInput } from "../ui/text-input.js";
import styles from "./script-dialog.module.css";
import { type RoleRow, roleName, roleRows, withRole } from "./script-plan.js";
import { ScriptRow } from "./script-row.js";

const words = texts.scripts.rolesTable;

/** A value that is no machine's ID. */
const NONE = "";
const AUTOMATIC = "auto";

interface RolesTableProps {
  readonly tasks: readonly ScriptTask[];
  readonly strategy: ScriptStrategy | undefined;
  readonly machines: readonly Machine[];
  onChange(tasks: readonly ScriptTask[]): void;
}

/** Which task runs on which machine and device. A task without a machine is none. */
export function RolesTable({ tasks, strategy, machines, onChange }: RolesTableProps): ReactElement {
  return (
    <ScriptRow label={words.label}>
      <table className={styles.roles}>
        <thead>
          <tr>
            <th scope="col">{words.task}</th>
            <th scope="col">{words.machine}</th>
            <th scope="col">{words.device}</th>
          </tr>
        </thead>
        <tbody>
          {roleRows(tasks, strategy).map((row) => (
            <Role
              key={roleName(row)}
              row={row}
              colour={row.task ? tasks.indexOf(row.task) : undefined}
              machines={machines}
              onChange={(change) => onChange(withRole(tasks, row, change))}
            />
          ))}
        </tbody>
      </table>
    </ScriptRow>
  );
}

interface RoleProps {
  readonly row: RoleRow;
  /** The colour of its swatch; undefined for a task that is not there. */
  readonly colour: number | undefined;
  readonly machines: readonly Machine[];
  onChange(change: Pick<ScriptTask, "machineId" | "device"> | undefined): void;
}

function Role({ row, colour, machines, onChange }: RoleProps): ReactElement {
  const { task, isUnused } = row;
  const name = roleName(row);
  const machine = machines.find(({ id }) => id === task?.machineId);
  return (
    <tr>
      <th scope="row">
        <span className={styles.role}>
          <Swatch task={colour === undefined ? undefined : { colour }} />
          {name}
        </span>
      </th>
      <td>
        <SelectInput
          aria-label={words.machineOf({ task: name })}
          value={task?.machineId ?? NONE}
          onChange={({ target: { value } }) => onChange(value === NONE ? undefined : { machineId: value })}
        >
          <option value={NONE}>{words.none}</option>
          {machines.map((choice) => {
            const reason = whyNoTasks(choice);
            return (
              <option key={choice.id} value={choice.id} disabled={!takesTasks(choice)}>
                {reason === undefined ? choice.name : words.unusable({ name: choice.name, reason })}
              </option>
            );
          })}
        </SelectInput>
      </td>
      <td>
        {task && machine ? (
          <SelectInput
            aria-label={words.deviceOf({ task: name })}
            value={String(task.device ?? AUTOMATIC)}
            onChange={({ target: { value } }) =>
              onChange({ machineId: machine.id, ...(value === AUTOMATIC ? {} : { device: deviceOf(value) }) })
            }
          >
            <option value={AUTOMATIC}>{words.automatic}</option>
            <option value="cpu">{words.cpu({ count: machine.cores })}</option>
            {machine.gpus.map((gpu) => (
              <option key={gpu.index} value={gpu.index}>
                {words.gpu({ index: String(gpu.index), name: gpu.name })}
              </option>
            ))}
          </SelectInput>
        ) : (
          <span className={textStyles.muted}>{isUnused ? words.unused : words.add}</span>
        )}
      </td>
    </tr>
  );
}

function deviceOf(value: string): "cpu" | number {
  return value === "cpu" ? "cpu" : Number(value);
}
