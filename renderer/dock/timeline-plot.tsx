import { memo, type ReactElement, useEffect, useRef, useState } from "react";
import type { NodeRun, Transfer } from "../../main/api/runs.js";
import { localDeviceText } from "../../worker-runtime/cluster/device-name.js";
import { taskName, taskNameOfDevice } from "../cluster/task-name.js";
import { useCluster } from "../stores/cluster-store.js";
import { texts } from "../texts/texts.js";
import { taskColourVar } from "../theme/task-colour.js";
import { classNames } from "../ui/class-names.js";
import { bytesText, durationText } from "../ui/format.js";
import { Swatch } from "../ui/swatch.js";
import tooltipStyles from "../ui/tooltip.module.css";
import { selectInGraph } from "../viewport/travel.js";
import { type Lane, type Timeline, tickMicros, tickText } from "./lanes.js";
import styles from "./timeline-plot.module.css";

const words = texts.dock.timelinePlot;

const AXIS_HEIGHT = 24;
const BAR_HEIGHT = 20;
const ROW_HEIGHT = 24;
/** Space above and below the bars of a lane for the arrows. */
const LANE_PADDING = 13;
const LEFT = 8;
const RIGHT = 16;
const TICK_DISTANCE = 80;
const LETTER_WIDTH = 6.4;

/** "worker/0 CPU:0" of a full device name. */
export function deviceText(device: string): string {
  const task = taskNameOfDevice(device);
  const part = localDeviceText(device);
  return [task ?? (part ? "" : device), part].filter(Boolean).join(" ");
}

interface Placed {
  readonly lane: Lane;
  readonly top: number;
  readonly height: number;
}

interface Hover {
  readonly lines: readonly string[];
  readonly x: number;
  readonly y: number;
}

/** A run in progress reports continuously; the bars are drawn again only for a new trace. */
export const TimelinePlot = memo(({ timeline }: { readonly timeline: Timeline }): ReactElement => {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [hover, setHover] = useState<Hover>();
  const placed = place(timeline.lanes);
  const height = AXIS_HEIGHT + placed.reduce((sum, lane) => sum + lane.height, 0);
  const scale = Math.max(1, width - LEFT - RIGHT) / timeline.endMicros;
  const x = (micros: number) => LEFT + micros * scale;
  const tick = tickMicros(timeline.endMicros, width / TICK_DISTANCE);
  const ticks = Array.from({ length: Math.floor(timeline.endMicros / tick) + 1 }, (_, index) => index * tick);
  return (
    <div className={styles.scroll} onPointerLeave={() => setHover(undefined)}>
      <div className={styles.gutter} style={{ height }}>
        {placed.map(({ lane, top, height: laneHeight }, index) => (
          <LaneHead key={lane.device} lane={lane} top={top} height={laneHeight} odd={index % 2 === 1} />
        ))}
      </div>
      <div className={styles.plot} ref={frame}>
        <svg width={width} height={height} role="img" aria-label={words.label}>
          {placed.map(({ lane, top, height: laneHeight }, index) => (
            <rect
              key={lane.device}
              x={0}
              y={top}
              width={width}
              height={laneHeight}
              fill={index % 2 === 1 ? "var(--bg-0)" : "none"}
            />
          ))}
          {ticks.map((micros) => (
            <g key={micros}>
              <path d={`M${x(micros)} 20V${height}`} stroke="var(--line)" />
              <text
                x={x(micros)}
                y={14}
                className={styles.axis}
                textAnchor={micros === 0 ? "start" : "middle"}
              >
                {tickText(micros, tick)}
              </text>
            </g>
          ))}
          {placed.map(({ lane, top }) => (
            <Bars key={lane.device} lane={lane} top={top} x={x} scale={scale} onHover={setHover} />
          ))}
          {timeline.transfers.map((transfer, index) => (
            <Arrow
              // biome-ignore lint/suspicious/noArrayIndexKey: a trace may name the same tensor twice at the same time
              key={`${transfer.tensor} ${transfer.startMicros} ${index}`}
              transfer={transfer}
              placed={placed}
              x={x}
              onHover={setHover}
            />
          ))}
        </svg>
        {hover ? (
          <div
            className={classNames(tooltipStyles.tooltip, styles.tip)}
            style={{ left: Math.min(hover.x + 12, Math.max(0, width - 260)), top: hover.y + 16 }}
          >
            {hover.lines.map((line, index) =>
              index === 0 ? <b key={line}>{line}</b> : <span key={line}>{line}</span>,
            )}
          </div>
        ) : null}
      </div>
    </div>
  );
});
TimelinePlot.displayName = "TimelinePlot";

function place(lanes: readonly Lane[]): Placed[] {
  let top = AXIS_HEIGHT;
  return lanes.map((lane) => {
    const height = lane.rows * ROW_HEIGHT + 2 * LANE_PADDING;
    const result = { lane, top, height };
    top += height;
    return result;
  });
}

