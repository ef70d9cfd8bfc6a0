import { type ReactElement, useId, useRef, useState } from "react";
import type { ClusterState } from "../../main/api/cluster.js";
import { parseClusterText } from "../../worker-runtime/cluster/cluster-exchange.js";
import type { ClusterSpec } from "../../worker-runtime/cluster/cluster-spec.js";
import { changesText, type DraftRow, draftChanges, importRows } from "../cluster/table-draft.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import textStyles from "../ui/text.module.css";
import { TextArea } from "../ui/text-input.js";
import styles from "./import-view.module.css";

const words = texts.clusterTable.importView;

interface ImportViewProps {
  readonly rows: readonly DraftRow[];
  readonly state: ClusterState;
  /** Called with the new rows, or without when nothing is imported. */
  onDone(rows?: DraftRow[]): void;
}

/** Accepts a clusterspec.json or a TF_CONFIG, pasted or from a file, and shows what it would change. */
export function ImportView({ rows, state, onDone }: ImportViewProps): ReactElement {
  const [text, setText] = useState("");
  const file = useRef<HTMLInputElement>(null);
  const fieldId = useId();
  const read = readCluster(text);
  const imported = read.cluster ? importRows(rows, read.cluster, state) : undefined;
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
        onChange={(event) => setText(event.target.value)}
        aria-invalid={read.error !== undefined}
      />
      <input
        ref={file}
        type="file"
        accept=".json,.txt,.sh"
        hidden
        onChange={(event) => void event.target.files?.[0]?.text().then(setText)}
      />
      {read.error ? (
        <p className={textStyles.error} role="alert">
          {read.error}
        </p>
      ) : null}
      {imported ? (
        <p className={textStyles.muted} role="status">
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

function readCluster(text: string): { readonly cluster?: ClusterSpec; readonly error?: string } {
  if (text.trim() === "") return {};
  try {
    const cluster = parseClusterText(text);
    return cluster.isEmpty ? { error: words.noTask } : { cluster };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
