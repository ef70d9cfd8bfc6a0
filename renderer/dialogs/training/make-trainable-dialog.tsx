import { type FormEvent, type ReactElement, useMemo, useState } from "react";
import type { Task } from "../../../main/api/cluster.js";
import {
  fieldProblem,
  type LayerField,
  type LayerValue,
  type LayerValues,
} from "../../../worker-runtime/graph/layers/index.js";
import { OPTIMIZERS, type OptimizerChoice } from "../../../worker-runtime/graph/training/trainable/index.js";
import { addTraining, pickOnCanvas, previewOnCanvas } from "../../actions/training-actions.js";
import { taskName } from "../../cluster/task-name.js";
import { firstLoss, lossesOf, schemeProblem, trainingScope } from "../../document/trainable.js";
import { useCluster } from "../../stores/cluster-store.js";
import { lookupOp, useDocument } from "../../stores/document-store.js";
import type { TrainingDraft } from "../../stores/training-setup.js";
import { uiActions } from "../../stores/ui-store.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Dialog, DialogBody, DialogFooter } from "../../ui/dialog.js";
import { FieldLabel } from "../../ui/field-label.js";
import { bold } from "../../ui/rich-parts.js";
import textStyles from "../../ui/text.module.css";
import { SelectInput, TextInput } from "../../ui/text-input.js";
import { BatchRows, VariableRows } from "./choice-rows.js";
import styles from "./make-trainable-dialog.module.css";
import { SchemeCards } from "./scheme-cards.js";
import { type Tasks, useTrainingChoices } from "./use-training-choices.js";

const words = texts.dialogs.makeTrainable;

/** The steps of the run configuration that is added. */
const STEPS = 1000;
const SERVER_JOB = "ps";

interface MakeTrainableProps {
  /** Computes the loss. */
  readonly node?: string | undefined;
  /** The choices before the canvas was used. */
  readonly draft?: TrainingDraft | undefined;
}

