import { type ReactElement, useState } from "react";
import type { ClusterState } from "../../main/api/cluster.js";
import type { Params } from "../../main/api/contract.js";
import { exportCluster } from "../../worker-runtime/cluster/orchestrators/export-cluster.js";
import type { ExportResult, ExportTask } from "../../worker-runtime/cluster/orchestrators/export-model.js";
import {
  type OptionName,
  type OptionValues,
  optionProblems,
  optionsOf,
} from "../../worker-runtime/cluster/orchestrators/export-options.js";
import {
  EXPORT_TARGETS,
  type ExportTarget,
  isExportTarget,
} from "../../worker-runtime/cluster/orchestrators/export-targets.js";
import { deployToKubernetes } from "../actions/kubernetes-actions.js";
import { exportedTasks } from "../cluster/export-tasks.js";
import { type DraftRow, draftOf, draftProblems } from "../cluster/table-draft.js";
import { attempt } from "../stores/app-store.js";
import { useCluster } from "../stores/cluster-store.js";
import { useDocument } from "../stores/document-store.js";
import { useKubernetes } from "../stores/kubernetes-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { CopyButton } from "../ui/copy-button.js";
import { Dialog } from "../ui/dialog.js";
import { downloadFile } from "../ui/download.js";
import { EmptyText } from "../ui/empty-text.js";
import { FieldLabel } from "../ui/field-label.js";
import { HighlightedCode } from "../ui/highlighted-code.js";
import textStyles from "../ui/text.module.css";
import { SelectInput } from "../ui/text-input.js";
import styles from "./export-cluster-dialog.module.css";
import { ExportOptionsForm } from "./export-options-form.js";

const words = texts.clusterTable.exportClusterDialog;

interface ExportClusterDialogProps {
  /** Those of a table that is being edited; absent: the document's cluster. */
  readonly rows?: readonly DraftRow[];
  onClose(): void;
}

/** The cluster as a file of another system, which is shown before it is written. */
export default function ExportClusterDialog({
  rows,
  onClose,
}: ExportClusterDialogProps): ReactElement | null {
  const state = useCluster((store) => store.state);
  const wanted = useDocument(({ document }) => document.cluster);
  if (!state) return null;
  return <ExportCluster rows={rows ?? draftOf(state, wanted)} state={state} onClose={onClose} />;
}

interface ExportClusterProps {
  readonly rows: readonly DraftRow[];
  readonly state: ClusterState;
  onClose(): void;
}

function ExportCluster({ rows, state, onClose }: ExportClusterProps): ReactElement {
  const [target, setTarget] = useState<ExportTarget>("compose");
  const connection = useKubernetes((store) => store.connection);
  const [chosen, setChosen] = useState<OptionValues>({});
  const { tasks, leftOut } = exportedTasks(rows, draftProblems(rows, state), state);
  const values = valuesFor(target, chosen);
  const written = write(target, tasks, values);
  const { result } = written;
  const save = ({ file }: ExportResult) =>
    downloadFile(new Blob([file.text], { type: "text/plain" }), file.name);
  return (
    <Dialog
      title={words.title}
      width="table"
      onClose={onClose}
      footer={
        <>
          <span className={classNames(textStyles.muted, textStyles.grow)}>
            {leftOut.length > 0
              ? words.leftOut({ names: leftOut.join(", ") })
              : words.counts({ tasks: tasks.length })}
          </span>
          {target === "kubernetes" && connection ? (
            <Button
              disabled={result === undefined}
              onClick={() =>
                attempt(() => deployToKubernetes({ tasks: deployable(tasks), options: given(values) }))
              }
            >
              {words.deploy({ context: connection.context })}
            </Button>
          ) : null}
          <Button onClick={onClose}>{texts.common.close}</Button>
          <Button
            variant="primary"
            disabled={result === undefined}
            onClick={() => result === undefined || save(result)}
          >
            {result === undefined ? words.save : words.saveAs({ file: result.file.name })}
          </Button>
        </>
      }
    >
      <div className={styles.parts}>
        <form className={styles.options} onSubmit={(event) => event.preventDefault()}>
          <FieldLabel>
            <span>{words.target}</span>
            <SelectInput
              value={target}
              onChange={({ target: { value } }) => {
                if (isExportTarget(value)) setTarget(value);
              }}
            >
              {EXPORT_TARGETS.map((choice) => (
                <option key={choice} value={choice}>
                  {words.targets[choice]}
                </option>
              ))}
            </SelectInput>
          </FieldLabel>
          <ExportOptionsForm
            target={target}
            values={values}
            onChange={(name, value) => setChosen({ ...chosen, [name]: value })}
          />
        </form>
        <div className={styles.result}>
          {result ? (
            <>
              <div className={styles.head}>
                <span className={classNames(textStyles.monospace, textStyles.grow)}>{result.file.name}</span>
                <CopyButton text={result.file.text} />
              </div>
              <HighlightedCode
                text={result.file.text}
                language={result.file.language}
                label={words.preview}
              />
              <ul className={styles.notes} aria-label={words.notes}>
                {result.notes.map((note) => (
                  <li key={note}>{note}</li>
                ))}
              </ul>
            </>
          ) : (
            <EmptyText>{written.problem}</EmptyText>
          )}
        </div>
      </div>
    </Dialog>
  );
}

/**
 * The options that were given for any target, without those that this one does not take. Containers run TensorFlow's own server
 * unless something else was chosen: an image of it exists.
 */
function valuesFor(target: ExportTarget, given: OptionValues): OptionValues {
  const taken = new Set<OptionName>(optionsOf(target).map(({ name }) => name));
  const kept = Object.entries(given).filter(([name]) => [...taken].some((option) => option === name));
  return {
    ...(taken.has("image") && given.run === undefined && { run: "server" }),
    ...Object.fromEntries(kept),
  };
}

/** Without addresses, which Kubernetes gives. */
function deployable(tasks: readonly ExportTask[]): Params<"kubernetes.deploy">["tasks"] {
  return tasks.map(({ address: _address, ...task }) => task);
}

/** Without what is empty, which counts as not given. */
function given(values: OptionValues): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}

interface Written {
  readonly result?: ExportResult;
  readonly problem?: string;
}

function write(target: ExportTarget, tasks: readonly ExportTask[], values: OptionValues): Written {
  if (tasks.length === 0) return { problem: words.noTask };
  if (Object.keys(optionProblems(target, values)).length > 0) return { problem: words.fixFirst };
  try {
    return { result: exportCluster(target, tasks, values) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
