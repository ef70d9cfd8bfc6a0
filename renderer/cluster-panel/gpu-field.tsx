import type { ReactElement } from "react";
import type { GpuChoice } from "../../main/api/cluster.js";
import type { Gpu } from "../../main/api/machines.js";
import type { GpuLoad } from "../../main/api/samples.js";
import { gpuTexts } from "../cluster/machine-text.js";
import { newestOfMachine, useSamples } from "../stores/samples-store.js";
import { texts } from "../texts/texts.js";
import textStyles from "../ui/text.module.css";
import { SelectField } from "./form-fields.js";
import styles from "./gpu-field.module.css";

const words = texts.clusterPanel.gpuField;

interface GpuFieldProps {
  readonly gpus: readonly Gpu[];
  /** Their machine. */
  readonly machineId: string;
  readonly job: string;
  readonly choice: GpuChoice;
  readonly error: string | undefined;
  /** Whether single GPUs can be chosen; the portable engine chooses the best automatically. */
  readonly byNumber: boolean;
  onChange(choice: GpuChoice): void;
}

const noLoads: readonly GpuLoad[] = [];

/** The GPUs that a task sees: those that suit its job, none, or the ticked ones. */
export function GpuField({
  gpus,
  machineId,
  job,
  choice,
  error,
  byNumber,
  onChange,
}: GpuFieldProps): ReactElement {
  const loads = useSamples((store) => newestOfMachine(store, machineId)?.gpus ?? noLoads);
  const chosen = Array.isArray(choice) ? choice : [];
  const toggle = (index: number, on: boolean) =>
    onChange(gpus.map((gpu) => gpu.index).filter((known) => (known === index ? on : chosen.includes(known))));
  const used = new Map(loads.map(({ index, usedBytes = 0 }) => [index, usedBytes]));
  const usedOf = ({ index }: Gpu) => used.get(index) ?? 0;
  const free = gpus.toSorted((one, other) => usedOf(one) - usedOf(other))[0];
  return (
    <>
      <SelectField
        label={words.gpu}
        value={Array.isArray(choice) ? "these" : choice}
        options={[
          {
            value: "auto",
            label: job === "ps" ? words.automaticOfPs : words.automatic,
          },
          { value: "none", label: words.none },
          ...(byNumber ? [{ value: "these", label: words.choose }] : []),
        ]}
        onChange={(value) =>
          onChange(value === "auto" || value === "none" ? value : free ? [free.index] : [])
        }
      />
      {Array.isArray(choice) ? (
        <fieldset className={styles.choices} aria-invalid={error !== undefined}>
          <legend className={textStyles.spokenOnly}>{words.legend}</legend>
          {gpus.map((gpu) => (
            <label key={gpu.index}>
              <input
                type="checkbox"
                checked={chosen.includes(gpu.index)}
                onChange={(event) => toggle(gpu.index, event.target.checked)}
              />
              {gpu.index}: {gpuTexts([gpu], loads).join("")}
            </label>
          ))}
          {error === undefined ? null : (
            <p className={textStyles.error} role="alert">
              {error}
            </p>
          )}
        </fieldset>
      ) : null}
    </>
  );
}
