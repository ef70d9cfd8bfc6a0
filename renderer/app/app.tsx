import { type ReactElement, useEffect } from "react";
import { flushSync } from "react-dom";
import { copyText } from "../actions/copy-text.js";
import { Canvas } from "../canvas/index.js";
import { viewCommands } from "../commands/view-commands.js";
import { Dock } from "../dock/dock.js";
import { Inspector } from "../inspector/index.js";
import { CommandIconButton } from "../parts/command-button.js";
import { PanelBoundary } from "../parts/panel-boundary.js";
import { showProblem, useApp } from "../stores/app-store.js";
import { useActiveGraph, useActiveSession, useSessions } from "../stores/document-session.js";
import { useDocument, useGraph } from "../stores/document-store.js";
import { useModalOpen } from "../stores/modal.js";
import { isAnyDirty } from "../stores/tab-store.js";
import { LIMITS, uiActions, useUi } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Tour } from "../tour/tour.js";
import { afterStart } from "../ui/after-start.js";
import { classNames } from "../ui/class-names.js";
import { preloadable } from "../ui/preloadable.js";
import { UiServicesProvider } from "../ui/services.js";
import { Split } from "../ui/split.js";
import { TabPanel, Tabs } from "../ui/tabs.js";
import { TooltipProvider } from "../ui/tooltip.js";
import { revealBesideCover } from "../viewport/view.js";
import styles from "./app.module.css";
import { DocumentTabs, showDocument } from "./document-tabs.js";
import { DropTarget } from "./drop-target.js";
import { Messages } from "./messages.js";
import { RefusedPage } from "./refused-page.js";
import { RuntimeBanner } from "./runtime-banner.js";
import { SideTabs } from "./side-tabs.js";
import { StatusBar } from "./status-bar.js";
import { TopBar } from "./top-bar.js";
import { useNarrow, usePanelsThatYield } from "./use-narrow.js";

const words = texts.app.app;

// Dialogs are not needed to show the window. They are loaded while the page is idle, so they open at once.
const Dialogs = preloadable(() => import("./dialogs.js"));
afterStart(() => void Dialogs.preload());

/** The height of the closed dock: its tabs and a line, in pixels. */
const DOCK_BAR = 37;

const SERVICES = { copyText, showError: showProblem };

export function App(): ReactElement {
  const refusal = useApp((state) => (state.connection === "refused" ? state.refusal : undefined));
  // Changes that exist nowhere else stay visible, with a way to keep them.
  const isLost = useDocument((state) => refusal !== undefined && !state.dirty && !isAnyDirty());
  if (refusal !== undefined && isLost) return <RefusedPage refusal={refusal} />;
  return (
    <UiServicesProvider value={SERVICES}>
      <TooltipProvider>
        <Frame />
        <DropTarget />
        <OpenDialog />
      </TooltipProvider>
    </UiServicesProvider>
  );
}

function OpenDialog(): ReactElement | null {
  const open = useModalOpen();
  return open ? <Dialogs /> : null;
}

function Frame(): ReactElement {
  const narrow = useNarrow();
  usePanelsThatYield();
  useFocusAfterClosing();
  return (
    <div className={styles.frame}>
      <PanelBoundary name={words.topBar}>
        <TopBar />
      </PanelBoundary>
      <Middle narrow={narrow} />
      <PanelBoundary name={words.statusBar}>
        <StatusBar />
      </PanelBoundary>
      <PanelBoundary name={words.tour}>
        <Tour />
      </PanelBoundary>
    </div>
  );
}

/** The side panel and the area to its right. */
function Middle({ narrow }: { readonly narrow: boolean }): ReactElement {
  const open = useUi((state) => state.sideOpen);
  const width = useUi((state) => state.sideWidth);
  return (
    <div className={styles.middle}>
      {open ? null : <SideRail />}
      <Split
        orientation="horizontal"
        at="start"
        pane={open ? <SidePanel /> : undefined}
        size={width}
        least={LIMITS.sideWidth.min}
        most={LIMITS.sideWidth.max}
        leastRest="55%"
        label={words.widthOfSidePanel}
        onResize={(size) => uiActions.resize("sideWidth", size)}
      >
        <Documents narrow={narrow} />
      </Split>
    </div>
  );
}

/** The tabs of the open documents, and what belongs to the shown one. */
function Documents({ narrow }: { readonly narrow: boolean }): ReactElement {
  const { id } = useActiveSession();
  const several = useSessions((state) => state.open.length > 1);
  return (
    <Tabs selected={String(id)} onSelect={showDocument} manual>
      <div className={styles.centre}>
        <PanelBoundary name={words.tabs}>
          <DocumentTabs />
        </PanelBoundary>
        <PanelBoundary name={words.banner}>
          <RuntimeBanner />
        </PanelBoundary>
        <TabPanel
          id={String(id)}
          className={styles.document}
          // A panel of tabs only where there are tabs.
          {...(several ? {} : { role: undefined, "aria-labelledby": undefined })}
        >
          <Centre narrow={narrow} />
        </TabPanel>
      </div>
    </Tabs>
  );
}

