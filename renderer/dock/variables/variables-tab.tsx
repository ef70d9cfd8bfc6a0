import { type ReactElement, useDeferredValue, useMemo, useRef, useState } from "react";
import { taskName } from "../../cluster/task-name.js";
import { menuEntry } from "../../commands/menu-entry.js";
import { variableCommands, variablesCommands } from "../../commands/variable-commands.js";
import { type Variable, variablesOf } from "../../document/variables.js";
import { CommandButton } from "../../parts/command-button.js";
import { ProblemView } from "../../parts/problem-view.js";
import { runMachinesOf, useCluster } from "../../stores/cluster-store.js";
import { useDocument } from "../../stores/document-store.js";
import { useVariables } from "../../stores/variable-store.js";
import { texts } from "../../texts/texts.js";
import { classNames } from "../../ui/class-names.js";
import { EmptyText } from "../../ui/empty-text.js";
import { bytesText, shapeText, stepText, timeText, totalBytesText } from "../../ui/format.js";
import { Icon } from "../../ui/icon.js";
import { PlainIconButton } from "../../ui/icon-button.js";
import { Menu } from "../../ui/menu.js";
import { Swatch } from "../../ui/swatch.js";
import textStyles from "../../ui/text.module.css";
import { useVirtualRows } from "../../ui/use-virtual-rows.js";
import tableStyles from "../data-table.module.css";
import { FindField } from "../find-field.js";
import { TabBar } from "../tab-bar.js";
import type { Column } from "../table-head.js";
import { DrawnTable } from "../virtual-table.js";
import { useVariableReading } from "./use-variable-reading.js";
import { type VariableGroup, variableRows } from "./variable-rows.js";
import { VariableValue } from "./variable-value.js";
import styles from "./variables-tab.module.css";

const words = texts.dock.variablesTab;

const COLUMNS: readonly Column[] = [
  { name: words.name },
  { name: words.type },
  { name: words.shape },
  { name: words.size, kind: "number" },
  { name: words.value },
  { name: words.actions, kind: "spoken" },
];
const ROW_HEIGHT = 28;

/** The variables that the tasks hold for the document, by task. */
export default function VariablesTab(): ReactElement {
  const variables = useDocument((state) => variablesOf(state.document.nodes));
  if (variables.length === 0) {
    return <EmptyText>{words.empty}</EmptyText>;
  }
  return <VariableTable variables={variables} />;
}

function VariableTable({ variables }: { readonly variables: readonly Variable[] }): ReactElement {
  const states = useVariables((state) => state.states);
  const problem = useVariables((state) => state.problem);
  const [search, setSearch] = useState("");
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const wanted = useDeferredValue(search);
  const rows = useMemo(
    () => variableRows({ variables, states, search: wanted, closed }),
    [variables, states, wanted, closed],
  );
  const frame = useRef<HTMLElement>(null);
  const drawn = useVirtualRows(frame, rows.length, ROW_HEIGHT);
  const names = drawn.items.flatMap(({ index }) => {
    const row = rows[index];
    return row?.kind === "variable" ? [row.variable.name] : [];
  });
  useVariableReading(names);
  const toggle = (task: string) =>
    setClosed((before) => {
      const after = new Set(before);
      if (!after.delete(task)) after.add(task);
      return after;
    });
  const found = rows.filter(({ kind }) => kind === "variable").length;
  return (
    <>
      <TabBar>
        <FindField
          label={words.find}
          placeholder={words.findPlaceholder}
          value={search}
          className={styles.search}
          onChange={setSearch}
        />
        <span className={textStyles.muted} role="status">
          {wanted === "" ? <ReadingText /> : words.found({ found, all: variables.length })}
        </span>
        <span className={textStyles.grow} />
        <CommandButton command={variablesCommands.refresh} size="small" variant="ghost" icon />
        <CommandButton command={variablesCommands.initialise} size="small" />
        <CommandButton command={variablesCommands.save} size="small" icon />
        <CommandButton command={variablesCommands.restore} size="small" />
      </TabBar>
      {problem ? <ProblemView problem={problem} kind="notice" inRow /> : null}
      <DrawnTable
        label={words.variables}
        className={styles.table}
        columns={COLUMNS}
        rows={rows}
        drawn={drawn}
        frame={frame}
        row={(row, position) =>
          row.kind === "group" ? (
            <tr key={`task ${row.task ?? ""}`} className={styles.group} {...position}>
              <GroupCells group={row} onToggle={() => toggle(row.task ?? "")} />
            </tr>
          ) : (
            <tr
              key={row.variable.name}
              {...position}
              onDoubleClick={() => variableCommands.open.on(row.variable.name).run()}
            >
              <VariableCells variable={row.variable} />
            </tr>
          )
        }
      />
    </>
  );
}

