import type { ReactElement } from "react";
import type { ScriptPodRequest } from "../../main/api/scripts.js";
import { texts } from "../texts/texts.js";
import textStyles from "../ui/text.module.css";
import { SelectInput, TextInput } from "../ui/text-input.js";
import styles from "./script-dialog.module.css";
import { ScriptRow } from "./script-row.js";

const words = texts.scripts.placeSection;

const MACHINES = "machines";
const KUBERNETES = "kubernetes";

/** In the order in which they are shown. */
const FIELDS = ["image", "gpus", "cpus", "memory"] as const;

interface PlaceSectionProps {
  /** The name of the connected cluster: "lab, namespace default". */
  readonly kubernetes: string;
  /** The resources of each task there; undefined: the tasks run on machines. */
  readonly pod: ScriptPodRequest | undefined;
  onChange(pod: ScriptPodRequest | undefined): void;
}

/** Whether the tasks run on machines or in Kubernetes. */
export function PlaceSection({ kubernetes, pod, onChange }: PlaceSectionProps): ReactElement {
  const change = (name: (typeof FIELDS)[number], text: string) => {
    const { [name]: _, ...others } = pod ?? {};
    onChange(text.trim() === "" ? others : { ...others, [name]: text.trim() });
  };
  return (
    <ScriptRow label={words.label}>
      <SelectInput
        aria-label={words.label}
        value={pod === undefined ? MACHINES : KUBERNETES}
        onChange={({ target }) => onChange(target.value === KUBERNETES ? {} : undefined)}
      >
        <option value={MACHINES}>{words.machines}</option>
        <option value={KUBERNETES}>{words.kubernetes({ place: kubernetes })}</option>
      </SelectInput>
      {pod === undefined ? null : (
        <>
          <div className={styles.line}>
            {FIELDS.map((name) => (
              <label key={name} className={styles.inline}>
                {words.fields[name]}
                <TextInput
                  value={pod[name] ?? ""}
                  placeholder={words.placeholders[name]}
                  spellCheck={false}
                  onChange={({ target }) => change(name, target.value)}
                />
              </label>
            ))}
          </div>
          <p className={textStyles.muted}>{words.note}</p>
        </>
      )}
    </ScriptRow>
  );
}