function useWidth(frame: React.RefObject<HTMLDivElement | null>): number {
  const [width, setWidth] = useState(600);
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);
  return width;
}

function useTaskOf(device: string) {
  const name = taskNameOfDevice(device);
  return useCluster((state) => state.tasks.find((task) => taskName(task) === name));
}

function LaneHead(props: {
  readonly lane: Lane;
  readonly top: number;
  readonly height: number;
  readonly odd: boolean;
}): ReactElement {
  const { lane, top, height, odd } = props;
  const task = useTaskOf(lane.device);
  return (
    <div
      className={classNames(styles.laneHead, odd && styles.odd)}
      style={{ top, height }}
      title={lane.device}
    >
      <Swatch task={task} />
      <div>
        <b>{taskNameOfDevice(lane.device) ?? lane.device}</b>
        <span>{deviceText(lane.device).split(" ").slice(1).join(" ")}</span>
      </div>
    </div>
  );
}

interface BarsProps {
  readonly lane: Lane;
  readonly top: number;
  readonly scale: number;
  x(micros: number): number;
  onHover(hover: Hover): void;
}

function Bars({ lane, top, scale, x, onHover }: BarsProps): ReactElement {
  const task = useTaskOf(lane.device);
  return (
    <g style={{ "--c": taskColourVar(task) }}>
      {lane.bars.map((bar) => {
        const width = Math.max(2, bar.durationMicros * scale - 1);
        const y = top + LANE_PADDING + bar.row * ROW_HEIGHT + 2;
        const fits = bar.node.length * LETTER_WIDTH + 8 < width;
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: the table beside it does the same by keyboard
          <g
            key={`${bar.node} ${bar.startMicros}`}
            className={styles.bar}
            onClick={() => selectInGraph([bar.node])}
            onPointerMove={({ nativeEvent }) =>
              onHover({ lines: barLines(bar), x: nativeEvent.offsetX, y: nativeEvent.offsetY })
            }
          >
            <rect
              x={x(bar.startMicros)}
              y={y}
              width={width}
              height={BAR_HEIGHT}
              rx={Math.min(3, width / 2)}
            />
            {fits ? (
              <text x={x(bar.startMicros) + 5} y={y + 14}>
                {bar.node}
              </text>
            ) : null}
          </g>
        );
      })}
    </g>
  );
}

function barLines(bar: NodeRun): string[] {
  return [
    bar.node,
    words.ran({
      time: durationText(bar.durationMicros / 1000),
      start: durationText(bar.startMicros / 1000),
    }),
    deviceText(bar.device),
    ...(bar.outputBytes > 0 ? [words.output({ bytes: bytesText(bar.outputBytes) })] : []),
  ];
}

interface ArrowProps {
  readonly transfer: Transfer;
  readonly placed: readonly Placed[];
  x(micros: number): number;
  onHover(hover: Hover): void;
}

/** A transfer: from the sender's lane to the receiver's, through the room between lanes. */
function Arrow({ transfer, placed, x, onHover }: ArrowProps): ReactElement | null {
  const task = useTaskOf(transfer.fromDevice);
  const from = placed.find(({ lane }) => lane.device === transfer.fromDevice);
  const to = placed.find(({ lane }) => lane.device === transfer.toDevice);
  if (!from || !to || from === to) return null;
  const down = to.top > from.top;
  const startX = x(transfer.startMicros);
  const endX = x(transfer.startMicros + transfer.durationMicros);
  const startY = down ? from.top + from.height - LANE_PADDING : from.top + LANE_PADDING;
  const endY = down ? to.top + LANE_PADDING - 4 : to.top + to.height - LANE_PADDING + 4;
  const middle = down ? from.top + from.height : from.top;
  const head = down ? -6 : 6;
  const bytes = transfer.bytes === undefined ? words.bytesNotKnown : bytesText(transfer.bytes);
  const lines = [
    transfer.tensor === "" ? "RecvTensor" : transfer.tensor,
    transfer.timed
      ? words.sent({ bytes, time: durationText(transfer.durationMicros / 1000) })
      : words.sentUntimed({ bytes, time: durationText(transfer.durationMicros / 1000) }),
    words.fromTo({ from: deviceText(transfer.fromDevice), to: deviceText(transfer.toDevice) }),
  ];
  const path = `M${startX} ${startY}V${middle}H${endX}V${endY}`;
  return (
    <g
      className={classNames(styles.arrow, !transfer.timed && styles.untimed)}
      style={{ "--c": taskColourVar(task) }}
      onPointerMove={({ nativeEvent }) => onHover({ lines, x: nativeEvent.offsetX, y: nativeEvent.offsetY })}
    >
      <path d={path} className={styles.arrowReach} />
      <path d={path} className={styles.arrowLine} strokeLinejoin="round" />
      <path
        d={`M${endX - 3.5} ${endY + head}L${endX} ${endY}L${endX + 3.5} ${endY + head}Z`}
        className={styles.arrowHead}
      />
    </g>
  );
}
