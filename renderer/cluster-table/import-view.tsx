import { type ReactElement, useId, useRef, useState } from "react";
import type { ClusterState } from "../../main/api/cluster.js";
import {
  type ImportedCluster,
  importCluster,
} from "../../worker-runtime/cluster/orchestrators/import-cluster.js";
import { changesText, type DraftRow, draftChanges, importRows } from "../cluster/table-draft.js";
import { showProblem } from "../stores/app-store.js";
import type { ClusterFileText } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import textStyles from "../ui/text.module.css";
import { TextArea } from "../ui/text-input.js";
import styles from "./import-view.module.css";

const words = texts.clusterTable.importView;

interface ImportViewProps {
  readonly rows: readonly DraftRow[];
  readonly state: ClusterState;
  /** The text that is shown first, if any. */
  readonly file?: ClusterFileText | undefined;
  /** Called with the new rows, or without when nothing is imported. */
  onDone(rows?: DraftRow[]): void;
}

/** Accepts every file that describes a cluster, pasted or opened, and shows what it would change. */
export default function ImportView({ rows, state, file: given, onDone }: ImportViewProps): ReactElement {
  const [{ name, text }, setFile] = useState<ClusterFileText>(given ?? { name: words.theText, text: "" });
  const file = useRef<HTMLInputElement>(null);
  const fieldId = useId();
  const read = readCluster(text, name);
  const imported = read.found ? importRows(rows, read.found.cluster, state) : undefined;
  return (
    <div className={styles.view}>
      <label htmlFor={fieldId}>{words.placeholder}</label>
      <TextArea
        id={fieldId}
        monospace
        rows={10}
        spellCheck={false}
        placeholder={'{"worker": ["gpu-pc:2222", "raspberrypi:2222"]}'}
        value={text}
        onChange={(event) => setFile({ name: words.theText, text: event.target.value })}
        aria-invalid={read.error !== undefined}
      />
      <input
        ref={file}
        type="file"
        accept=".json,.yaml,.yml,.txt,.sh"
        hidden
        onChange={(event) => {
          const [chosen] = event.target.files ?? [];
          // The same file can be chosen again, after it was changed.
          event.target.value = "";
          if (chosen)
            void chosen.text().then((content) => setFile({ name: chosen.name, text: content }), showProblem);
        }}
      />
      {read.error ? (
        <p className={textStyles.error} role="alert">
          {read.error}
        </p>
      ) : null}
      {read.found && imported ? (
        <p className={textStyles.muted} role="status">
          {[words.sources[read.found.source], ...read.found.notes].join(" ")}{" "}
          {words.onceApplied({ changes: changesText(draftChanges(imported, state)) })}
        </p>
      ) : null}
      <div className={styles.buttons}>
        <Button icon="folder" onClick={() => file.current?.click()}>
          {words.openFile}
        </Button>
        <span className={textStyles.grow} />
        <Button onClick={() => onDone()}>{texts.common.back}</Button>
        <Button variant="strong" disabled={!imported} onClick={() => onDone(imported)}>
          {imported ? words.takeOverRows({ count: imported.length }) : words.takeOver}
        </Button>
      </div>
    </div>
  );
}

function readCluster(
  text: string,
  name: string,
): { readonly found?: ImportedCluster; readonly error?: string } {
  if (text.trim() === "") return {};
  try {
    const found = importCluster(text, name);
    return found.cluster.isEmpty ? { error: words.noTask } : { found };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
