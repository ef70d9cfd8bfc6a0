import type { ReactElement } from "react";
import type { GpuChoice } from "../../main/api/cluster.js";
import type { Gpu } from "../../main/api/machines.js";
import type { GpuLoad } from "../../main/api/samples.js";
import { gpuTexts } from "../cluster/machine-text.js";
import { newestOfMachine, useSamples } from "../stores/samples-store.js";
import { SelectField } from "./form-fields.js";

interface GpuFieldProps {
  readonly gpus: readonly Gpu[];
  /** Their machine. */
  readonly machineId: string;
  readonly job: string;
  readonly choice: GpuChoice;
  readonly error: string | undefined;
  onChange(choice: GpuChoice): void;
}

const noLoads: readonly GpuLoad[] = [];

/** What a task sees of its machine's GPUs: what suits its job, none, or those that are ticked. */
export function GpuField({ gpus, machineId, job, choice, error, onChange }: GpuFieldProps): ReactElement {
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
        label="GPU"
        value={Array.isArray(choice) ? "these" : choice}
        options={[
          {
            value: "auto",
            label: job === "ps" ? "Automatic: a ps computes on the CPU" : "Automatic: one that is free",
          },
          { value: "none", label: "None" },
          { value: "these", label: "Choose…" },
        ]}
        onChange={(value) =>
          onChange(value === "auto" || value === "none" ? value : free ? [free.index] : [])
        }
      />
      {Array.isArray(choice) ? (
        <fieldset className="gpu-choices" aria-invalid={error !== undefined}>
          <legend className="hidden-text">GPUs of the tasks</legend>
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
            <p className="field-error" role="alert">
              {error}
            </p>
          )}
        </fieldset>
      ) : null}
    </>
  );
}
