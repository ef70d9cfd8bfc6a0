import type { ReactElement } from "react";
import { texts } from "../texts/texts.js";
import { IconButton } from "../ui/icon-button.js";
import { moved, type TimeView, type TimeWindow, windowMicros, zoomed } from "./timeline-window.js";

const words = texts.dock.timelinePlot;

/** How much a button zooms, and which part of what is shown it moves by. */
const FACTOR = 2;
const PART = 0.5;

const around = (factor: number) => (shown: TimeWindow) => zoomed(shown, (shown.from + shown.to) / 2, factor);
const by = (part: number) => (shown: TimeWindow) => moved(shown, part * windowMicros(shown));

/** Chooses which part of a step is shown, as the wheel and dragging do. */
export function TimelineZoom({
  view: { isWhole, show, showAll },
}: {
  readonly view: TimeView;
}): ReactElement {
  return (
    <span>
      <IconButton
        small
        icon="chevron-left"
        label={words.earlier}
        disabled={isWhole}
        onClick={() => show(by(-PART))}
      />
      <IconButton
        small
        icon="chevron-right"
        label={words.later}
        disabled={isWhole}
        onClick={() => show(by(PART))}
      />
      <IconButton small icon="plus" label={words.zoomIn} onClick={() => show(around(FACTOR))} />
      <IconButton
        small
        icon="minus"
        label={words.zoomOut}
        disabled={isWhole}
        onClick={() => show(around(1 / FACTOR))}
      />
      <IconButton small icon="fit" label={words.wholeStep} disabled={isWhole} onClick={showAll} />
    </span>
  );
}
