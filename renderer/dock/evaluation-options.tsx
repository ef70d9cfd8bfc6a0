/** How often the model is evaluated, and by which other run configuration. */
import { type ReactElement, useId } from "react";
import { MAX_STEPS } from "../../main/api/runs.js";
import type { RunConfig } from "../document/model.js";
import { SelectFrame } from "../parts/input-frame.js";
import { PropertyRow } from "../parts/property-row.js";
import { TextField } from "../parts/text-field.js";
import { documentActions } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { numberText } from "../ui/format.js";
import { optionalNumber, orRefusal } from "./run-numbers.js";

const words = texts.dock.evaluationOptions;

interface EvaluationOptionsProps {
  readonly evaluation: RunConfig["evaluation"];
  /** The configurations that it can be evaluated by; at least one. */
  readonly others: readonly string[];
}

export function EvaluationOptions({ evaluation, others }: EvaluationOptionsProps): ReactElement {
  const everyId = useId();
  const byId = useId();
  const configuration = evaluation?.configuration ?? others[0] ?? "";
  const set = (wanted: RunConfig["evaluation"]) => orRefusal(documentActions.setEvaluation(wanted));
  return (
    <>
      <PropertyRow wideName>
        <span id={everyId}>{words.every}</span>
        <TextField
          labelledBy={everyId}
          value={evaluation ? numberText(evaluation.every) : ""}
          placeholder={words.everyPlaceholder}
          commit={(text) => {
            const every = optionalNumber(text, 1, MAX_STEPS);
            if (typeof every === "string") return every;
            return set(every === undefined ? undefined : { every, configuration });
          }}
        />
      </PropertyRow>
      {evaluation ? (
        <PropertyRow wideName>
          <span id={byId}>{words.by}</span>
          <SelectFrame>
            <select
              aria-labelledby={byId}
              value={configuration}
              onChange={({ target }) => void set({ ...evaluation, configuration: target.value })}
            >
              {(others.includes(configuration) ? others : [configuration, ...others]).map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </SelectFrame>
        </PropertyRow>
      ) : null}
    </>
  );
}
