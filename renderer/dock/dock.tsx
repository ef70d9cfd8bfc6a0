import type { ReactElement } from "react";
import { viewCommands } from "../commands/view-commands.js";
import { variablesOf } from "../document/variables.js";
import { CommandIconButton } from "../parts/command-button.js";
import { PanelBoundary } from "../parts/panel-boundary.js";
import { useCluster } from "../stores/cluster-store.js";
import { useDocument } from "../stores/document-store.js";
import { useKernels } from "../stores/kernel-store.js";
import { usePinProblems } from "../stores/pin-problem-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { isGoing, useScripts } from "../stores/script-store.js";
import { useTensorTabs } from "../stores/tensor-tabs.js";
import { type DockTab, uiActions, useUi } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { afterStart } from "../ui/after-start.js";
import { preloadable } from "../ui/preloadable.js";
import { type Tab, TabControl, TabList, TabPanel, Tabs } from "../ui/tabs.js";
import textStyles from "../ui/text.module.css";
import styles from "./dock.module.css";

const words = texts.dock.dock;

const ResultsTab = preloadable(() => import("./results-tab.js"));
const TimelineTab = preloadable(() => import("./timeline-tab.js"));
const LanesTab = preloadable(() => import("./task-lanes/lanes-tab.js"));
const VariablesTab = preloadable(() => import("./variables/variables-tab.js"));
const HistoryTab = preloadable(() => import("./history/history-tab.js"));
const TrainingTab = preloadable(() => import("./training/training-tab.js"));
const LogsTab = preloadable(() => import("./logs-tab.js"));
const ProblemsTab = preloadable(() => import("./problems-tab.js"));
const RunTab = preloadable(() => import("./run-tab.js"));
const ScriptsTab = preloadable(() => import("./scripts/scripts-tab.js"));
const TensorTab = preloadable(() => import("./tensor-tab.js"));
// Not needed to show the window, but at once when a tab is opened.
afterStart(() => {
  for (const tab of [
    ResultsTab,
    TimelineTab,
    VariablesTab,
    LanesTab,
    TrainingTab,
    HistoryTab,
    LogsTab,
    ProblemsTab,
    RunTab,
    ScriptsTab,
    TensorTab,
  ])
    void tab.preload();
});

/** The panel at the bottom: results, timeline, logs, problems, and every tensor that was opened. */
export function Dock(): ReactElement {
  const open = useUi((state) => state.dockOpen);
  const tab = useUi((state) => state.dockTab);
  return (
    <Tabs selected={open ? tab : undefined} onSelect={uiActions.showDock}>
      <section className={styles.dock} aria-label={words.dock} data-panel-name="dock" tabIndex={-1}>
        <DockTabs open={open} tab={tab} />
        {open ? (
          <TabPanel id={tab} className={styles.body}>
            <PanelBoundary name={words.thisTab} resetOn={tab}>
              <DockContent tab={tab} />
            </PanelBoundary>
          </TabPanel>
        ) : null}
      </section>
    </Tabs>
  );
}

function DockTabs({ open, tab }: { readonly open: boolean; readonly tab: DockTab }): ReactElement {
  const results = useDocumentRun((state) => state.latest?.fetches.length ?? 0);
  const inGraph = useDocument((state) => state.problems.size);
  const inTasks = useCluster((state) => state.tasks.filter(({ problem }) => problem !== undefined).length);
  const withoutKernels = useKernels((state) => state.missing.tasks.length);
  const ofPins = usePinProblems((state) => state.problems.length);
  const variables = useDocument((state) => variablesOf(state.document.nodes).length);
  const scripts = useScripts((state) => state.jobs.filter(isGoing).length);
  const trains = useDocument((state) => state.document.runConfig.training !== undefined);
  const saves = useDocumentRun((state) => state.latest?.checkpoints !== undefined);
  const tensors = useTensorTabs((state) => state.names);
  const tabs: Tab<DockTab>[] = [
    { id: "results", label: words.tabs.results, count: results },
    { id: "timeline", label: words.tabs.timeline },
    { id: "variables", label: words.tabs.variables, count: variables },
    { id: "logs", label: words.tabs.logs },
    {
      id: "problems",
      label: words.tabs.problems,
      count: inGraph + inTasks + withoutKernels + ofPins,
      bad: inGraph + inTasks > 0,
    },
    { id: "run", label: words.tabs.run },
    { id: "history", label: words.tabs.runs },
    { id: "lanes", label: words.tabs.lanes },
    { id: "scripts", label: words.tabs.scripts, count: scripts },
    ...(trains || saves || tab === "training"
      ? [{ id: "training", label: words.tabs.training } satisfies Tab<DockTab>]
      : []),
    ...tensors.map(
      (name): Tab<DockTab> => ({
        id: `tensor:${name}`,
        label: name,
        onClose: () => uiActions.closeTensor(name),
      }),
    ),
  ];
  return (
    <TabList label={words.dock} tabs={tabs} selected={open ? tab : undefined}>
      <span className={textStyles.grow} />
      <TabControl>
        <CommandIconButton
          command={viewCommands.dock}
          icon={open ? "chevron-down" : "chevron-up"}
          aria-expanded={open}
        />
      </TabControl>
    </TabList>
  );
}

function DockContent({ tab }: { readonly tab: DockTab }): ReactElement {
  if (tab === "results") return <ResultsTab />;
  if (tab === "timeline") return <TimelineTab />;
  if (tab === "variables") return <VariablesTab />;
  if (tab === "lanes") return <LanesTab />;
  if (tab === "training") return <TrainingTab />;
  if (tab === "logs") return <LogsTab />;
  if (tab === "problems") return <ProblemsTab />;
  if (tab === "run") return <RunTab />;
  if (tab === "scripts") return <ScriptsTab />;
  if (tab === "history") return <HistoryTab />;
  const name = tab.slice("tensor:".length);
  return <TensorTab key={name} name={name} />;
}
