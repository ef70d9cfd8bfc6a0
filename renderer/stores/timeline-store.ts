import { perDocument } from "./document-session.js";

/** A traced step of a kept run. */
export interface TraceRef {
  readonly runId: string;
  readonly step: number;
}

export type TimelineView = "lanes" | "table" | "memory" | "compare";

/** How the timeline shows the traces of a document. */
export interface TimelineStore {
  readonly view: TimelineView;
  /** The traces that are compared; undefined: the two newest. */
  readonly before: TraceRef | undefined;
  readonly after: TraceRef | undefined;
}

export const useTimeline = perDocument<TimelineStore>(() => ({
  view: "lanes",
  before: undefined,
  after: undefined,
}));

export const timelineActions = {
  show(view: TimelineView): void {
    useTimeline.setState({ view });
  },
  compare(traces: Partial<Pick<TimelineStore, "before" | "after">>): void {
    useTimeline.setState(traces);
  },
};
