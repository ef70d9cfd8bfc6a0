/** Pictures that follow the pointer: dragged nodes outside the canvas, and an op that is about to land. */
import type { CSSProperties, ReactElement } from "react";
import { createPortal } from "react-dom";
import { taskName } from "../cluster/task-name.js";
import { deviceText } from "../document/edits/place.js";
import { NODE_MIN_HEIGHT, nodeWidth } from "../document/node-size.js";
import { overCanvas } from "../parts/pin-drag.js";
import { useCluster } from "../stores/cluster-store.js";
import { useGraph } from "../stores/document-store.js";
import { useDrag } from "../stores/drag-store.js";
import { texts } from "../texts/texts.js";
import { taskColourVar } from "../theme/task-colour.js";
import { classNames } from "../ui/class-names.js";
import { useCanvas } from "../viewport/view-store.js";
import styles from "./drag-ghosts.module.css";
import nodeStyles from "./graph-node.module.css";

const words = texts.canvas.dragGhosts;

export function DragGhosts(): ReactElement | null {
  const nodes = useDrag((state) => state.nodes);
  const op = useDrag((state) => state.op);
  if (op !== undefined) return createPortal(<OpGhost op={op} />, document.body);
  return nodes.length > 0 ? createPortal(<NodesGhost names={nodes} />, document.body) : null;
}

function NodesGhost({ names }: { names: readonly string[] }): ReactElement | null {
  const pointer = useDrag((state) => state.pointer);
  const overDevice = useDrag((state) => state.overDevice);
  const first = useGraph((state) => state.document.nodes.get(names[0] ?? ""));
  const task = useCluster((state) =>
    overDevice === undefined ? undefined : state.taskForDevice(overDevice),
  );
  if (!pointer || !first || overCanvas({ clientX: pointer.x, clientY: pointer.y })) return null;
  const was = first.device === "" ? words.notPinned : words.was({ device: deviceText(first.device) });
  const style = {
    // Below the row under the pointer, which shows what a drop would do.
    left: pointer.x + 12,
    top: pointer.y + 32,
    "--c": taskColourVar(task),
  } as CSSProperties;
  return (
    <div className={styles.nodes} style={style} aria-hidden="true">
      {names.length > 1 ? <i className={styles.second} /> : null}
      {names.length > 2 ? <i className={styles.third} /> : null}
      <div className={classNames(nodeStyles.node, styles.node)}>
        <div className={nodeStyles.head}>
          <b>{first.name}</b>
          <span>{names.length > 1 ? `+${names.length - 1}` : first.op}</span>
        </div>
        <div className={classNames(nodeStyles.placeRow, styles.placeRow)}>
          <span className={nodeStyles.place}>
            <i className={nodeStyles.taskMark} />
            <span>{task ? taskName(task) : words.drop}</span>
          </span>
          <span className={nodeStyles.measured}>{was}</span>
        </div>
        <div className={nodeStyles.valueRow}>
          <span>{words.nodes({ count: names.length })}</span>
        </div>
      </div>
    </div>
  );
}

function OpGhost({ op }: { op: string }): ReactElement | null {
  const pointer = useDrag((state) => state.pointer);
  const flow = useCanvas((state) => state.flow);
  if (!pointer) return null;
  const lands = overCanvas({ clientX: pointer.x, clientY: pointer.y });
  const zoom = lands ? (flow?.getZoom() ?? 1) : 1;
  const style: CSSProperties = {
    left: pointer.x,
    top: pointer.y,
    width: nodeWidth(op, op),
    height: NODE_MIN_HEIGHT,
    transform: `scale(${zoom})`,
    transformOrigin: "top left",
  };
  return (
    <div className={classNames(styles.op, lands && styles.landing)} style={style} aria-hidden="true">
      {lands ? words.opLands({ op }) : op}
    </div>
  );
}
