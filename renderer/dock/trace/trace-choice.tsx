/** Which two traced steps are compared. */
import { type ReactElement, useId, useMemo } from "react";
import type { RunSummary } from "../../../main/api/run-history.js";
import { SelectFrame } from "../../parts/input-frame.js";
import { useRunsOfDocument } from "../../stores/run-history-store.js";
import { type TraceRef, useTimeline } from "../../stores/timeline-store.js";
import { stepText } from "../../ui/format.js";
import { runName } from "../curves/curve-lines.js";
import { useCurvesData } from "../curves/use-curves-data.js";

export interface TraceOption extends TraceRef {
  readonly text: string;
}

const NONE: readonly string[] = [];

/** All kept traces of the document, the newest first, and the two that are compared. */
export function useComparedTraces() {
  const runs = useRunsOfDocument(useCurvesData(NONE).runs);
  const options = useMemo(() => runs.flatMap(tracesOf), [runs]);
  const before = useTimeline((state) => state.before);
  const after = useTimeline((state) => state.after);
  const find = (wanted: TraceRef | undefined) => options.find((option) => isSame(option, wanted));
  const chosenAfter = find(after) ?? options[0];
  const others = options.filter((option) => !isSame(option, chosenAfter));
  // A first step, which includes the set-up, tells nothing about later ones.
  const alike = others.find(({ step }) => step > 1 === (chosenAfter?.step ?? 0) > 1);
  const chosenBefore = find(before) ?? alike ?? others[0];
  return { options, before: chosenBefore, after: chosenAfter };
}

function tracesOf(run: RunSummary): TraceOption[] {
  return run.tracedSteps
    .map((step) => ({ runId: run.runId, step, text: `${runName(run)}, ${stepText(step)}` }))
    .reverse();
}

function isSame(one: TraceRef, other: TraceRef | undefined): boolean {
  return one.runId === other?.runId && one.step === other.step;
}

interface TraceChoiceProps {
  readonly label: string;
  readonly options: readonly TraceOption[];
  readonly chosen: TraceOption;
  onChoose(chosen: TraceRef): void;
}

export function TraceChoice({ label, options, chosen, onChoose }: TraceChoiceProps): ReactElement {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <SelectFrame>
        <select
          id={id}
          value={options.findIndex((option) => isSame(option, chosen))}
          onChange={({ target }) => {
            const option = options[Number(target.value)];
            if (option) onChoose({ runId: option.runId, step: option.step });
          }}
        >
          {options.map(({ runId, step, text }, index) => (
            <option key={`${runId} ${step}`} value={index}>
              {text}
            </option>
          ))}
        </select>
      </SelectFrame>
    </>
  );
}
