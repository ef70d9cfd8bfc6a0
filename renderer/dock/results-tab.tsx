import type { ReactElement } from "react";
import type { RunUpdate, TensorPreview } from "../../main/api/runs.js";
import { localDeviceText } from "../../worker-runtime/cluster/device-name.js";
import { taskName, taskNameOfDevice } from "../cluster/task-name.js";
import { runCommands } from "../commands/run-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { useBeforeEdit } from "../stores/before-edit.js";
import { useCluster } from "../stores/cluster-store.js";
import { curveActions, useCurves } from "../stores/curve-store.js";
import { useDocument } from "../stores/document-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { taskColourVar } from "../theme/task-colour.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { EmptyText } from "../ui/empty-text.js";
import { bytesText, durationText, shapeText, stepText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { Segmented } from "../ui/segmented.js";
import { Swatch } from "../ui/swatch.js";
import textStyles from "../ui/text.module.css";
import { nodeRunOf } from "../viewport/node-text.js";
import { CurvesView } from "./curves/curves-view.js";
import tableStyles from "./data-table.module.css";
import styles from "./results-tab.module.css";
import { TabBar } from "./tab-bar.js";
import type { Column } from "./table-head.js";
import { TaskChip } from "./task-chip.js";
import { previewText } from "./tensor-text.js";
import { VirtualTable } from "./virtual-table.js";

const words = texts.dock.resultsTab;

const SHOWN = [
  { id: "values", label: words.values },
  { id: "curves", label: words.curves },
] as const;

/** Whether a run has scalars that changed, or may have changed, over its steps. */
function hasCurves({ steps, fetches }: RunUpdate): boolean {
  return steps > 1 && fetches.some(({ dtype, elementCount }) => elementCount === 1 && dtype !== "string");
}

/** The results of the newest step, or the scalars of all steps. */
export default function ResultsTab(): ReactElement {
  const run = useDocumentRun((state) => state.latest);
  const old = useBeforeEdit();
  const chosen = useCurves((state) => state.showsValues);
  if (run === undefined || run.fetches.length === 0) {
    return (
      <EmptyText>
        {run?.problem ? words.failed : words.notRun}
        <div>
          <CommandButton command={runCommands.once} icon />
        </div>
      </EmptyText>
    );
  }
  const withValues = chosen ?? !hasCurves(run);
  return (
    <>
      <TabBar className={textStyles.muted}>
        <Segmented
          label={words.show}
          options={SHOWN}
          selected={withValues ? "values" : "curves"}
          onSelect={(id) => curveActions.showValues(id === "values")}
        />
        <span>
          {[
            stepText(run.step),
            run.stepMillis === undefined ? "" : durationText(run.stepMillis),
            run.stepRegisteredGraph ? words.setUp : "",
            run.sessionMillis === undefined ? "" : words.session({ time: durationText(run.sessionMillis) }),
            run.tracedStep === undefined
              ? ""
              : words.traced({ step: stepText(run.tracedStep, run.tracedStepRegisteredGraph) }),
            run.endedEarly === undefined ? "" : words.endedEarly({ reason: run.endedEarly }),
            old ? words.beforeEdit : "",
          ]
            .filter(Boolean)
            .join(" · ")}
        </span>
        {run.withoutSavedValues ? (
          <span className={styles.warning}>
            <Icon name="warning" size={14} /> {words.withoutValues}
          </span>
        ) : null}
      </TabBar>
      {withValues ? <ResultTable tensors={run.fetches} old={old} /> : <CurvesView old={old} />}
    </>
  );
}

const COLUMNS: readonly Column[] = [
  { name: words.tensor },
  { name: words.type },
  { name: words.shape },
  { name: words.ranOn },
  { name: words.size, kind: "number" },
  { name: words.value },
  { name: words.actions, kind: "spoken" },
];
const ROW_HEIGHT = 28;

/** One step may fetch every small tensor of a graph, so only the rows in view are in the page. */
function ResultTable({
  tensors,
  old,
}: {
  readonly tensors: readonly TensorPreview[];
  readonly old: boolean;
}) {
  return (
    <VirtualTable
      label={words.results}
      className={old ? tableStyles.old : undefined}
      columns={COLUMNS}
      rows={tensors}
      rowHeight={ROW_HEIGHT}
      row={(tensor, position) => (
        <tr key={tensor.name} {...position} onDoubleClick={() => uiActions.openTensor(tensor.name)}>
          <td>
            <b>{tensor.name}</b>
          </td>
          <td className={textStyles.monospace}>{tensor.dtype}</td>
          <td className={textStyles.monospace}>{shapeText(tensor.shape)}</td>
          <td>
            <RanOn tensor={tensor.name} />
          </td>
          <td className={tableStyles.number}>{bytesText(tensor.byteLength)}</td>
          <td className={classNames(textStyles.monospace, tableStyles.value)}>
            <span className={classNames(textStyles.truncated, styles.text)}>{previewText(tensor)}</span>
          </td>
          <td className={tableStyles.number}>
            <Button
              size="small"
              variant="ghost"
              icon="table"
              onClick={() => uiActions.openTensor(tensor.name)}
            >
              {words.open}
            </Button>
          </td>
        </tr>
      )}
    />
  );
}

/** The device that a traced step measured, else the task that the node is pinned to. */
function RanOn({ tensor }: { readonly tensor: string }): ReactElement {
  const node = tensor.replace(/:\d+$/, "");
  const measured = useDocumentRun((state) => nodeRunOf(state.latest?.nodes, node)?.device);
  const step = useDocumentRun((state) => state.latest?.tracedStep);
  const pinned = useDocument((state) => state.document.nodes.get(node)?.device ?? "");
  const tasks = useCluster((state) => state.tasks);
  const device = measured ?? pinned;
  const name = taskNameOfDevice(device);
  if (name === undefined) return <span className={textStyles.muted}>–</span>;
  const task = tasks.find((candidate) => taskName(candidate) === name);
  const part = localDeviceText(device);
  return (
    <TaskChip
      style={{ "--c": taskColourVar(task) }}
      title={measured && step !== undefined ? words.tracedTitle({ step: stepText(step) }) : words.pinnedTo}
    >
      {task ? <Swatch task={task} small /> : <Icon name="unknown" size={12} />}
      {name}
      {measured && part ? <span className={textStyles.muted}>{part}</span> : null}
    </TaskChip>
  );
}
