/** One row of the graph as a list: a scope, a node, an input or a reader of a node, a frame or a note. */
import type { ReactElement, ReactNode } from "react";
import type { OutlineRow } from "../document/outline.js";
import { shapeText } from "../document/shapes.js";
import { tensorName } from "../document/tensor-names.js";
import type { Hierarchy } from "../document/visible-graph.js";
import { useGraph } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { Icon } from "../ui/icon.js";
import textStyles from "../ui/text.module.css";
import { opTitle } from "../viewport/node-text.js";
import styles from "./list-view.module.css";
import { useNodeStatus } from "./node-status.js";
import { useScopeStatus } from "./scope-status.js";

const words = texts.canvas.outlineRow;

/** Width of a level, in CSS pixels; deeper levels than these are not indented further. */
const INDENT = 14;
const MAX_INDENTS = 8;

export function rowElementId(id: string): string {
  return `graph-row-${id}`;
}

interface RowViewProps {
  readonly row: OutlineRow;
  readonly top: number;
  readonly height: number;
  readonly active: boolean;
  readonly selection: ReadonlySet<string>;
  /** The source of the row. */
  readonly hierarchy: Hierarchy | undefined;
  onExpand(): void;
  /** @param adding to what is selected */
  onChoose(adding: boolean): void;
  onEnter(): void;
  /** Before its context menu opens. */
  onMenu(): void;
}

export function OutlineRowView(props: RowViewProps): ReactElement {
  const { row } = props;
  switch (row.kind) {
    case "node":
      return <NodeRow {...props} row={row} />;
    case "scope":
      return <ScopeRow {...props} row={row} />;
    case "annotation":
      return <AnnotationRow {...props} row={row} />;
    default:
      return <EndRow {...props} row={row} />;
  }
}

type Of<Kind extends OutlineRow["kind"]> = Omit<RowViewProps, "row"> & {
  readonly row: Extract<OutlineRow, { readonly kind: Kind }>;
};

function NodeRow(props: Of<"node">): ReactElement {
  const { node, parent } = props.row;
  const status = useNodeStatus(node);
  const below = parent === undefined ? 0 : scopeLength(parent, node.name);
  const inputs = node.input.filter((input) => input !== "");
  const spoken = [
    node.name,
    opTitle(node),
    status.chip,
    status.device,
    status.problem ?? status.warning ?? status.value,
    status.time,
    inputs.length > 0 ? words.inputs({ inputs: inputs.join(", ") }) : words.noInputs,
  ];
  return (
    <Frame {...props} spoken={spoken} selected={props.selection.has(node.name)} menu>
      <Name text={node.name.slice(below)} title={node.name} />
      <span className={classNames(textStyles.truncated, textStyles.muted)}>{opTitle(node)}</span>
      <span className={textStyles.truncated}>{status.chip}</span>
      <span
        className={classNames(
          textStyles.truncated,
          status.problem ? textStyles.error : status.warning && textStyles.warning,
        )}
      >
        {status.problem ?? status.warning ?? status.value}
      </span>
      <span className={styles.time}>{status.time}</span>
    </Frame>
  );
}

/** A name, whose last part distinguishes it from its neighbours and is truncated last. */
function Name({ text, title }: { readonly text: string; readonly title?: string }): ReactElement {
  const split = text.lastIndexOf("/") + 1;
  return (
    <span className={styles.name} title={title}>
      <span>{text.slice(0, split)}</span>
      <b>{text.slice(split)}</b>
    </span>
  );
}

/** How much of a node's name is that of the scope that its row stands in. */
function scopeLength(parent: string, name: string): number {
  const path = `${parent.slice(parent.indexOf(":") + 1)}/`;
  return parent.includes(":") && name.startsWith(path) ? path.length : 0;
}

