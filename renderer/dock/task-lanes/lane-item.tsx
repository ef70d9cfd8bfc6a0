import { type KeyboardEvent, type ReactElement, useEffect, useRef } from "react";
import { draggedWith, dragsNodes } from "../../parts/pin-drag.js";
import { useBeforeEdit } from "../../stores/before-edit.js";
import { machineNameOfTask, useCluster } from "../../stores/cluster-store.js";
import { useDocument } from "../../stores/document-store.js";
import { useDrag } from "../../stores/drag-store.js";
import { useDocumentRun } from "../../stores/run-store.js";
import { texts } from "../../texts/texts.js";
import { taskColourVar } from "../../theme/task-colour.js";
import { classNames } from "../../ui/class-names.js";
import { Swatch } from "../../ui/swatch.js";
import textStyles from "../../ui/text.module.css";
import { microsText, nodeRunOf } from "../../viewport/node-text.js";
import { selectInGraph, showGraphItself } from "../../viewport/travel.js";
import type { PlacedItem } from "./lane-layout.js";
import { ITEM_HEIGHT, ITEM_WIDTH, placeInLane } from "./lane-places.js";
import styles from "./lanes-tab.module.css";
import type { Lane } from "./use-lanes.js";

const words = texts.dock.laneItem;

interface LaneHeadProps {
  readonly lane: Lane;
  /** All nodes in the lane. */
  readonly names: readonly string[];
}

/** The name of a lane. It selects what is in the lane, and drags it. */
export function LaneHead({ lane: { name, device, task }, names }: LaneHeadProps): ReactElement {
  const machine = useCluster((state) => (task ? machineNameOfTask(state, task.id) : undefined));
  const isOver = useDrag((state) => state.nodes.length > 0 && state.overDevice === device);
  const button = useRef<HTMLButtonElement>(null);
  const dragged = useRef(names);
  dragged.current = names;
  useEffect(() => {
    if (!button.current) return undefined;
    return dragsNodes(button.current, () => {
      showGraphItself();
      return dragged.current;
    });
  }, []);
  const note = device === "" ? words.notPinned : (machine ?? words.notInCluster);
  return (
    <button
      ref={button}
      type="button"
      className={classNames(styles.head, isOver && styles.over)}
      onClick={() => selectInGraph(names)}
    >
      <Swatch task={task} />
      <span className={textStyles.spokenOnly}>{words.selectNodesOf({ count: names.length })} </span>
      <span className={styles.headText}>
        <b className={textStyles.truncated}>{name}</b>
        <span className={classNames(textStyles.muted, textStyles.truncated)}>{note}</span>
      </span>
    </button>
  );
}

interface LaneItemProps {
  readonly item: PlacedItem;
  readonly lane: Lane;
  /** The one that Tab leads to. */
  readonly isCurrent: boolean;
  onFocus(): void;
  onKeyDown(event: KeyboardEvent): void;
}

export function LaneItemView({ item, lane, isCurrent, onFocus, onKeyDown }: LaneItemProps): ReactElement {
  const { id, label, names } = item;
  const isSelected = useDocument((state) => names.every((name) => state.selection.has(name)));
  const isDragged = useDrag((state) => names.some((name) => state.nodes.includes(name)));
  const op = useDocument((state) =>
    names.length === 1 ? state.document.nodes.get(names[0] ?? "")?.op : undefined,
  );
  const micros = useDocumentRun((state) => totalMicros(state.latest?.nodes, names));
  const isOld = useBeforeEdit();
  const element = useRef<HTMLButtonElement>(null);
  const dragged = useRef(names);
  dragged.current = names;
  useEffect(() => {
    if (!element.current) return undefined;
    return dragsNodes(element.current, () => {
      showGraphItself();
      return draggedWith(dragged.current);
    });
  }, []);
  const kind = names.length === 1 && op !== undefined ? op : words.nodes({ count: names.length });
  const time =
    micros === undefined
      ? ""
      : isOld
        ? words.timeBeforeEdit({ time: microsText(micros) })
        : microsText(micros);
  return (
    <li style={{ ...placeInLane(item), width: ITEM_WIDTH, height: ITEM_HEIGHT }}>
      <button
        ref={element}
        type="button"
        data-lane-item={id}
        className={classNames(
          styles.item,
          isSelected && styles.selected,
          isDragged && styles.dragged,
          lane.device === "" && styles.unpinned,
        )}
        style={{ "--c": taskColourVar(lane.task) }}
        tabIndex={isCurrent ? 0 : -1}
        aria-pressed={isSelected}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown P"
        title={[label, kind, time, words.hint].filter(Boolean).join("\n")}
        onFocus={onFocus}
        onKeyDown={onKeyDown}
        onClick={({ ctrlKey, metaKey, shiftKey }) =>
          selectInGraph(names, ctrlKey || metaKey || shiftKey ? "toggle" : "replace")
        }
      >
        <b className={textStyles.truncated}>{label}</b>
        <span className={classNames(textStyles.muted, textStyles.truncated)}>
          {item.isPart ? words.nodesOfIt({ count: names.length }) : kind}
          {time === "" ? "" : ` · ${microsText(micros ?? 0)}`}
        </span>
      </button>
    </li>
  );
}

function totalMicros(runs: Parameters<typeof nodeRunOf>[0], names: readonly string[]): number | undefined {
  if (!runs) return undefined;
  let total: number | undefined;
  for (const name of names) {
    const micros = nodeRunOf(runs, name)?.durationMicros;
    if (micros !== undefined) total = (total ?? 0) + micros;
  }
  return total;
}
