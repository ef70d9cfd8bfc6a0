import type { ReactElement } from "react";
import type { Scheme } from "../../../worker-runtime/graph/training/trainable/plan.js";
import { taskColourVar } from "../../theme/task-colour.js";
import styles from "./scheme-cards.module.css";

/** A task as it is drawn. */
export interface DrawnTask {
  readonly name: string;
  readonly colour: number;
}

interface SchemeDiagramProps {
  readonly scheme: Scheme;
  /** At most three are drawn. */
  readonly workers: readonly DrawnTask[];
  /** Where the variables are, unless the workers hold them. */
  readonly server: DrawnTask | undefined;
}

const WIDTH = 150;
const SERVER = { x: WIDTH / 2, y: 12 };
const WORKER_Y = 58;

/** Who sends to whom; the card says the same in words. */
export function SchemeDiagram({ scheme, workers, server }: SchemeDiagramProps): ReactElement {
  const drawn = workers.slice(0, 3);
  const spots = drawn.map((_, at) => ({ x: (WIDTH * (at + 0.5)) / Math.max(drawn.length, 1), y: WORKER_Y }));
  return (
    <svg className={styles.diagram} viewBox={`0 0 ${WIDTH} 72`} aria-hidden="true">
      {scheme === "in-graph" ? (
        <rect className={styles.client} x="1" y="1" width="148" height="70" rx="6" />
      ) : null}
      {scheme === "sync" ? <path className={styles.barrier} d="M8 36h134" /> : null}
      {scheme === "ring"
        ? spots.map(({ x, y }, at) => {
            const to = spots[(at + 1) % spots.length] ?? { x, y };
            const bow = at === spots.length - 1 ? 32 : 50;
            return (
              <path
                key={drawn[at]?.name}
                className={styles.way}
                d={`M${x} ${y - 9}Q${(x + to.x) / 2} ${bow - 16} ${to.x} ${y - 9}`}
              />
            );
          })
        : null}
      {scheme === "single" || scheme === "ring"
        ? null
        : spots.map(({ x, y }, at) => (
            <path
              key={drawn[at]?.name}
              className={styles.way}
              d={scheme === "sync" ? `M${x} ${y - 9}V38` : `M${x} ${y - 9}L${SERVER.x} ${SERVER.y + 9}`}
            />
          ))}
      {scheme === "sync" ? <path className={styles.way} d={`M${SERVER.x} 34V${SERVER.y + 9}`} /> : null}
      {scheme === "single" || scheme === "ring" || !server ? null : <Box task={server} {...SERVER} />}
      {scheme === "single" ? (
        <Box task={drawn[0] ?? { name: "", colour: 0 }} x={WIDTH / 2} y={36} />
      ) : (
        spots.map((spot, at) => {
          const task = drawn[at];
          return task ? <Box key={task.name} task={task} {...spot} /> : null;
        })
      )}
    </svg>
  );
}

function Box({
  task,
  x,
  y,
}: {
  readonly task: DrawnTask;
  readonly x: number;
  readonly y: number;
}): ReactElement {
  return (
    <g style={{ "--c": taskColourVar(task) }}>
      <rect className={styles.box} x={x - 24} y={y - 9} width="48" height="18" rx="4" />
      <text className={styles.boxText} x={x} y={y + 3.5}>
        {task.name}
      </text>
    </g>
  );
}
