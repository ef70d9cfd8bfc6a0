/** The rows of the list of variables: a heading per task, and its variables under it. Pure. */
import type { VariableState } from "../../../main/api/variables.js";
import { taskNameOfDevice } from "../../cluster/task-name.js";
import type { Variable } from "../../document/variables.js";

export interface VariableGroup {
  readonly kind: "group";
  /** "worker/0"; undefined for variables whose task is not known. */
  readonly task: string | undefined;
  readonly count: number;
  /** Sizes of its variables, undefined where unknown. */
  readonly sizes: readonly (number | undefined)[];
  readonly open: boolean;
}

export interface VariableRow {
  readonly kind: "variable";
  readonly variable: Variable;
}

export interface RowsWanted {
  readonly variables: readonly Variable[];
  readonly states: ReadonlyMap<string, VariableState>;
  /** A part of a name, of a dtype or of a task's name. */
  readonly search: string;
  /** The tasks whose variables are hidden; "" for those without a task. */
  readonly closed: ReadonlySet<string>;
}

/** The task that holds a variable, as measured, else the one that it is pinned to. */
export function taskOfVariable({ device }: Variable, state: VariableState | undefined): string | undefined {
  return taskNameOfDevice(state?.device ?? device);
}

export function variableRows({
  variables,
  states,
  search,
  closed,
}: RowsWanted): (VariableGroup | VariableRow)[] {
  const text = search.trim().toLowerCase();
  const groups = new Map<string, Variable[]>();
  for (const variable of variables) {
    const task = taskOfVariable(variable, states.get(variable.name)) ?? "";
    if (!`${variable.name} ${variable.dtype ?? ""} ${task}`.toLowerCase().includes(text)) continue;
    const group = groups.get(task);
    if (group) group.push(variable);
    else groups.set(task, [variable]);
  }
  const tasks = [...groups].sort(([one], [other]) => taskOrder(one, other));
  return tasks.flatMap(([task, members]) => {
    const open = !closed.has(task);
    const group: VariableGroup = {
      kind: "group",
      task: task === "" ? undefined : task,
      count: members.length,
      sizes: members.map(({ byteLength }) => byteLength),
      open,
    };
    return [group, ...(open ? members.map((variable) => ({ kind: "variable", variable }) as const) : [])];
  });
}

/** Variables without a task come last; "worker/10" after "worker/2". */
function taskOrder(one: string, other: string): number {
  if (one === "" || other === "") return Number(one === "") - Number(other === "");
  return one.localeCompare(other, "en", { numeric: true });
}
