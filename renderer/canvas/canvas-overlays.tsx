/** What the canvas shows around the graph: its heading, controls, minimap, hints and menus. */

import { useStore } from "@xyflow/react";
import type { ReactElement } from "react";
import { taskNameOfDevice } from "../cluster/task-name.js";
import { canvasCommands } from "../commands/canvas-commands.js";
import type { AnyCommand } from "../commands/command.js";
import { exampleCommands } from "../commands/file-commands.js";
import { graphCommands } from "../commands/graph-commands.js";
import { nodesCommands } from "../commands/node-commands.js";
import { runCommands } from "../commands/run-commands.js";
import { useCommand } from "../commands/use-action.js";
import { isUninitialised } from "../document/initialisers.js";
import { parseTensorName } from "../document/tensor-names.js";
import { CommandButton, CommandIconButton, CommandLink } from "../parts/command-button.js";
import { useBeforeEdit } from "../stores/before-edit.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { useOps } from "../stores/ops-store.js";
import { isActive, useDocumentRun } from "../stores/run-store.js";
import { countText, numberText, stepText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { shortcutText } from "../ui/shortcut.js";
import { CanvasMenu } from "./context-menu.js";
import { DragGhosts } from "./drag-ghosts.js";
import { EdgeMenu } from "./edge-menu.js";
import { KernelWarning } from "./kernel-warning.js";
import { ListView } from "./list-view.js";
import { Minimap } from "./minimap.js";
import { PinChooser } from "./pin-chooser.js";
import { PullReason } from "./pull-reason.js";

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

/**
 * The steps that the values and times on the nodes belong to, since there is no room for that on each node.
 */
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
      <CommandLink command={graphCommands.nextProblem} />
    </div>
  );
}

function Controls(): ReactElement {
  const zoom = useStore(({ transform }) => transform[2]);
  const reset = useCommand(canvasCommands.zoomReset);
  return (
    <div className="ctl bl0" role="toolbar" aria-label="View">
      <CommandIconButton command={canvasCommands.zoomOut} />
      <button
        type="button"
        className="zv"
        title={reset.label}
        aria-label={`Zoom ${Math.round(zoom * 100)} %, ${reset.label}`}
        onClick={() => void reset.run()}
      >
        {Math.round(zoom * 100)}%
      </button>
      <CommandIconButton command={canvasCommands.zoomIn} />
      <span className="vsep" />
      <CommandIconButton command={canvasCommands.fit} />
      <CommandIconButton command={canvasCommands.minimap} text="short" />
      <CommandIconButton command={canvasCommands.list} text="short" />
    </div>
  );
}

function EmptyGraph(): ReactElement {
  return (
    <div className="graph-empty">
      <p>Drag an op here, or open a graph.</p>
      <CommandButton command={exampleCommands.open} text="label" />
    </div>
  );
}

/** One line at the bottom: why the last edit was refused, otherwise what to do next. */
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
        <Keys of={runCommands.once} />
      </div>
    );
  }
  if (fresh && run.state === "failed" && run.problem && isUninitialised(run.problem)) {
    return (
      <div className="hint">
        <span className="ell">Variables have no value yet.</span>
        <CommandButton command={runCommands.initialise} size="small" />
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
      <Keys of={nodesCommands.pin} />
    </div>
  );
}

function Keys({ of: { shortcut } }: { readonly of: AnyCommand }): ReactElement | null {
  return shortcut === undefined ? null : <kbd>{shortcutText(shortcut)}</kbd>;
}

/** "z", "z and w", "3 results". */
function wantedText(): string {
  const { fetches } = documentActions.runInputs(2);
  const names = fetches.map((name) => parseTensorName(name).node);
  if (names.length === 0) return "the graph";
  return names.length <= 2 ? names.join(" and ") : `${names.length} results`;
}
