import { type ReactElement, useEffect } from "react";
import { flushSync } from "react-dom";
import { copyText } from "../actions/copy-text.js";
import { Canvas } from "../canvas/index.js";
import { Dock } from "../dock/dock.js";
import { Inspector } from "../inspector/index.js";
import { showProblem, useApp } from "../stores/app-store.js";
import { useDocument } from "../stores/document-store.js";
import { useModalOpen } from "../stores/modal.js";
import { uiActions, useUi } from "../stores/ui-store.js";
import { IconButton } from "../ui/button.js";
import { preloadable } from "../ui/preloadable.js";
import { UiServicesProvider } from "../ui/services.js";
import { TooltipProvider } from "../ui/tooltip.js";
import { SideTabs } from "./side-tabs.js";
import "./app.css";
import { PanelBoundary } from "../parts/panel-boundary.js";
import { ResizeHandle } from "../parts/resize-handle.js";
import { whenIdle } from "../ui/when-idle.js";
import { DropTarget } from "./drop-target.js";
import { Messages } from "./messages.js";
import { RefusedPage } from "./refused-page.js";
import { RuntimeBanner } from "./runtime-banner.js";
import { StatusBar } from "./status-bar.js";
import { TopBar } from "./top-bar.js";
import { useNarrow } from "./use-narrow.js";

// Nothing of a dialog is needed to show the window. It is fetched while nothing else goes on, so that it opens at once.
const Dialogs = preloadable(() => import("./dialogs.js"));
whenIdle(() => void Dialogs.preload());

const SERVICES = { copyText, showError: showProblem };

export function App(): ReactElement {
  const refusal = useApp((state) => (state.connection === "refused" ? state.refusal : undefined));
  const unsaved = useDocument((state) => state.dirty);
  // Changes that are nowhere else stay in view, with the way to keep them.
  if (refusal !== undefined && !unsaved) return <RefusedPage refusal={refusal} />;
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
  const generation = useDocument((state) => state.generation);
  useFocusAfterClosing();
  return (
    <div className="frame">
      <PanelBoundary name="The top bar">
        <TopBar />
      </PanelBoundary>
      <div className="frame-middle">
        <SidePanel />
        <div className="frame-centre">
          <PanelBoundary name="The banner">
            <RuntimeBanner />
          </PanelBoundary>
          <div className="frame-work">
            <div className="frame-stage">
              <PanelBoundary name="The messages">
                <Messages />
              </PanelBoundary>
              <main
                className="frame-canvas"
                data-panel="canvas"
                tabIndex={-1}
                onKeyDownCapture={(event) => {
                  // The canvas then moves the focus into the inspector, which has to be there for it.
                  if (event.key === "Enter" && useDocument.getState().selection.size === 1)
                    flushSync(() => uiActions.toggleInspector(true));
                }}
              >
                <PanelBoundary name="The canvas" resetOn={generation}>
                  <Canvas />
                </PanelBoundary>
              </main>
            </div>
            <InspectorPanel overlay={narrow} />
          </div>
          <PanelBoundary name="The dock">
            <Dock />
          </PanelBoundary>
        </div>
      </div>
      <PanelBoundary name="The status bar">
        <StatusBar />
      </PanelBoundary>
    </div>
  );
}

/** The canvas takes the focus of a panel that was closed. */
function useFocusAfterClosing(): void {
  const closed = useUi((state) => `${state.sideOpen} ${state.inspectorOpen} ${state.inspectorOverlay}`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at whenever a panel has come or gone
  useEffect(() => {
    if (document.activeElement !== document.body) return;
    document.querySelector<HTMLElement>("[data-canvas]")?.focus({ preventScroll: true });
  }, [closed]);
}

function SidePanel(): ReactElement {
  const open = useUi((state) => state.sideOpen);
  const width = useUi((state) => state.sideWidth);
  if (!open) {
    return (
      <div className="frame-side-rail">
        <IconButton
          icon="panel-left"
          label="Show the side panel"
          shortcut="Mod+B"
          onClick={() => uiActions.toggleSide(true)}
        />
      </div>
    );
  }
  return (
    <>
      <aside
        className="frame-side"
        aria-label="Cluster and ops"
        style={{ width }}
        data-panel="side"
        tabIndex={-1}
      >
        <PanelBoundary name="The side panel">
          <SideTabs />
        </PanelBoundary>
      </aside>
      <ResizeHandle panel="sideWidth" edge="right" label="Width of the side panel" />
    </>
  );
}

function InspectorPanel({ overlay }: { readonly overlay: boolean }): ReactElement | null {
  const width = useUi((state) => state.inspectorWidth);
  const selection = useDocument((state) => state.selection);
  const open = useUi((state) => (overlay ? state.inspectorOverlay : state.inspectorOpen));
  if (!open) {
    return (
      <div className="frame-inspector-opener">
        <IconButton
          icon="panel-right"
          label="Show the inspector"
          shortcut="Mod+I"
          onClick={() => uiActions.toggleInspector(true)}
        />
      </div>
    );
  }
  return (
    <>
      {overlay ? null : <ResizeHandle panel="inspectorWidth" edge="left" label="Width of the inspector" />}
      <aside
        className={overlay ? "frame-inspector overlay" : "frame-inspector"}
        style={{ width }}
        aria-label="Inspector"
        data-panel="inspector"
        tabIndex={-1}
        onKeyDown={(event) => {
          if (overlay && event.key === "Escape" && !event.defaultPrevented) uiActions.toggleInspector(false);
        }}
      >
        <PanelBoundary name="The inspector" resetOn={selection}>
          <Inspector />
        </PanelBoundary>
      </aside>
    </>
  );
}
