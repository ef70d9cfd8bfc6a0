/** Lanes by task: what runs where, in the order of execution; dragging something to another lane pins it there. */
import { type KeyboardEvent, type ReactElement, useEffect, useRef, useState } from "react";
import { graphCommands } from "../../commands/graph-commands.js";
import { nodesCommands } from "../../commands/node-commands.js";
import { placementCommands } from "../../commands/placement-commands.js";
import { scopesCommands } from "../../commands/scope-commands.js";
import { CommandButton } from "../../parts/command-button.js";
import { documentActions, useDocument } from "../../stores/document-store.js";
import { texts } from "../../texts/texts.js";
import { EmptyText } from "../../ui/empty-text.js";
import { bytesText } from "../../ui/format.js";
import textStyles from "../../ui/text.module.css";
import { ScrollRegion } from "../scroll-region.js";
import { TabBar } from "../tab-bar.js";
import { LaneEdges } from "./lane-edges.js";
import { LaneHead, LaneItemView } from "./lane-item.js";
import type { PlacedItem } from "./lane-layout.js";
import { frameOf, laneTops } from "./lane-places.js";
import styles from "./lanes-tab.module.css";
import { type Lanes, MOST_ITEMS, useLanes } from "./use-lanes.js";

const words = texts.dock.lanesTab;

export default function LanesTab(): ReactElement {
  const lanes = useLanes();
  const empty = useDocument((state) => state.document.nodes.size === 0);
  if (empty) return <EmptyText>{words.noNodes}</EmptyText>;
  const { bytes, tensors } = lanes.sent;
  return (
    <>
      <TabBar className={textStyles.muted}>
        <span>{words.explanation({ count: tensors, bytes: bytesText(bytes) })}</span>
        <span className={textStyles.grow} />
        <CommandButton command={placementCommands.suggest} size="small" icon />
      </TabBar>
      {lanes.count > MOST_ITEMS ? <TooMany count={lanes.count} /> : <LaneRows lanes={lanes} />}
    </>
  );
}

function TooMany({ count }: { readonly count: number }): ReactElement {
  return (
    <EmptyText>
      {words.tooMany({ count, most: MOST_ITEMS })}
      <div>
        <CommandButton command={scopesCommands.closeAll} text="label" />
        <CommandButton command={graphCommands.arrange} text="label" />
      </div>
    </EmptyText>
  );
}

function LaneRows({ lanes: { lanes, layout, edges } }: { readonly lanes: Lanes }): ReactElement {
  const { items, columns, rows } = layout;
  const [active, setActive] = useState<string>();
  const frame = useRef<HTMLDivElement>(null);
  const refocus = useRef(false);
  const tops = laneTops(rows);
  const activeIndex = Math.max(
    0,
    items.findIndex((item) => keyOf(item) === active),
  );
  // A moved item is another element; the focus follows it.
  useEffect(() => {
    if (!refocus.current) return;
    refocus.current = false;
    frame.current?.querySelector<HTMLElement>('[data-lane-item][tabindex="0"]')?.focus();
  });
  const go = (item: PlacedItem | undefined) => {
    if (!item) return;
    setActive(keyOf(item));
    refocus.current = true;
  };
  const onKeyDown = (event: KeyboardEvent, item: PlacedItem) => {
    const index = items.indexOf(item);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "ArrowRight" && items[index + 1]?.lane === item.lane) go(items[index + 1]);
    else if (event.key === "ArrowLeft" && items[index - 1]?.lane === item.lane) go(items[index - 1]);
    else if (step !== undefined && event.altKey) {
      const lane = lanes[item.lane + step];
      if (lane && documentActions.pinInGraph(item.names, lane.device)) {
        setActive(keyOf({ ...item, lane: item.lane + step }));
        refocus.current = true;
      }
    } else if (step !== undefined) go(nearest(items, item, step));
    else if (event.key === "p" && !event.ctrlKey && !event.metaKey) nodesCommands.pin.on(item.names).run();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const size = frameOf(columns, rows);
  return (
    <ScrollRegion label={words.label}>
      <div className={styles.lanes} ref={frame} style={{ width: size.width, height: size.height }}>
        <LaneEdges lanes={lanes} items={items} edges={edges} tops={tops} size={size} />
        {lanes.map((lane, index) => (
          <section
            key={lane.device}
            className={styles.lane}
            aria-label={lane.name}
            data-task-id={lane.task?.id ?? ""}
            data-device={lane.device}
            style={{ top: tops[index], height: (tops[index + 1] ?? size.height) - (tops[index] ?? 0) }}
          >
            <LaneHead
              lane={lane}
              names={items.filter((item) => item.lane === index).flatMap(({ names }) => names)}
            />
            <ul>
              {items.map((item, position) =>
                item.lane === index ? (
                  <LaneItemView
                    key={keyOf(item)}
                    item={item}
                    lane={lane}
                    isCurrent={position === activeIndex}
                    onFocus={() => setActive(keyOf(item))}
                    onKeyDown={(event) => onKeyDown(event, item)}
                  />
                ) : null,
              )}
            </ul>
          </section>
        ))}
      </div>
    </ScrollRegion>
  );
}

function keyOf({ id, lane }: PlacedItem): string {
  return `${lane} ${id}`;
}

/** The item of the next lane in a direction that has any, nearest by column. */
function nearest(items: readonly PlacedItem[], from: PlacedItem, step: number): PlacedItem | undefined {
  const inLane = items.filter(({ lane, column }) => lane === from.lane && column === from.column);
  const own = inLane[inLane.indexOf(from) + step];
  if (own) return own;
  const others = items.filter(({ lane }) => (lane - from.lane) * step > 0);
  const distance = ({ lane, column }: PlacedItem) =>
    Math.abs(lane - from.lane) * 1e6 + Math.abs(column - from.column);
  return others.toSorted((one, other) => distance(one) - distance(other))[0];
}
