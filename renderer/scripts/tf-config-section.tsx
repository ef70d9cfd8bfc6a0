import { type ReactElement, useState } from "react";
import type { ScriptTask } from "../../main/api/scripts.js";
import { texts } from "../texts/texts.js";
import { Segmented } from "../ui/segmented.js";
import textStyles from "../ui/text.module.css";
import styles from "./script-dialog.module.css";
import { roleName, tfConfigText } from "./script-plan.js";
import { ScriptRow } from "./script-row.js";

const words = texts.scripts.tfConfigSection;

/** TF_CONFIG of one of the tasks. */
export function TfConfigSection({ tasks }: { readonly tasks: readonly ScriptTask[] }): ReactElement {
  const names = tasks.map(roleName);
  const [chosen, setChosen] = useState("");
  const shown = names.includes(chosen) ? chosen : (names[0] ?? "");
  const text = tfConfigText(tasks, shown);
  return (
    <ScriptRow label={words.label}>
      {text === undefined ? (
        <p className={textStyles.muted}>{words.single}</p>
      ) : (
        <div className={styles.card}>
          <Segmented
            label={words.task}
            size="compact"
            options={names.map((name) => ({ id: name, label: name }))}
            selected={shown}
            onSelect={setChosen}
          />
          <pre className={styles.config}>{text}</pre>
          <p className={textStyles.muted}>{words.note}</p>
        </div>
      )}
    </ScriptRow>
  );
}
