import { type FormEvent, type ReactElement, useId, useState } from "react";
import type { Engine, Machine } from "../../main/api/cluster.js";
import { addTasksIfAllowed } from "../actions/cluster-actions.js";
import { engineNote, engineText } from "../cluster/machine-text.js";
import { takesTasks } from "../cluster/machines.js";
import { attempt } from "../stores/app-store.js";
import { machinesOf, useCluster } from "../stores/cluster-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { listText } from "../ui/format.js";
import textStyles from "../ui/text.module.css";
import styles from "./add-form.module.css";
import { type AddValues, checkAdd, freeIndices, MOST_AT_ONCE } from "./add-values.js";
import { Field, SelectField } from "./form-fields.js";
import { GpuField } from "./gpu-field.js";

const words = texts.clusterPanel.addTasksForm;

interface AddTasksFormProps {
  /** The default machine of the tasks; this machine if omitted. */
  readonly machineId?: string | undefined;
  onDone(): void;
}

/** Machine, job, number, engine and GPU of new tasks. The defaults are those of a click on "Add worker". */
export function AddTasksForm({ machineId, onDone }: AddTasksFormProps): ReactElement {
  const machines = useCluster(machinesOf).filter(takesTasks);
  const tasks = useCluster((state) => state.ownTasks);
  const [values, setValues] = useState<AddValues>({
    machineId: machineId ?? machines[0]?.id,
    job: "worker",
    count: "1",
    index: "",
    engine: undefined,
    gpu: "auto",
  });
  const change = (changes: Partial<AddValues>) => setValues((now) => ({ ...now, ...changes }));
  const jobs = [...new Set(["worker", "ps", ...tasks.map((task) => task.job)])];
  const listId = useId();
  const machine = machines.find(({ id }) => id === values.machineId);
  const { errors, request } = checkAdd(values, tasks, machine);
  const proposed = freeIndices(tasks, values.job.trim(), Number(request?.count ?? 1));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (request === undefined) return;
    onDone();
    attempt(() => addTasksIfAllowed(request));
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      {machines.length > 1 ? (
        <SelectField
          label={words.machine}
          value={values.machineId ?? ""}
          options={machines.map(({ id, name, kind }) => ({
            value: id,
            label: kind === "this" ? words.thisMachine({ name }) : name,
          }))}
          onChange={(id) => change({ machineId: id, engine: undefined, gpu: "auto" })}
        />
      ) : null}
      <Field
        label={words.job}
        value={values.job}
        error={errors.job}
        list={listId}
        onChange={(job) => change({ job })}
      />
      <datalist id={listId}>
        {jobs.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <div className={styles.pair}>
        <Field
          label={words.count}
          type="number"
          min={1}
          max={MOST_AT_ONCE}
          value={values.count}
          error={errors.count}
          onChange={(count) => change({ count })}
        />
        <Field
          label={words.firstIndex}
          inputMode="numeric"
          value={values.index}
          placeholder={listText(proposed.slice(0, 3).map(String))}
          error={errors.index}
          onChange={(index) => change({ index })}
        />
      </div>
      <EngineField
        machine={machine}
        engine={values.engine}
        onChange={(engine) => change({ engine, gpu: "auto" })}
      />
      {machine && machine.gpus.length > 0 && usesGpus(engineOf(machine, values.engine)) ? (
        <GpuField
          gpus={machine.gpus}
          machineId={machine.id}
          job={values.job.trim()}
          byNumber={engineOf(machine, values.engine)?.engine === "tensorflow"}
          choice={values.gpu}
          error={errors.gpu}
          onChange={(gpu) => change({ gpu })}
        />
      ) : (
        <NoGpuNote machine={machine} engine={values.engine} />
      )}
      <Button type="submit" variant="primary" wide disabled={request === undefined}>
        {words.addAndStart}
      </Button>
    </form>
  );
}

interface NoGpuNoteProps {
  readonly machine: Machine | undefined;
  readonly engine: Engine | undefined;
}

/** Why there is no GPU to choose. */
function NoGpuNote({ machine, engine }: NoGpuNoteProps): ReactElement | null {
  const chosen = machine && engineOf(machine, engine);
  // An engine may compute on a GPU that the machine does not list.
  if (chosen === undefined || (chosen.gpu && machine?.gpus.length === 0)) return null;
  const text = machine?.gpus.length === 0 ? words.noGpu : words.gpuNotUsed;
  return <p className={textStyles.muted}>{text({ machine: machine?.name ?? "" })}</p>;
}

/** The field is shown even for a libtensorflow without CUDA: its task reports why it uses no GPU. */
function usesGpus(engine: Machine["engines"][number] | undefined): boolean {
  return engine !== undefined && (engine.engine === "tensorflow" || engine.gpu);
}

/** The devices that compute if this engine is chosen, or the machine's best one if none is. */
function engineOf({ engines }: Machine, chosen: Engine | undefined): Machine["engines"][number] | undefined {
  return engines.find(({ engine }) => engine === (chosen ?? engines[0]?.engine));
}

interface EngineFieldProps {
  readonly machine: Machine | undefined;
  readonly engine: Engine | undefined;
  onChange(engine: Engine | undefined): void;
}

function EngineField({ machine, engine, onChange }: EngineFieldProps): ReactElement | null {
  const [best, ...others] = machine?.engines ?? [];
  if (best === undefined) return null;
  const chosen = others.find((one) => one.engine === engine) ?? best;
  return (
    <>
      {others.length === 0 ? (
        <p className={textStyles.muted}>{words.onlyEngine({ engine: engineText(best) })}</p>
      ) : (
        <SelectField
          label={words.engine}
          value={chosen === best ? "" : chosen.engine}
          options={[
            { value: "", label: words.bestEngine({ engine: engineText(best) }) },
            ...others.map((one) => ({ value: one.engine, label: engineText(one) })),
          ]}
          onChange={(value) => onChange(others.find((one) => one.engine === value)?.engine)}
        />
      )}
      <p className={textStyles.muted}>{engineNote(chosen)}</p>
    </>
  );
}