function ScopeRow(props: Of<"scope">): ReactElement {
  const { scope } = props.row;
  const { nodes, names, tasks, problems, warnings } = useScopeStatus(scope, props.hierarchy);
  const count = words.nodes({ count: nodes });
  const places = tasks.map(({ name }) => name).join(", ");
  const state =
    problems > 0
      ? words.cannotRun({ count: problems })
      : warnings > 0
        ? words.warnings({ count: warnings })
        : "";
  const selected = names.size > 0 && [...names].every((name) => props.selection.has(name));
  return (
    <Frame {...props} spoken={[scope.path, "scope", count, places, state]} selected={selected} menu>
      <span className={styles.name} title={scope.path}>
        <b>{scope.label}</b>
      </span>
      <span className={classNames(textStyles.truncated, textStyles.muted)}>{count}</span>
      <span className={textStyles.truncated}>{places}</span>
      <span
        className={classNames(textStyles.truncated, problems > 0 ? textStyles.error : textStyles.warning)}
      >
        {state}
      </span>
      <span />
    </Frame>
  );
}

function EndRow(props: Of<"input" | "reader">): ReactElement {
  const { row } = props;
  const { other, output } = row;
  const shape = useGraph((state) => {
    const source = row.kind === "input" ? other : (row.parent ?? "");
    const shapes = output < 0 ? undefined : state.shapes.outputs.get(source);
    return shapes ? shapeText(shapes[output]) : "";
  });
  const isThere = useGraph((state) => state.document.nodes.has(other));
  const what =
    row.kind === "input"
      ? output < 0
        ? words.runsAfter
        : words.inputNumber({ number: row.number })
      : output < 0
        ? words.runsBefore
        : words.output({ output });
  const end = row.kind === "input" && output >= 0 ? tensorName(other, output) : other;
  const missing = isThere ? "" : words.notInGraph;
  return (
    <Frame {...props} spoken={[`${what} ${end}`, shape, missing]} selected={false}>
      <span className={styles.end} title={end}>
        <span className={textStyles.muted}>{what}</span>
        <Name text={end} />
      </span>
      <span className={textStyles.monospace}>{shape}</span>
      <span className={classNames(textStyles.truncated, textStyles.error)}>{missing}</span>
      <span />
    </Frame>
  );
}

function AnnotationRow(props: Of<"annotation">): ReactElement {
  const { kind, text } = props.row.annotation;
  const [line = ""] = text.split("\n");
  const shown = line.trim() === "" ? words.withoutText : line;
  return (
    <Frame {...props} spoken={[kind, text.trim() === "" ? words.withoutText : text]} selected={false}>
      <span className={styles.name} title={text}>
        <b>{shown}</b>
      </span>
      <span className={textStyles.muted}>{kind}</span>
      <span />
      <span />
      <span />
    </Frame>
  );
}

interface FrameProps extends RowViewProps {
  readonly spoken: readonly (string | undefined)[];
  readonly selected: boolean;
  /** The row stands for nodes, which have a context menu. */
  readonly menu?: boolean;
  readonly children: ReactNode;
}

function Frame(props: FrameProps): ReactElement {
  const { row, top, height, active, selected, spoken, menu, children } = props;
  const { id, level, position, siblings, expanded } = row;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the focus and its keys choose
    <div
      id={rowElementId(id)}
      data-menu-selection={menu ? "" : undefined}
      role="treeitem"
      tabIndex={-1}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={expanded}
      aria-selected={selected}
      className={classNames(styles.row, active && styles.active, selected && styles.selected)}
      style={{ top, height, paddingLeft: 4 + INDENT * Math.min(level - 1, MAX_INDENTS) }}
      onClick={(event) => props.onChoose(event.ctrlKey || event.metaKey || event.shiftKey)}
      onDoubleClick={props.onEnter}
      onContextMenu={props.onMenu}
    >
      <span className={textStyles.spokenOnly}>{spoken.filter(Boolean).join(", ")}</span>
      {/* The keys do the same; the row itself says whether it is expanded. */}
      <span
        className={styles.expander}
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation();
          props.onExpand();
        }}
      >
        {expanded === undefined ? null : (
          <Icon name={expanded ? "chevron-down" : "chevron-right"} size={12} />
        )}
      </span>
      <div className={styles.cells} aria-hidden="true">
        {children}
      </div>
    </div>
  );
}
