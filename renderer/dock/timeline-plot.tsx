import {
  memo,
  type PointerEvent,
  type ReactElement,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { NodeRun, Transfer } from "../../main/api/runs.js";
import { localDeviceText } from "../../worker-runtime/cluster/device-name.js";
import { taskName, taskNameOfDevice } from "../cluster/task-name.js";
import { useCluster } from "../stores/cluster-store.js";
import { shownTheme, useSettings } from "../stores/settings-store.js";
import { texts } from "../texts/texts.js";
import { taskColourVar } from "../theme/task-colour.js";
import { classNames } from "../ui/class-names.js";
import { coloursOf } from "../ui/css-colours.js";
import { bytesText, durationText } from "../ui/format.js";
import { Swatch } from "../ui/swatch.js";
import tooltipStyles from "../ui/tooltip.module.css";
import { selectInGraph } from "../viewport/travel.js";
import type { Lane } from "./lanes.js";
import { type Drawing, drawTimeline } from "./timeline-drawing.js";
import {
  type ArrowMark,
  type BarMark,
  markAt,
  marksOf,
  microsAt,
  microsPerPixel,
  type Scene,
} from "./timeline-marks.js";
import styles from "./timeline-plot.module.css";
import { moved, type TimeView, zoomed } from "./timeline-window.js";

const words = texts.dock.timelinePlot;

/** No canvas is higher: a cluster of many tasks would need one larger than browsers have. */
const STRIP_HEIGHT = 1024;
/** How much a pixel of the wheel zooms, as the exponent of 2. */
const ZOOM_PER_PIXEL = 0.003;
/** A wheel that counts lines or pages. */
const PIXELS_PER_UNIT = [1, 20, 400] as const;
/** So far the pointer moves within a click. */
const CLICK_PIXELS = 4;

/** "worker/0 CPU:0" of a full device name. */
export function deviceText(device: string): string {
  const task = taskNameOfDevice(device);
  const part = localDeviceText(device);
  return [task ?? (part ? "" : device), part].filter(Boolean).join(" ");
}

interface TimelinePlotProps {
  /** The scene of the timeline; see `slicedScene`. */
  readonly scene: Scene;
  readonly view: TimeView;
}

/**
 * Nodes and transfers over the time of a step. The wheel zooms at the pointer, dragging moves. A run in progress reports
 * continuously; the canvas is drawn again only for a new trace.
 */
export const TimelinePlot = memo(({ scene, view }: TimelinePlotProps): ReactElement => {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [hover, setHover] = useState<{ readonly x: number; readonly y: number }>();
  const { from, to } = view.shown;
  const drawing = useMemo((): Drawing => {
    const shown = { from, to };
    return { scene, shown, width, marks: marksOf(scene, shown, width) };
  }, [scene, from, to, width]);
  const drag = useRef<{ readonly x: number; readonly shown: { from: number; to: number }; isClick: boolean }>(
    undefined,
  );
  useWheel(frame, (x, pixels) =>
    view.show((shown) => zoomed(shown, microsAt(x, shown, width), 2 ** (-pixels * ZOOM_PER_PIXEL))),
  );
  const placeOf = (event: PointerEvent<HTMLElement>) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const under = hover && markAt(drawing.marks, hover.x, hover.y);
  const strips = Array.from({ length: Math.ceil(scene.height / STRIP_HEIGHT) }, (_, index) => index);
  return (
    <div className={styles.scroll} onPointerLeave={() => setHover(undefined)}>
      <div className={styles.gutter} style={{ height: scene.height }}>
        {scene.lanes.map(({ lane, top, height }, index) => (
          <LaneHead key={lane.device} lane={lane} top={top} height={height} odd={index % 2 === 1} />
        ))}
      </div>
      <div
        className={classNames(styles.plot, under && "bar" in under && styles.onBar)}
        ref={frame}
        role="img"
        aria-label={words.label}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          drag.current = { x: event.clientX, shown: view.shown, isClick: true };
        }}
        onPointerMove={(event) => {
          const { current } = drag;
          if (current && Math.abs(event.clientX - current.x) > CLICK_PIXELS) current.isClick = false;
          if (current?.isClick === false) {
            const micros = (current.x - event.clientX) * microsPerPixel(current.shown, width);
            view.show(() => moved(current.shown, micros));
            setHover(undefined);
          } else setHover(placeOf(event));
        }}
        onPointerUp={(event) => {
          const { x, y } = placeOf(event);
          const mark = drag.current?.isClick ? markAt(drawing.marks, x, y) : undefined;
          drag.current = undefined;
          if (mark && "bar" in mark) selectInGraph([mark.bar.node]);
        }}
        onPointerCancel={() => {
          drag.current = undefined;
        }}
      >
        {strips.map((index) => (
          <Strip
            key={index}
            drawing={drawing}
            top={index * STRIP_HEIGHT}
            height={Math.min(STRIP_HEIGHT, scene.height - index * STRIP_HEIGHT)}
          />
        ))}
        {hover && under ? <Tip mark={under} at={hover} width={width} /> : null}
      </div>
    </div>
  );
});
TimelinePlot.displayName = "TimelinePlot";

