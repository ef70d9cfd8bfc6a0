/** The tour for new users: which of its steps is shown. The steps themselves are in `tour/`. */
import { create } from "zustand";

/** The last one shows the result; it is no step of the user's. */
export const TOUR_STEPS = ["start", "pin", "run", "look", "end"] as const;
export type TourStep = (typeof TOUR_STEPS)[number];

export interface TourStore {
  /** Undefined: the tour is not shown. */
  readonly step: TourStep | undefined;
  /** Whether the user asked for it; otherwise it has come by itself, whatever the user is doing. */
  readonly asked: boolean;
}

export const useTour = create<TourStore>()(() => ({ step: undefined, asked: false }));

/** Goes on from a step. Does nothing if another one is shown by now. */
export function finishTourStep(done: TourStep): void {
  const next = TOUR_STEPS[TOUR_STEPS.indexOf(done) + 1];
  useTour.setState(({ step }) => (step === done ? { step: next } : {}));
}