/** Says of which moment the values are. */
function ReadingText(): string {
  const reading = useVariables((state) => state.reading);
  const readAt = useVariables((state) => state.readAt);
  const step = useVariables((state) => state.step);
  const without = useVariables(
    (state) => [...state.states.values()].filter(({ initialized }) => !initialized).length,
  );
  if (readAt === undefined) return reading ? words.reading : "";
  const parts = [
    ...(step === undefined || step === 0 ? [] : [words.valuesAtStep({ step: stepText(step) })]),
    words.readAt({ time: timeText(readAt) }),
    ...(without === 0 ? [] : [words.withoutValue({ count: without })]),
  ];
  return parts.join(" · ");
}

function GroupCells({
  group: { task, count, sizes, open },
  onToggle,
}: {
  readonly group: VariableGroup;
  onToggle(): void;
}): ReactElement {
  const found = useCluster((state) => state.tasks.find((candidate) => taskName(candidate) === task));
  const machine = useCluster((state) =>
    found === undefined
      ? undefined
      : runMachinesOf(state).find(({ tasks }) => tasks.some(({ id }) => id === found.id))?.name,
  );
  const where = machine === undefined ? "" : `${machine}, `;
  return (
    <>
      <td colSpan={3}>
        <button type="button" className={styles.head} aria-expanded={open} onClick={onToggle}>
          <Icon name={open ? "chevron-down" : "chevron-right"} size={12} />
          {found ? <Swatch task={found} small /> : <Icon name="unknown" size={12} />}
          <b>{task ?? words.taskNotKnownYet}</b>
          <span className={textStyles.muted}>
            {where}
            {words.count({ count })}
          </span>
        </button>
      </td>
      <td className={tableStyles.number}>{totalBytesText(sizes)}</td>
      <td colSpan={2} />
    </>
  );
}

function VariableCells({ variable }: { readonly variable: Variable }): ReactElement {
  const { name, dtype, shape, byteLength } = variable;
  const actual = useVariables((state) => state.figures.get(name));
  const bytes = actual?.byteLength ?? byteLength;
  const sizes = actual?.shape ?? shape;
  return (
    <>
      <td className={styles.name}>
        <b>{name}</b>
      </td>
      <td className={textStyles.monospace}>{dtype}</td>
      <td className={textStyles.monospace}>{sizes === undefined ? "?" : shapeText(sizes)}</td>
      <td className={tableStyles.number}>{bytes === undefined ? "–" : bytesText(bytes)}</td>
      <td className={classNames(textStyles.monospace, tableStyles.value, styles.value)}>
        <VariableValue name={name} />
      </td>
      <td className={tableStyles.number}>
        <span className={styles.actions}>
          <CommandButton
            command={variableCommands.open}
            target={name}
            size="small"
            variant="ghost"
            icon
            spoken="named"
          />
          <Menu
            label={name}
            align="end"
            trigger={<PlainIconButton icon="more" label={words.more({ name })} small />}
            entries={() => {
              const { assign, initialise, save, restore } = variableCommands;
              return [assign, initialise, save, restore].map((command) =>
                menuEntry(command.on(name), "short"),
              );
            }}
          />
        </span>
      </td>
    </>
  );
}
