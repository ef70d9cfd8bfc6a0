/** The part of a step that its timeline shows. Times in µs from the start of the step. Pure but for the hook. */
import { useState } from "react";

export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** No shorter time is shown: engines record whole microseconds. */
export const LEAST_MICROS = 4;

export function windowMicros({ from, to }: TimeWindow): number {
  return to - from;
}

/** Moved and shortened so that it lies in the step. */
export function within({ from, to }: TimeWindow, endMicros: number): TimeWindow {
  const length = Math.min(endMicros, Math.max(LEAST_MICROS, to - from));
  const start = Math.min(Math.max(0, from), endMicros - length);
  return { from: start, to: start + length };
}

/** @param at stays where it is; @param factor more than 1 shows less of the step, larger */
export function zoomed(shown: TimeWindow, at: number, factor: number): TimeWindow {
  const length = Math.max(LEAST_MICROS, windowMicros(shown) / factor);
  const share = (at - shown.from) / windowMicros(shown);
  const from = at - share * length;
  return { from, to: from + length };
}

export function moved({ from, to }: TimeWindow, micros: number): TimeWindow {
  return { from: from + micros, to: to + micros };
}

export interface TimeView {
  readonly shown: TimeWindow;
  readonly isWhole: boolean;
  show(change: (shown: TimeWindow) => TimeWindow): void;
  showAll(): void;
}

/** The part of a step that is shown; at first, and until it is zoomed, all of it. */
export function useTimeView(endMicros: number): TimeView {
  const [chosen, setChosen] = useState<TimeWindow>();
  const clamped = (shown: TimeWindow | undefined) => within(shown ?? { from: 0, to: endMicros }, endMicros);
  return {
    shown: clamped(chosen),
    isWhole: chosen === undefined,
    show: (change) =>
      setChosen((before) => {
        const after = clamped(change(clamped(before)));
        return windowMicros(after) < endMicros ? after : undefined;
      }),
    showAll: () => setChosen(undefined),
  };
}