/** Chooses the loss, how it is made small and who does that; then adds the nodes. */
export default function MakeTrainableDialog({ node, draft }: MakeTrainableProps): ReactElement {
  const document = useDocument((state) => state.document);
  const shapes = useDocument((state) => state.shapes);
  const losses = useMemo(() => lossesOf(document, lookupOp, shapes), [document, shapes]);
  const [chosen, setLoss] = useState(() => draft?.loss ?? firstLoss(losses, node));
  const [refusal, setRefusal] = useState<string>();
  const loss = chosen !== undefined && losses.includes(chosen) ? chosen : losses[0];
  const all = useCluster((state) => state.tasks);
  const { tasks, workers, server } = useMemo(() => tasksOf(all), [all]);
  const choices = useTrainingChoices(document, loss, tasks, problemOfNumbers, draft);
  const { made, optimizer, scheme, facts } = choices;
  const misfit = schemeProblem(scheme, facts) !== undefined;
  const lacking = loss === undefined ? words.noLoss : choices.hasVariables ? undefined : words.noVariables;
  const problem = lacking ?? ("problem" in made ? made.problem : refusal);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if ("problem" in made || misfit) return;
    setRefusal(addTraining(made, STEPS));
  };
  const preview = () => {
    if (!("problem" in made)) setRefusal(previewOnCanvas(made, STEPS, choices.draft));
  };
  return (
    <Dialog title={words.title} icon="pulse" width="table" onClose={uiActions.close}>
      <form onSubmit={submit} style={{ display: "contents" }}>
        <DialogBody className={styles.body}>
          <div className={styles.fields}>
            <FieldLabel className={styles.loss}>
              <span>{words.loss}</span>
              <SelectInput value={loss} onChange={({ target }) => setLoss(target.value)}>
                {losses.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </SelectInput>
            </FieldLabel>
            <PickButton
              what="loss"
              candidates={losses}
              chosen={loss === undefined ? [] : [loss]}
              draft={choices.draft}
            />
            <FieldLabel className={styles.optimizer}>
              <span>{words.optimizer}</span>
              <SelectInput
                value={optimizer.name}
                onChange={({ target }) => choices.chooseOptimizer(target.value)}
              >
                {OPTIMIZERS.map(({ name }) => (
                  <option key={name}>{name}</option>
                ))}
              </SelectInput>
            </FieldLabel>
            {optimizer.fields.map((field) => (
              <FieldLabel key={field.name}>
                <span>{field.label}</span>
                <NumberField
                  field={field}
                  value={choices.values[field.name]}
                  onChange={(value) => choices.setValue(field.name, value)}
                />
              </FieldLabel>
            ))}
          </div>
          <section>
            <div className={styles.heading}>
              <h3>{words.variables}</h3>
              <PickButton what="variables" {...candidatesOf(choices.variables)} draft={choices.draft} />
            </div>
            <VariableRows choices={choices} />
          </section>
          <section>
            <h3>{words.scheme}</h3>
            <p className={textStyles.muted}>{words.workers({ count: workers.length })}</p>
            <SchemeCards {...{ scheme, facts, workers, server }} onChoose={choices.chooseScheme} />
          </section>
          {choices.batch.length === 0 ? null : (
            <section>
              <div className={styles.heading}>
                <h3>{words.batch}</h3>
                <PickButton what="batch" {...candidatesOf(choices.batch)} draft={choices.draft} />
              </div>
              <p className={textStyles.muted}>{words.batchMeaning}</p>
              <BatchRows choices={choices} />
            </section>
          )}
          {problem === undefined ? null : (
            <p className={textStyles.error} role="alert">
              {problem}
            </p>
          )}
          {"problem" in made ? null : (
            <p role="status">
              {words.preview({
                count: made.added.length,
                scope: trainingScope(made),
                pinned: made.pinned.size,
                b: bold,
              })}
            </p>
          )}
        </DialogBody>
        <DialogFooter>
          <span className={textStyles.muted}>{words.oneStep}</span>
          <span className={textStyles.grow} />
          <Button disabled={"problem" in made || misfit} onClick={preview}>
            {words.previewOnCanvas}
          </Button>
          <Button onClick={uiActions.close}>{texts.common.cancel}</Button>
          <Button type="submit" variant="primary" disabled={"problem" in made || misfit}>
            {words.make}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

function candidatesOf(rows: readonly { readonly name: string; readonly chosen: boolean }[]) {
  return {
    candidates: rows.map(({ name }) => name),
    chosen: rows.flatMap(({ name, chosen }) => (chosen ? name : [])),
  };
}

interface PickButtonProps {
  readonly what: "loss" | "variables" | "batch";
  readonly candidates: readonly string[];
  readonly chosen: readonly string[];
  readonly draft: TrainingDraft;
}

/** Chooses nodes of the graph instead of names. */
function PickButton({ what, candidates, chosen, draft }: PickButtonProps): ReactElement {
  return (
    <Button
      size="small"
      aria-label={words.pickOf[what]}
      disabled={candidates.length === 0}
      onClick={() => pickOnCanvas({ what, candidates, draft }, chosen)}
    >
      {words.pick}
    </Button>
  );
}

/** The tasks that can run, in order: those of the job "ps" hold variables. */
function tasksOf(all: readonly Task[]) {
  const running = all
    .filter(({ state }) => state === "running")
    .toSorted((one, other) => one.job.localeCompare(other.job, "en") || one.index - other.index);
  const drawn = ({ job, index, colour }: Task) => ({ name: taskName({ job, index }), colour });
  const servers = running.filter(({ job }) => job === SERVER_JOB);
  const [first] = running.filter(({ job }) => job !== SERVER_JOB);
  const workers = running.filter(({ job }) => job === first?.job);
  const tasks: Tasks = { workers, servers };
  return { tasks, workers: workers.map(drawn), server: servers.map(drawn)[0] };
}

function problemOfNumbers({ fields }: OptimizerChoice, values: LayerValues): string | undefined {
  return fields.map((field) => fieldProblem(field, numberIn(field, values[field.name]))).find(Boolean);
}

function numberIn({ kind }: LayerField, value: LayerValue | undefined): LayerValue | undefined {
  if (kind !== "number" || typeof value !== "string") return value;
  return value.trim() === "" ? Number.NaN : Number(value);
}

interface NumberFieldProps {
  readonly field: LayerField;
  readonly value: LayerValue | undefined;
  onChange(value: LayerValue): void;
}

function NumberField({ field, value, onChange }: NumberFieldProps): ReactElement {
  if (field.kind === "flag") {
    return <input type="checkbox" checked={value === true} onChange={() => onChange(value !== true)} />;
  }
  return (
    <TextInput
      inputMode="decimal"
      value={String(value)}
      onChange={({ target }) => onChange(target.value)}
      onFocus={({ target }) => target.select()}
    />
  );
}