interface StripProps {
  readonly drawing: Drawing;
  readonly top: number;
  readonly height: number;
}

/** A part of the plot, drawn while it is in view. */
function Strip({ drawing, top, height }: StripProps): ReactElement {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isSeen, setSeen] = useState(false);
  const tasks = useCluster((state) => state.identities);
  const theme = useSettings(shownTheme);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const observer = new IntersectionObserver((entries) => setSeen(entries.at(-1)?.isIntersecting ?? false));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours follow the theme and the tasks
  const paint = useMemo(() => {
    const known = new Map<string, string>();
    const taskColour = (device: string): string => {
      const before = known.get(device);
      if (before !== undefined) return before;
      const name = taskNameOfDevice(device);
      const colour = taskColourVar(tasks.find((task) => taskName(task) === name));
      known.set(device, colour);
      return colour;
    };
    const { body } = document;
    return { css: coloursOf(body), taskColour, fonts: getComputedStyle(body).fontFamily };
  }, [tasks, theme]);
  useLayoutEffect(() => {
    const element = canvas.current;
    const context = isSeen ? element?.getContext("2d") : undefined;
    if (!element || !context) return;
    const scale = element.width / drawing.width;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    drawTimeline(context, drawing, { top, height }, paint);
  }, [isSeen, drawing, top, height, paint]);
  const { width } = drawing;
  const ratio = window.devicePixelRatio;
  return (
    <canvas
      ref={canvas}
      width={isSeen ? Math.round(width * ratio) : 1}
      height={isSeen ? Math.round(height * ratio) : 1}
      style={{ width, height }}
    />
  );
}

interface TipProps {
  readonly mark: BarMark | ArrowMark;
  readonly at: { readonly x: number; readonly y: number };
  readonly width: number;
}

function Tip({ mark, at, width }: TipProps): ReactElement {
  const lines = [
    ...("bar" in mark ? barLines(mark.bar) : transferLines(mark.transfer)),
    ...(mark.count > 1 ? [words.others({ count: mark.count - 1 })] : []),
  ];
  return (
    <div
      className={classNames(tooltipStyles.tooltip, styles.tip)}
      style={{ left: Math.min(at.x + 12, Math.max(0, width - 260)), top: at.y + 16 }}
    >
      {lines.map((line, index) => (index === 0 ? <b key={line}>{line}</b> : <span key={line}>{line}</span>))}
    </div>
  );
}

function transferLines(transfer: Transfer): string[] {
  const bytes = transfer.bytes === undefined ? words.bytesNotKnown : bytesText(transfer.bytes);
  const time = durationText(transfer.durationMicros / 1000);
  return [
    transfer.tensor === "" ? "RecvTensor" : transfer.tensor,
    transfer.timed ? words.sent({ bytes, time }) : words.sentUntimed({ bytes, time }),
    words.fromTo({ from: deviceText(transfer.fromDevice), to: deviceText(transfer.toDevice) }),
  ];
}

/** @param zoom gets the place of the pointer, and how far the wheel was turned, in pixels */
function useWheel(frame: RefObject<HTMLElement | null>, zoom: (x: number, pixels: number) => void): void {
  const newest = useRef(zoom);
  useLayoutEffect(() => {
    newest.current = zoom;
  });
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const listener = (event: WheelEvent) => {
      // Nothing around it scrolls meanwhile, which React's own listener could not prevent.
      event.preventDefault();
      const pixels = event.deltaY * (PIXELS_PER_UNIT[event.deltaMode] ?? 1);
      newest.current(event.clientX - element.getBoundingClientRect().left, pixels);
    };
    element.addEventListener("wheel", listener, { passive: false });
    return () => element.removeEventListener("wheel", listener);
  }, [frame]);
}

function useWidth(frame: RefObject<HTMLDivElement | null>): number {
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

function barLines(bar: NodeRun): string[] {
  return [
    bar.node,
    words.ran({
      time: durationText(bar.durationMicros / 1000),
      start: durationText(bar.startMicros / 1000),
    }),
    deviceText(bar.device),
    ...(bar.together !== undefined && bar.together > 1 ? [words.together({ nodes: bar.together })] : []),
    ...(bar.outputBytes > 0 ? [words.output({ bytes: bytesText(bar.outputBytes) })] : []),
  ];
}
