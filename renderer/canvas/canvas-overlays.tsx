/** The parts of the canvas around the graph: its heading, controls, minimap, hints and menus. */
import { useStore } from "@xyflow/react";
import type { ReactElement } from "react";
import { canvasCommands } from "../commands/canvas-commands.js";
import { exampleCommands } from "../commands/file-commands.js";
import { graphCommands } from "../commands/graph-commands.js";
import { useCommand } from "../commands/use-action.js";
import { whyNotEdit } from "../document/edits/edit-function.js";
import { libraryOf } from "../document/library.js";
import { CommandButton, CommandIconButton, CommandLink } from "../parts/command-button.js";
import { useBeforeEdit } from "../stores/before-edit.js";
import { useActiveGraph } from "../stores/document-session.js";
import { useDocument, useGraph } from "../stores/document-store.js";
import { functionOf } from "../stores/function-bodies.js";
import { useGraphView } from "../stores/graph-view-store.js";
import { useGraphRun } from "../stores/run-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { stepText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import textStyles from "../ui/text.module.css";
import { visibleNow } from "../viewport/shown-graph.js";
import { ArrangingBar } from "./arranging-bar.js";
import { Breadcrumbs } from "./breadcrumbs.js";
import styles from "./canvas-overlays.module.css";
import { ColourLegend } from "./colour-legend.js";
import { CanvasMenu } from "./context-menu.js";
import { DragGhosts } from "./drag-ghosts.js";
import { EdgeMenu } from "./edge-menu.js";
import { EnteringBar } from "./entering-bar.js";
import { ErrorCard } from "./error-card.js";
import { Hint } from "./hint.js";
import { KernelWarning } from "./kernel-warning.js";
import { ListView } from "./list-view.js";
import { Minimap } from "./minimap.js";
import barStyles from "./overlay-bar.module.css";
import { PinChooser } from "./pin-chooser.js";
import { PlacementBar } from "./placement-bar.js";
import { PullReason } from "./pull-reason.js";
import { TrainingBar } from "./training-bar.js";

const words = texts.canvas.canvasOverlays;

export function CanvasOverlays(): ReactElement {
  const empty = useGraph((state) => state.document.nodes.size === 0);
  return (
    <>
      <Heading />
      <ColourLegend />
      <ProblemCount />
      <KernelWarning />
      <PlacementBar />
      <TrainingBar />
      <ArrangingBar />
      <EnteringBar />
      <Controls />
      {empty ? <EmptyGraph /> : <Hint />}
      <Minimap />
      <ErrorCard />
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
  const step = useGraphRun((state) => (state.latest?.fetches.length ? state.latest.step : 0));
  const traced = useGraphRun((state) => state.latest?.tracedStep ?? 0);
  const hasSetUp = useGraphRun((state) => state.latest?.tracedStepRegisteredGraph);
  const old = useBeforeEdit();
  if (step === 0 && traced === 0) return undefined;
  const both =
    step === traced
      ? words.valuesAndTimes({ step: stepText(step, hasSetUp) })
      : [
          step > 0 ? words.values({ step: stepText(step) }) : "",
          traced > 0 ? words.times({ step: stepText(traced, hasSetUp) }) : "",
        ]
          .filter(Boolean)
          .join(", ");
  return old ? words.beforeEdit({ measured: both }) : both;
}

function Heading(): ReactElement {
  const count = useGraph((state) => state.document.nodes.size);
  const selected = useGraph((state) => state.selection.size);
  const name = useGraph((state) => (state.selection.size === 1 ? [...state.selection][0] : undefined));
  useGraphView((state) => state.shown);
  const drawn = visibleNow()?.items.filter(({ kind }) => kind !== "frame").length;
  const parts = [drawn === undefined ? words.nodes({ count }) : words.nodesInBlocks({ count, drawn })];
  if (selected > 0) parts.push(words.selected({ count: selected }));
  if (name !== undefined) parts.push(name);
  const measured = useMeasuredText();
  const reason = useReadOnly();
  return (
    <div className={styles.heading}>
      <Breadcrumbs />
      <span className={textStyles.muted} aria-live="polite">
        {parts.join(" · ")}
      </span>
      {measured === undefined ? null : <span className={textStyles.muted}>{measured}</span>}
      {reason === undefined ? null : <span className={textStyles.muted}>{reason}</span>}
    </div>
  );
}

/** Why the function that is shown cannot be edited. */
function useReadOnly(): string | undefined {
  const session = useActiveGraph();
  return useDocument(({ document }) => {
    const definition = libraryOf(document.metaGraph).get(functionOf(session) ?? "");
    return definition && whyNotEdit(definition);
  });
}

function ProblemCount(): ReactElement | null {
  const count = useGraph((state) => state.problems.size);
  if (count === 0) return null;
  return (
    <div className={classNames(barStyles.bar, barStyles.topRight, barStyles.error)} role="alert">
      <Icon name="close" />
      <span>{words.cannotRun({ count })}</span>
      <CommandLink command={graphCommands.nextProblem} />
    </div>
  );
}

function Controls(): ReactElement {
  const zoom = useStore(({ transform }) => transform[2]);
  const reset = useCommand(canvasCommands.zoomReset);
  return (
    <div className={classNames(barStyles.bar, barStyles.bottomLeft)} role="toolbar" aria-label={words.view}>
      <CommandIconButton command={canvasCommands.zoomOut} />
      <button
        type="button"
        className={styles.zoom}
        title={reset.label}
        aria-label={words.zoom({ zoom: Math.round(zoom * 100), label: reset.label })}
        onClick={() => void reset.run()}
      >
        {Math.round(zoom * 100)}%
      </button>
      <CommandIconButton command={canvasCommands.zoomIn} />
      <span className={styles.separator} />
      <CommandIconButton command={canvasCommands.fit} />
      <CommandIconButton command={canvasCommands.minimap} text="short" />
      <CommandIconButton command={canvasCommands.list} text="short" />
    </div>
  );
}

function EmptyGraph(): ReactElement {
  return (
    <div className={styles.emptyGraph}>
      <p>{words.empty}</p>
      <CommandButton command={exampleCommands.open} text="label" />
    </div>
  );
}
