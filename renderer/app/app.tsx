import { type ReactElement, useEffect } from "react";
import { flushSync } from "react-dom";
import { copyText } from "../actions/copy-text.js";
import { Canvas } from "../canvas/index.js";
import { viewCommands } from "../commands/view-commands.js";
import { Dock } from "../dock/dock.js";
import { Inspector } from "../inspector/index.js";
import { CommandIconButton } from "../parts/command-button.js";
import { showProblem, useApp } from "../stores/app-store.js";
import { useDocument } from "../stores/document-store.js";
import { useModalOpen } from "../stores/modal.js";
import { uiActions, useUi } from "../stores/ui-store.js";
import { preloadable } from "../ui/preloadable.js";
import { UiServicesProvider } from "../ui/services.js";
import { TooltipProvider } from "../ui/tooltip.js";
import { SideTabs } from "./side-tabs.js";
import "./app.css";
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
  useFocusAfterClosing();
  return (
    <div className="frame">
      <TopBar />
      <div className="frame-middle">
        <SidePanel />
        <div className="frame-centre">
          <RuntimeBanner />
          <div className="frame-work">
            <div className="frame-stage">
              <Messages />
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
                <Canvas />
              </main>
            </div>
            <InspectorPanel overlay={narrow} />
          </div>
          <Dock />
        </div>
      </div>
      <StatusBar />
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
        <CommandIconButton command={viewCommands.side} />
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
        <SideTabs />
      </aside>
      <ResizeHandle panel="sideWidth" edge="right" label="Width of the side panel" />
    </>
  );
}

function InspectorPanel({ overlay }: { readonly overlay: boolean }): ReactElement | null {
  const width = useUi((state) => state.inspectorWidth);
  const open = useUi((state) => (overlay ? state.inspectorOverlay : state.inspectorOpen));
  if (!open) {
    return (
      <div className="frame-inspector-opener">
        <CommandIconButton command={viewCommands.inspector} />
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
        <Inspector />
      </aside>
    </>
  );
}
