/** What stands on the canvas around the graph: its heading, controls, minimap, hints and menus. */
import { useStore } from "@xyflow/react";
import type { ReactElement } from "react";
import { listExamples, openExample } from "../actions/file-actions.js";
import { taskNameOfDevice } from "../cluster/task-name.js";
import { showNextProblem } from "../commands/graph-commands.js";
import { isUninitialised } from "../document/initialisers.js";
import { parseTensorName } from "../document/tensor-names.js";
import { InitialiseButton } from "../parts/initialise-button.js";
import { attempt } from "../stores/app-store.js";
import { useBeforeEdit } from "../stores/before-edit.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { useOps } from "../stores/ops-store.js";
import { isActive, useDocumentRun } from "../stores/run-store.js";
import { countText, numberText, stepText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { useMinimapShown } from "../viewport/minimap-shown.js";
import { fitGraph, viewDuration } from "../viewport/view.js";
import { useCanvas } from "../viewport/view-store.js";
import { CanvasMenu } from "./context-menu.js";
import { DragGhosts } from "./drag-ghosts.js";
import { EdgeMenu } from "./edge-menu.js";
import { KernelWarning } from "./kernel-warning.js";
import { ListView } from "./list-view.js";
import { Minimap } from "./minimap.js";
import { PinChooser } from "./pin-chooser.js";
import { PullReason } from "./pull-reason.js";

/** Cmd on macOS, Ctrl elsewhere. */
export const MOD_KEY = /Mac|iP(hone|ad)/.test(navigator.platform) ? "Cmd" : "Ctrl";

export function CanvasOverlays(): ReactElement {
  const empty = useDocument((state) => state.document.nodes.size === 0);
  return (
    <>
      <Heading />
      <ProblemCount />
      <KernelWarning />
      <Controls />
      {empty ? <EmptyGraph /> : <Hint />}
      <Minimap />
      <PullReason />
      <EdgeMenu />
      <CanvasMenu />
      <PinChooser />
      <ListView />
      <DragGhosts />
    </>
  );
}

/** Which steps the values and times on the nodes are of, where there is no room to say so on each. */
function useMeasuredText(): string | undefined {
  const step = useDocumentRun((state) => (state.latest?.fetches.length ? state.latest.step : 0));
  const traced = useDocumentRun((state) => state.latest?.tracedStep ?? 0);
  const old = useBeforeEdit();
  if (step === 0 && traced === 0) return undefined;
  const both =
    step === traced
      ? `values and times of ${stepText(step)}`
      : [step > 0 ? `values of ${stepText(step)}` : "", traced > 0 ? `times of ${stepText(traced)}` : ""]
          .filter(Boolean)
          .join(", ");
  return old ? `${both}, before edit` : both;
}

function Heading(): ReactElement {
  const count = useDocument((state) => state.document.nodes.size);
  const selected = useDocument((state) => state.selection.size);
  const name = useDocument((state) => (state.selection.size === 1 ? [...state.selection][0] : undefined));
  const parts = [countText(count, "node")];
  if (selected > 0) parts.push(`${numberText(selected)} selected`);
  if (name !== undefined) parts.push(name);
  const measured = useMeasuredText();
  return (
    <div className="crumb">
      <b>Graph</b>
      <span className="fg2" aria-live="polite">
        {parts.join(" · ")}
      </span>
      {measured === undefined ? null : <span className="fg2">{measured}</span>}
    </div>
  );
}

function ProblemCount(): ReactElement | null {
  const count = useDocument((state) => state.problems.size);
  if (count === 0) return null;
  return (
    <div className="ctl tr0 bad" role="alert">
      <Icon name="close" className="er" />
      <span>{count === 1 ? "1 node cannot run" : `${count} nodes cannot run`}</span>
      <button type="button" className="lk" onClick={showNextProblem}>
        {count === 1 ? "Show" : "Next"}
      </button>
    </div>
  );
}

function Controls(): ReactElement {
  const zoom = useStore(({ transform }) => transform[2]);
  const minimapOpen = useMinimapShown();
  const listOpen = useCanvas((state) => state.listOpen);
  const flow = useCanvas((state) => state.flow);
  const duration = viewDuration();
  return (
    <div className="ctl bl0" role="toolbar" aria-label="View">
      <ControlButton
        icon="minus"
        label="Zoom out"
        keys="−"
        onClick={() => void flow?.zoomOut({ duration })}
      />
      <button
        type="button"
        className="zv"
        title="Zoom to 100 %"
        aria-label={`Zoom ${Math.round(zoom * 100)} %, set to 100 %`}
        onClick={() => void flow?.zoomTo(1, { duration })}
      >
        {Math.round(zoom * 100)}%
      </button>
      <ControlButton icon="plus" label="Zoom in" keys="+" onClick={() => void flow?.zoomIn({ duration })} />
      <span className="vsep" />
      <ControlButton icon="fit" label="Fit the graph" keys="F" onClick={() => fitGraph()} />
      <ControlButton
        icon="minimap"
        label="Minimap"
        keys="M"
        on={minimapOpen}
        onClick={() => useCanvas.setState({ minimapOpen: !minimapOpen })}
      />
      <ControlButton
        icon="list"
        label="List view"
        keys="L"
        on={listOpen}
        onClick={() => useCanvas.setState({ listOpen: !listOpen })}
      />
    </div>
  );
}

interface ControlButtonProps {
  readonly icon: "minus" | "plus" | "fit" | "minimap" | "list";
  readonly label: string;
  readonly keys: string;
  readonly on?: boolean;
  onClick(): void;
}

function ControlButton({ icon, label, keys, on, onClick }: ControlButtonProps): ReactElement {
  return (
    <button
      type="button"
      className={on ? "ib on" : "ib"}
      aria-label={label}
      aria-pressed={on}
      title={`${label}  ${keys}`}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

function EmptyGraph(): ReactElement {
  const openFirst = async () => {
    const [first] = await listExamples();
    if (first) await openExample(first.id);
  };
  return (
    <div className="graph-empty">
      <p>Drag an op here, or open a graph.</p>
      <button type="button" className="btn" onClick={() => attempt(openFirst)}>
        Open example
      </button>
    </div>
  );
}

/** One line at the foot: why the last edit was refused, else what to do next. */
function Hint(): ReactElement | null {
  const refusal = useDocument((state) => state.refusal);
  const revision = useDocument((state) => state.revision);
  const hasProblems = useDocument((state) => state.problems.size > 0);
  const run = useDocumentRun((state) => state.latest);
  const fresh = useDocumentRun((state) => state.runRevision === revision);
  useOps((state) => state.ops);
  if (refusal) {
    return (
      <div className="hint refusal" role="status">
        {refusal}
      </div>
    );
  }
  if (isActive(run)) return null;
  if (run === undefined) {
    if (hasProblems) return null;
    const [blocker] = documentActions.runBlockers();
    return blocker ? (
      <div className="hint">{blocker.remedy ?? blocker.message}</div>
    ) : (
      <div className="hint">
        {`Press Run to compute ${wantedText()}`}
        <kbd>{MOD_KEY} Enter</kbd>
      </div>
    );
  }
  if (fresh && run.state === "failed" && run.problem && isUninitialised(run.problem)) {
    return (
      <div className="hint">
        <span className="ell">Variables have no value yet.</span>
        <InitialiseButton className="btn sm" />
      </div>
    );
  }
  if (run.withoutSavedValues && run.state === "done") {
    return (
      <div className="hint refusal" role="status">
        Ran without the saved values: this is not what the model predicts.
      </div>
    );
  }
  const tasks = new Set(run.nodes.flatMap(({ device }) => taskNameOfDevice(device) ?? [])).size;
  const ran =
    fresh && run.state === "done" && tasks > 0 ? `Ran on ${tasks === 1 ? "1 task" : `${tasks} tasks`}. ` : "";
  return (
    <div className="hint">
      {`${ran}Drag a selection onto a task to pin it`}
      <kbd>P</kbd>
    </div>
  );
}

/** "z", "z and w", "3 results". */
function wantedText(): string {
  const { fetches } = documentActions.runInputs(2);
  const names = fetches.map((name) => parseTensorName(name).node);
  if (names.length === 0) return "the graph";
  return names.length <= 2 ? names.join(" and ") : `${names.length} results`;
}