/** The canvas with the inspector, and the dock below. */
function Centre({ narrow }: { readonly narrow: boolean }): ReactElement {
  const dockOpen = useUi((state) => state.dockOpen);
  const dockHeight = useUi((state) => state.dockHeight);
  const inspectorOpen = useUi((state) => state.inspectorOpen);
  const inspectorWidth = useUi((state) => state.inspectorWidth);
  const generation = useGraph((state) => state.generation);
  const { id } = useActiveSession();
  return (
    <Split
      orientation="vertical"
      at="end"
      pane={
        <PanelBoundary key={id} name={words.dock}>
          <Dock />
        </PanelBoundary>
      }
      size={dockHeight}
      least={LIMITS.dockHeight.min}
      most={LIMITS.dockHeight.max}
      leastRest="30%"
      bar={DOCK_BAR}
      closed={!dockOpen}
      label={words.heightOfDock}
      onResize={(size) => uiActions.resize("dockHeight", size)}
      onClose={() => uiActions.toggleDock(false)}
    >
      <div className={styles.work}>
        <Split
          orientation="horizontal"
          at="end"
          pane={!narrow && inspectorOpen ? <InspectorPanel overlay={false} /> : undefined}
          size={inspectorWidth}
          least={LIMITS.inspectorWidth.min}
          most={LIMITS.inspectorWidth.max}
          leastRest="30%"
          label={words.widthOfInspector}
          onResize={(size) => uiActions.resize("inspectorWidth", size)}
        >
          <div className={styles.stage}>
            <PanelBoundary name={words.messages}>
              <Messages />
            </PanelBoundary>
            <main
              className={styles.canvas}
              data-panel-name="canvas"
              tabIndex={-1}
              onKeyDownCapture={(event) => {
                // The canvas then moves the focus into the inspector, which must be mounted by then.
                if (event.key === "Enter" && useGraph.getState().selection.size === 1)
                  flushSync(() => uiActions.toggleInspector(true));
              }}
            >
              <PanelBoundary name={words.canvas} resetOn={generation}>
                <Canvas />
              </PanelBoundary>
            </main>
          </div>
        </Split>
        {narrow || !inspectorOpen ? <InspectorPanel overlay={narrow} /> : null}
      </div>
    </Split>
  );
}

/** Moves the focus of what is no longer shown to the canvas. */
function useFocusAfterClosing(): void {
  const panels = useUi((state) => `${state.sideOpen} ${state.inspectorOpen} ${state.inspectorOverlay}`);
  const { id } = useActiveGraph();
  // biome-ignore lint/correctness/useExhaustiveDependencies: checked whenever a panel or another document has been shown
  useEffect(() => {
    if (document.activeElement !== document.body) return;
    document.querySelector<HTMLElement>("[data-canvas]")?.focus({ preventScroll: true });
  }, [panels, id]);
}

function SideRail(): ReactElement {
  return (
    <div className={styles.sideRail}>
      <CommandIconButton command={viewCommands.side} />
    </div>
  );
}

function SidePanel(): ReactElement {
  return (
    <aside className={styles.side} aria-label={words.clusterAndOps} data-panel-name="side" tabIndex={-1}>
      <PanelBoundary name={words.sidePanel}>
        <SideTabs />
      </PanelBoundary>
    </aside>
  );
}

function InspectorPanel({ overlay }: { readonly overlay: boolean }): ReactElement | null {
  const width = useUi((state) => state.inspectorWidth);
  const selection = useGraph((state) => state.selection);
  const { id } = useActiveGraph();
  const open = useUi((state) => (overlay ? state.inspectorOverlay : state.inspectorOpen));
  useEffect(() => {
    if (overlay && open) revealBesideCover([...selection]);
  }, [overlay, open, selection]);
  if (!open) {
    return (
      <div className={styles.inspectorOpener}>
        <CommandIconButton command={viewCommands.inspector} />
      </div>
    );
  }
  return (
    <aside
      className={classNames(styles.inspector, overlay && styles.overlaid)}
      style={overlay ? { width } : undefined}
      aria-label={words.inspector}
      data-panel-name="inspector"
      data-covers-canvas={overlay ? "" : undefined}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (overlay && event.key === "Escape" && !event.defaultPrevented) uiActions.toggleInspector(false);
      }}
    >
      <PanelBoundary key={id} name={words.theInspector} resetOn={selection}>
        <Inspector />
      </PanelBoundary>
    </aside>
  );
}
