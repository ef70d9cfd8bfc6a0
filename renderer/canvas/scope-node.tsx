/** A closed scope as a box, and the frame of an open one. */
import { type NodeProps, type ReactFlowState, useStore } from "@xyflow/react";
import { type CSSProperties, memo, type ReactElement } from "react";
import { openScopeCommands } from "../commands/scope-commands.js";
import type { Scope } from "../document/scope-tree.js";
import { CommandIconButton } from "../parts/command-button.js";
import { texts } from "../texts/texts.js";
import { BreakableName } from "../ui/breakable-name.js";
import { classNames } from "../ui/class-names.js";
import { compactText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { longestPart } from "../ui/name-parts.js";
import textStyles from "../ui/text.module.css";
import { useColourOf } from "../viewport/colouring.js";
import { microsText } from "../viewport/node-text.js";
import { boxSize, repeatText } from "../viewport/shown-graph.js";
import type { ScopeFlowNode } from "./flow-nodes.js";
import { FAR_ZOOM } from "./picture.js";
import styles from "./scope-node.module.css";
import { type ScopeStatus, type TaskShare, useScopeStatus } from "./scope-status.js";

const words = texts.canvas.scopeNode;

const isFar = (state: ReactFlowState) => state.transform[2] < FAR_ZOOM;

/** As React Flow finds them; see `FarPorts`. */
const PORTS = [
  { id: "i0", type: "target" },
  { id: "control-in", type: "target" },
  { id: "o0", type: "source" },
  { id: "control-out", type: "source" },
] as const;

export const ScopeNode = memo(function ScopeNode({ data, selected }: NodeProps<ScopeFlowNode>): ReactElement {
  const Shape = data.kind === "box" ? ScopeBox : ScopeFrame;
  return <Shape scope={data.scope} selected={selected} />;
});

interface ShapeProps {
  readonly scope: Scope;
  readonly selected: boolean;
}

function ScopeBox({ scope, selected }: ShapeProps): ReactElement {
  const status = useScopeStatus(scope);
  const far = useStore(isFar);
  const repeat = repeatText(scope);
  const [main] = status.tasks;
  const scaled = useColourOf(status.names);
  return (
    <div
      className={classNames(
        styles.box,
        repeat !== "" && styles.stack,
        status.moving > 0 && styles.moving,
        selected && styles.selected,
        status.problems > 0 ? styles.failing : status.warnings > 0 && styles.warned,
        scaled !== undefined && styles.scaled,
      )}
      data-scope="box"
      style={
        {
          "--c": main?.colour,
          "--scale": scaled,
          "--longest": longestPart(scope.label),
          "--lines": boxSize(scope).lines,
        } as CSSProperties
      }
      title={words.title({ path: scope.path, facts: tooltip(status) })}
    >
      <div className={styles.head} data-node-head="">
        <b>
          <BreakableName name={scope.label} />
        </b>
        {repeat === "" ? null : <span className={styles.repeat}>{repeat}</span>}
      </div>
      {far ? null : (
        <>
          <div className={styles.row}>
            {status.problems > 0 ? (
              <span className={styles.problem}>
                <Icon name="close" size={12} />
                {words.problems({ count: status.problems })}
              </span>
            ) : (
              <span className={textStyles.truncated}>{words.nodes({ count: status.nodes })}</span>
            )}
            {status.micros === undefined ? null : <span>{microsText(status.micros)}</span>}
          </div>
          <div className={classNames(styles.row, styles.muted)}>
            <span className={textStyles.truncated}>
              {status.moving > 0
                ? words.moving({ count: status.moving })
                : status.parameters > 0
                  ? words.params({ count: compactText(status.parameters) })
                  : taskNames(status.tasks)}
            </span>
          </div>
        </>
      )}
      <TaskStrip tasks={status.tasks} />
      {PORTS.map(({ id, type }) => (
        <i
          key={id}
          className={classNames(type, styles.port, type === "source" && styles.output)}
          data-handleid={id}
          data-handlepos={type === "source" ? "right" : "left"}
        />
      ))}
    </div>
  );
}

function ScopeFrame({ scope, selected }: ShapeProps): ReactElement {
  const status = useScopeStatus(scope);
  const parts = [
    words.nodes({ count: status.nodes }),
    status.parameters > 0 ? words.params({ count: compactText(status.parameters) }) : "",
    status.micros === undefined ? "" : microsText(status.micros),
    taskNames(status.tasks),
  ];
  return (
    <div className={classNames(styles.frame, selected && styles.selected)} data-scope="frame">
      <div className={styles.title} data-node-head="" title={scope.path}>
        <CommandIconButton command={openScopeCommands.close} small target={[scope]} />
        <b>{scope.label}</b>
        <span>{parts.filter(Boolean).join(" · ")}</span>
      </div>
    </div>
  );
}

/** The tasks inside as a strip, each as wide as its share of the nodes. */
function TaskStrip({ tasks }: { readonly tasks: readonly TaskShare[] }): ReactElement {
  return (
    <div className={styles.strip}>
      {tasks.map(({ name, colour, share }) => (
        <i key={name} style={{ background: colour, flexGrow: share }} />
      ))}
    </div>
  );
}

function taskNames(tasks: readonly TaskShare[]): string {
  return tasks.map(({ name, share }) => (tasks.length > 1 ? `${name} ${percent(share)}` : name)).join(", ");
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function tooltip({ nodes, parameters, tasks, problems, warnings }: ScopeStatus): string {
  return [
    words.nodes({ count: nodes }),
    parameters > 0 ? words.parameters({ count: parameters }) : "",
    taskNames(tasks),
    problems > 0 ? words.cannotRun({ count: problems }) : "",
    warnings > 0 ? words.withoutKernel({ count: warnings }) : "",
  ]
    .filter(Boolean)
    .join(", ");
}
