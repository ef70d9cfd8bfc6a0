/** How often a run saves checkpoints, how many it keeps, and where. */
import { type ReactElement, useId } from "react";
import { type CheckpointPlan, KEPT_CHECKPOINTS, MAX_KEPT_CHECKPOINTS } from "../../main/api/checkpoints.js";
import { MAX_RECOVERIES } from "../../main/api/recoveries.js";
import { MAX_STEPS } from "../../main/api/runs.js";
import { PropertyRow } from "../parts/property-row.js";
import { TextField } from "../parts/text-field.js";
import { documentActions } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { numberText } from "../ui/format.js";
import { optionalNumber, orRefusal } from "./run-numbers.js";

const words = texts.dock.checkpointOptions;

export function CheckpointOptions({ plan }: { readonly plan: CheckpointPlan | undefined }): ReactElement {
  const everyId = useId();
  return (
    <>
      <PropertyRow wideName>
        <span id={everyId}>{words.every}</span>
        <TextField
          labelledBy={everyId}
          value={plan ? numberText(plan.every) : ""}
          placeholder={words.everyPlaceholder}
          commit={(text) => {
            const every = optionalNumber(text, 1, MAX_STEPS);
            return typeof every === "string"
              ? every
              : set(every === undefined ? undefined : { keep: KEPT_CHECKPOINTS, ...plan, every });
          }}
        />
      </PropertyRow>
      {plan ? <Kept plan={plan} /> : null}
    </>
  );
}

/** What matters only if some are saved. */
function Kept({ plan }: { readonly plan: CheckpointPlan }): ReactElement {
  const keepId = useId();
  const folderId = useId();
  const recoveriesId = useId();
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

function set(plan: CheckpointPlan | undefined): string | undefined {
  return orRefusal(documentActions.setCheckpoints(plan));
}
