/** How often a run saves checkpoints, how many it keeps, and where. */
import { type ReactElement, useId } from "react";
import {
  type CheckpointPlan,
  KEPT_CHECKPOINTS,
  MAX_KEPT_CHECKPOINTS,
  MAX_MINUTES,
} from "../../main/api/checkpoints.js";
import { MAX_RECOVERIES } from "../../main/api/recoveries.js";
import { MAX_STEPS } from "../../main/api/runs.js";
import { SelectFrame } from "../parts/input-frame.js";
import { PropertyRow } from "../parts/property-row.js";
import { TextField } from "../parts/text-field.js";
import { documentActions } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { numberText } from "../ui/format.js";
import { optionalNumber, orRefusal } from "./run-numbers.js";

const words = texts.dock.checkpointOptions;

interface CheckpointOptionsProps {
  readonly plan: CheckpointPlan | undefined;
  /** The scalars by which one can be the best. */
  readonly tensors: readonly string[];
}

export function CheckpointOptions({ plan, tensors }: CheckpointOptionsProps): ReactElement {
  const everyId = useId();
  const minutesId = useId();
  return (
    <>
      <PropertyRow wideName>
        <span id={everyId}>{words.every}</span>
        <TextField
          labelledBy={everyId}
          value={plan?.every === undefined ? "" : numberText(plan.every)}
          placeholder={words.everyPlaceholder}
          commit={(text) => {
            const every = optionalNumber(text, 1, MAX_STEPS);
            return typeof every === "string" ? every : setTimes(plan, { every, minutes: plan?.minutes });
          }}
        />
      </PropertyRow>
      <PropertyRow wideName>
        <span id={minutesId}>{words.minutes}</span>
        <TextField
          labelledBy={minutesId}
          value={plan?.minutes === undefined ? "" : String(plan.minutes)}
          placeholder={words.minutesPlaceholder}
          commit={(text) => {
            const minutes = text.trim() === "" ? undefined : Number(text);
            if (minutes !== undefined && !(minutes > 0 && minutes <= MAX_MINUTES)) return words.wrongMinutes;
            return setTimes(plan, { every: plan?.every, minutes });
          }}
        />
      </PropertyRow>
      {plan ? <Kept plan={plan} tensors={tensors} /> : null}
    </>
  );
}

/** The options that matter only if some are saved. */
function Kept({ plan, tensors }: CheckpointOptionsProps & { readonly plan: CheckpointPlan }): ReactElement {
  const keepId = useId();
  const bestId = useId();
  const folderId = useId();
  const recoveriesId = useId();
  const { best: _, ...withoutBest } = plan;
  const bests = tensors.flatMap((tensor) => [`min ${tensor}`, `max ${tensor}`]);
  const best = plan.best ? `${plan.best.mode} ${plan.best.tensor}` : "";
  const { folder, ...rest } = plan;
  const { recoveries, ...unattended } = plan;
  return (
    <>
      <PropertyRow wideName>
        <span id={keepId}>{words.keep}</span>
        <TextField
          labelledBy={keepId}
          value={numberText(plan.keep)}
          commit={(text) => {
            const keep = optionalNumber(text, 1, MAX_KEPT_CHECKPOINTS);
            return typeof keep === "string" ? keep : set({ ...plan, keep: keep ?? KEPT_CHECKPOINTS });
          }}
        />
      </PropertyRow>
      <PropertyRow wideName>
        <span id={bestId}>{words.best}</span>
        <SelectFrame>
          <select
            aria-labelledby={bestId}
            value={best}
            onChange={({ target: { value } }) => {
              const [mode, tensor = ""] = value.split(" ");
              const by = { mode: mode === "max" ? "max" : "min", tensor } as const;
              set(value === "" ? withoutBest : { ...plan, best: by });
            }}
          >
            <option value="">{words.noBest}</option>
            {(best === "" || bests.includes(best) ? bests : [best, ...bests]).map((value) => {
              const [mode, tensor = ""] = value.split(" ");
              return (
                <option key={value} value={value}>
                  {mode === "max" ? words.highest({ tensor }) : words.lowest({ tensor })}
                </option>
              );
            })}
          </select>
        </SelectFrame>
      </PropertyRow>
      <PropertyRow wideName>
        <span id={folderId}>{words.folder}</span>
        <TextField
          labelledBy={folderId}
          value={folder ?? ""}
          placeholder={words.folderPlaceholder}
          commit={(text) => {
            const path = text.trim();
            return set(path === "" ? rest : { ...rest, folder: path });
          }}
        />
      </PropertyRow>
      <PropertyRow wideName>
        <span id={recoveriesId}>{words.recoveries}</span>
        <TextField
          labelledBy={recoveriesId}
          value={recoveries === undefined ? "" : numberText(recoveries)}
          placeholder={words.recoveriesPlaceholder}
          commit={(text) => {
            const count = optionalNumber(text, 1, MAX_RECOVERIES);
            if (typeof count === "string") return count;
            return set(count === undefined ? unattended : { ...unattended, recoveries: count });
          }}
        />
      </PropertyRow>
    </>
  );
}

/** Without any time, no plan is left. */
function setTimes(
  plan: CheckpointPlan | undefined,
  { every, minutes }: { readonly every: number | undefined; readonly minutes: number | undefined },
): string | undefined {
  if (every === undefined && minutes === undefined) return set(undefined);
  const { every: _, minutes: __, ...rest } = plan ?? { keep: KEPT_CHECKPOINTS };
  return set({
    ...rest,
    ...(every === undefined ? {} : { every }),
    ...(minutes === undefined ? {} : { minutes }),
  });
}

function set(plan: CheckpointPlan | undefined): string | undefined {
  return orRefusal(documentActions.setCheckpoints(plan));
}
