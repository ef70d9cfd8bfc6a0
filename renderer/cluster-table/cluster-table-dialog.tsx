import { type ReactElement, useState } from "react";
import type { ClusterState } from "../../main/api/cluster.js";
import {
  addRow,
  changesText,
  draftChanges,
  draftOf,
  draftProblems,
  rowsToApply,
  rowsToKeep,
} from "../cluster/table-draft.js";
import { attempt } from "../stores/app-store.js";
import { useCluster } from "../stores/cluster-store.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { type ClusterFileText, uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { Dialog } from "../ui/dialog.js";
import { Icon } from "../ui/icon.js";
import { preloadable } from "../ui/preloadable.js";
import { Segmented } from "../ui/segmented.js";
import textStyles from "../ui/text.module.css";
import styles from "./cluster-table-dialog.module.css";
import { ExportMenu } from "./export-menu.js";
import { SpecText } from "./spec-text.js";
import { TableView } from "./table-view.js";

const words = texts.clusterTable.clusterTableDialog;

// They bring the exports, the imports, and what reads and colours their files.
const ExportClusterDialog = preloadable(() => import("./export-cluster-dialog.js"));
const ImportView = preloadable(() => import("./import-view.js"));

type View = "table" | "text" | "import";

interface ClusterTableDialogProps {
  /** To be imported, which is shown first. */
  readonly file?: ClusterFileText | undefined;
}

const VIEWS = [
  { id: "table", label: words.views.table },
  { id: "text", label: words.views.text },
] as const;

/** The cluster as a document: a table in which every cell can be edited, applied as a whole. */
export function ClusterTableDialog({ file }: ClusterTableDialogProps): ReactElement | null {
  const state = useCluster((store) => store.state);
  if (!state) return null;
  return <ClusterTable state={state} file={file} />;
}

interface ClusterTableProps extends ClusterTableDialogProps {
  readonly state: ClusterState;
}

function ClusterTable({ state, file }: ClusterTableProps): ReactElement {
  const document = useDocument((store) => store.document);
  const [rows, setRows] = useState(() => draftOf(state, document.cluster));
  const [view, setView] = useState<View>(file ? "import" : "table");
  const [exporting, setExporting] = useState(false);
  const problems = draftProblems(rows, state);
  const changes = draftChanges(rows, state);
  const machines = new Set(rows.map(({ machineId, address }) => machineId || address.replace(/:\d*$/, "")));
  const changed = changes.start.length + changes.restart.length + changes.stop.length > 0;
  const apply = () => {
    documentActions.setCluster(rowsToKeep(rows, state));
    uiActions.close();
    attempt(() => client().call("cluster.applyTable", { rows: rowsToApply(rows) }));
  };
  return (
    <Dialog
      title={words.title({ document: document.name.replace(/\.[^.]+$/, "") })}
      width="table"
      onClose={uiActions.close}
      footer={
        <>
          <span className={classNames(textStyles.muted, textStyles.grow)}>
            {view === "import"
              ? words.nothingChangesYet
              : changed
                ? words.changesAndKeepsTable({ changes: changesText(changes), document: document.name })
                : words.keepsTable({ document: document.name })}
          </span>
          {problems.length > 0 ? (
            <span className={textStyles.muted}>{words.fixRowsFirst({ count: problems.length })}</span>
          ) : null}
          <Button onClick={uiActions.close}>{texts.common.cancel}</Button>
          <Button variant="primary" disabled={problems.length > 0 || view === "import"} onClick={apply}>
            {words.apply}
          </Button>
        </>
      }
    >
      <div className={styles.bar}>
        <span>{words.counts({ tasks: rows.length, machines: machines.size })}</span>
        {problems.length > 0 ? (
          <span className={styles.problem} role="status">
            <Icon name="error" />
            {words.problems({ count: problems.length })}
          </span>
        ) : null}
        <span className={textStyles.grow} />
        <Segmented
          label={words.view}
          options={VIEWS}
          selected={view === "import" ? undefined : view}
          onSelect={(chosen) => setView(chosen)}
        />
        <Button onClick={() => setView("import")}>{words.import}</Button>
        <ExportMenu rows={rows} problems={problems} onOtherSystems={() => setExporting(true)} />
      </div>
      {view === "table" ? (
        <TableView rows={rows} problems={problems} state={state} onChange={setRows} />
      ) : view === "text" ? (
        <SpecText rows={rows} problems={problems} />
      ) : (
        <ImportView
          rows={rows}
          state={state}
          file={file}
          onDone={(imported) => {
            if (imported) setRows(imported);
            setView("table");
          }}
        />
      )}
      {view === "table" ? (
        <div className={styles.add}>
          <Button variant="ghost" icon="plus" onClick={() => setRows(addRow(rows, state))}>
            {words.addRow}
          </Button>
        </div>
      ) : null}
      {exporting ? <ExportClusterDialog rows={rows} onClose={() => setExporting(false)} /> : null}
    </Dialog>
  );
}
