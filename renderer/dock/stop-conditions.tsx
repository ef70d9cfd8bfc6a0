/** The conditions that end a long run early. */
import { type ReactElement, useId } from "react";
import { MAX_STEPS, MAX_STOP_CONDITIONS, type StopCondition } from "../../main/api/runs.js";
import { SelectFrame } from "../parts/input-frame.js";
import { Note } from "../parts/section.js";
import { TextField } from "../parts/text-field.js";
import { documentActions } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { IconButton } from "../ui/icon-button.js";
import { optionalNumber } from "./run-numbers.js";
import styles from "./stop-conditions.module.css";

const words = texts.dock.stopConditions;

/** Values without a better one, unless another number is typed. */
const PATIENCE = 100;

const KINDS: Readonly<Record<StopCondition["kind"], string>> = {
  below: words.fallsBelow,
  above: words.risesAbove,
  "not-finite": words.nanOrInfinite,
  "no-improvement": words.noImprovement,
};

interface StopConditionsProps {
  readonly stops: readonly StopCondition[];
  /** The scalars that they can be about. */
  readonly tensors: readonly string[];
}

export function StopConditions({ stops, tensors }: StopConditionsProps): ReactElement {
  const headingId = useId();
  const [first] = tensors;
  const add = () => {
    if (first !== undefined) documentActions.setStops([...stops, { kind: "not-finite", tensor: first }]);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would lay its parts out in its own way
    <div role="group" aria-labelledby={headingId} className={styles.group}>
      <div className={styles.heading}>
        <span id={headingId}>{words.stopEarly}</span>
        <Button
          size="small"
          icon="plus"
          disabled={first === undefined || stops.length >= MAX_STOP_CONDITIONS}
          onClick={add}
        >
          {words.addCondition}
        </Button>
      </div>
      {stops.length === 0 && first === undefined ? <Note>{words.noScalar}</Note> : null}
      {stops.map((stop, index) => (
        <Condition
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no other identity
          key={index}
          stop={stop}
          number={index + 1}
          tensors={tensors.includes(stop.tensor) ? tensors : [stop.tensor, ...tensors]}
          onChange={(changed) =>
            documentActions.setStops(stops.flatMap((one) => (one === stop ? (changed ?? []) : one)))
          }
        />
      ))}
    </div>
  );
}

interface ConditionProps {
  readonly stop: StopCondition;
  readonly number: number;
  readonly tensors: readonly string[];
  /** Undefined: without it. */
  onChange(stop: StopCondition | undefined): void;
}

function Condition({ stop, number, tensors, onChange }: ConditionProps): ReactElement {
  return (
    <div className={styles.condition}>
      <SelectFrame monospace>
        <select
          aria-label={words.tensorOf({ number })}
          value={stop.tensor}
          onChange={(event) => onChange({ ...stop, tensor: event.target.value })}
        >
          {tensors.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </SelectFrame>
      <SelectFrame>
        <select
          aria-label={words.condition({ number })}
          value={stop.kind}
          onChange={({ target: { value } }) => onChange(conditionOf(value, stop))}
        >
          {Object.entries(KINDS).map(([kind, text]) => (
            <option key={kind} value={kind}>
              {text}
            </option>
          ))}
        </select>
      </SelectFrame>
      {stop.kind === "no-improvement" ? <Patience stop={stop} number={number} onChange={onChange} /> : null}
      {stop.kind === "not-finite" || stop.kind === "no-improvement" ? null : (
        <TextField
          label={words.limitOf({ number })}
          value={String(stop.value)}
          commit={(text) => {
            const value = text.trim() === "" ? Number.NaN : Number(text);
            if (!Number.isFinite(value)) return words.wrong;
            onChange({ ...stop, value });
            return undefined;
          }}
        />
      )}
      <IconButton small icon="close" label={words.remove({ number })} onClick={() => onChange(undefined)} />
    </div>
  );
}

/** The condition of another kind, with what it has in common with the one before. */
function conditionOf(kind: string, before: StopCondition): StopCondition {
  const { tensor } = before;
  switch (kind) {
    case "below":
    case "above":
      return { kind, tensor, value: "value" in before ? before.value : 0 };
    case "no-improvement": {
      // Accuracy is maximized, losses are minimized.
      const mode = /acc|precision|recall|auc|score/i.test(tensor) ? "max" : "min";
      return { kind, tensor, mode, patience: PATIENCE, minDelta: 0 };
    }
    default:
      return { kind: "not-finite", tensor };
  }
}

interface PatienceProps {
  readonly stop: Extract<StopCondition, { kind: "no-improvement" }>;
  readonly number: number;
  onChange(stop: StopCondition): void;
}

/** The direction that counts as better, and how long it is waited for. */
function Patience({ stop, number, onChange }: PatienceProps): ReactElement {
  return (
    <div className={styles.patience}>
      <SelectFrame>
        <select
          aria-label={words.betterOf({ number })}
          value={stop.mode}
          onChange={({ target }) => onChange({ ...stop, mode: target.value === "max" ? "max" : "min" })}
        >
          <option value="min">{words.lessIsBetter}</option>
          <option value="max">{words.moreIsBetter}</option>
        </select>
      </SelectFrame>
      <span className={styles.number}>
        <span aria-hidden="true">{words.patience}</span>
        <TextField
          label={words.patienceOf({ number })}
          value={String(stop.patience)}
          commit={(text) => {
            const patience = optionalNumber(text, 1, MAX_STEPS);
            if (typeof patience === "string") return patience;
            onChange({ ...stop, patience: patience ?? PATIENCE });
            return undefined;
          }}
        />
      </span>
      <span className={styles.number}>
        <span aria-hidden="true">{words.minDelta}</span>
        <TextField
          label={words.minDeltaOf({ number })}
          value={String(stop.minDelta)}
          commit={(text) => {
            const minDelta = text.trim() === "" ? 0 : Number(text);
            if (!Number.isFinite(minDelta) || minDelta < 0) return words.wrongDelta;
            onChange({ ...stop, minDelta });
            return undefined;
          }}
        />
      </span>
      <label className={styles.number}>
        <input
          type="checkbox"
          checked={stop.restoresBest === true}
          onChange={({ target }) => onChange({ ...stop, restoresBest: target.checked })}
        />
        {words.restoresBest}
      </label>
    </div>
  );
}
