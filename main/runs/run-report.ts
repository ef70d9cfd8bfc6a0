import type { RecoveryOffer } from "../api/recoveries.js";
import type { ScalarCurve, ScalarSummary } from "../api/run-history.js";
import type { RunDocument } from "../api/run-state.js";
import type { RunUpdate } from "../api/runs.js";
import type { StepTrace } from "../api/traces.js";

/** The report on a run, whether it goes on, has ended, or ended before the application was started. */
export interface RunReport {
  readonly runId: string;
  readonly isOver: boolean;
  /** About how much memory it takes. */
  readonly keptBytes: number;
  /** How far it is. */
  progress(): Pick<RunUpdate, "runId" | "origin" | "state" | "step" | "steps" | "elapsedMillis">;
  /** Its document was saved as a file. */
  moveTo(document: Required<RunDocument>): void;
  /** How it can go on after it lost a task; undefined if it cannot. */
  readonly recovery: RecoveryOffer | undefined;
  /** The last news for windows. */
  update(): RunUpdate;
  readonly scalars: { summaries(): ScalarSummary[]; curves(): ScalarCurve[] };
  readonly traces: { readonly all: readonly StepTrace[]; find(step: number): StepTrace | undefined };
}
