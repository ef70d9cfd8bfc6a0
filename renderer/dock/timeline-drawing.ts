/** Draws the marks of a timeline on a canvas, whose time does not depend on how many nodes and transfers there are. */
import { tickMicros, tickText } from "./lanes.js";
import { type ArrowMark, BAR_HEIGHT, type BarMark, type Marks, type Scene, xOf } from "./timeline-marks.js";
import { type TimeWindow, windowMicros } from "./timeline-window.js";

const TICK_DISTANCE = 80;
const LETTER_WIDTH = 6.4;
const HEAD = 6;

export interface Drawing {
  readonly scene: Scene;
  readonly marks: Marks;
  readonly shown: TimeWindow;
  readonly width: number;
}

/** The part of a drawing that one canvas has, from top to bottom. */
export interface Strip {
  readonly top: number;
  readonly height: number;
}

export interface Paint {
  /** The value of a colour of the style sheet. */
  css(colour: string): string;
  /** The colour of a device's task, as the style sheet has it. */
  taskColour(device: string): string;
  /** Names of fonts. */
  readonly fonts: string;
}

export function drawTimeline(
  context: CanvasRenderingContext2D,
  drawing: Drawing,
  strip: Strip,
  paint: Paint,
): void {
  const { marks, width } = drawing;
  const bottom = strip.top + strip.height;
  context.clearRect(0, 0, width, strip.height);
  context.save();
  context.translate(0, -strip.top);
  drawGrid(context, drawing, strip, paint);
  for (const mark of marks.bars)
    if (mark.y < bottom && mark.y + BAR_HEIGHT > strip.top) drawBar(context, mark, width, paint);
  for (const mark of marks.arrows) {
    const [high, low] = [Math.min(mark.startY, mark.endY), Math.max(mark.startY, mark.endY)];
    if (high - HEAD < bottom && low + HEAD > strip.top) drawArrow(context, mark, paint);
  }
  context.restore();
}

/** Every second lane is set off; lines at round times, with the times above the first lane. */
function drawGrid(
  context: CanvasRenderingContext2D,
  { scene, shown, width }: Drawing,
  strip: Strip,
  { css, fonts }: Paint,
): void {
  context.fillStyle = css("var(--bg-0)");
  scene.lanes.forEach(({ top, height }, index) => {
    if (index % 2 === 1) context.fillRect(0, top, width, height);
  });
  const tick = tickMicros(windowMicros(shown), width / TICK_DISTANCE);
  context.font = `10.5px ${fonts}`;
  for (let count = Math.ceil(shown.from / tick); count * tick <= shown.to; count++) {
    const x = xOf(count * tick, shown, width);
    context.fillStyle = css("var(--line)");
    context.fillRect(Math.round(x), 20, 1, scene.height - 20);
    if (strip.top > 20) continue;
    context.fillStyle = css("var(--fg-2)");
    context.textAlign = count === 0 ? "start" : "center";
    context.fillText(tickText(count * tick, tick), x, 14);
  }
}

function drawBar(
  context: CanvasRenderingContext2D,
  { bar, count, x, y, width: full }: BarMark,
  plotWidth: number,
  { css, taskColour, fonts }: Paint,
): void {
  // Parts out of view are left out; the text begins where the bar does, or at the edge.
  const left = Math.max(x, -4);
  const width = Math.min(x + full, plotWidth + 4) - left;
  context.fillStyle = css(taskColour(bar.device));
  if (width < 6) {
    context.fillRect(left, y, width, BAR_HEIGHT);
    return;
  }
  context.beginPath();
  context.roundRect(left, y, width, BAR_HEIGHT, 3);
  context.fill();
  if (count > 1 || bar.node.length * LETTER_WIDTH + 8 >= width) return;
  context.fillStyle = css("var(--on-task)");
  context.font = `600 11px ${fonts}`;
  context.textAlign = "start";
  context.fillText(bar.node, left + 5, y + 14);
}

function drawArrow(
  context: CanvasRenderingContext2D,
  { transfer, startX, startY, middleY, endX, endY }: ArrowMark,
  { css, taskColour }: Paint,
): void {
  const head = endY > middleY ? -HEAD : HEAD;
  const colour = css(taskColour(transfer.fromDevice));
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.setLineDash(transfer.timed ? [] : [4, 3]);
  context.beginPath();
  context.moveTo(startX, startY);
  context.lineTo(startX, middleY);
  context.lineTo(endX, middleY);
  context.lineTo(endX, endY);
  context.stroke();
  context.setLineDash([]);
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(endX - 3.5, endY + head);
  context.lineTo(endX, endY);
  context.lineTo(endX + 3.5, endY + head);
  context.fill();
}
