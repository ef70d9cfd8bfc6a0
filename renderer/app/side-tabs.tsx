import type { ReactElement } from "react";
import { ClusterPanel } from "../cluster-panel/cluster-panel.js";
import { viewCommands } from "../commands/view-commands.js";
import { OpsPanel } from "../ops-panel/index.js";
import { CommandIconButton } from "../parts/command-button.js";
import { PanelBoundary } from "../parts/panel-boundary.js";
import { uiActions, useUi } from "../stores/ui-store.js";
import { TabControl, TabList, TabPanel, Tabs } from "../ui/tabs.js";
import textStyles from "../ui/text.module.css";
import styles from "./side-tabs.module.css";

const TABS = [
  { id: "cluster", label: "Cluster" },
  { id: "ops", label: "Ops" },
] as const;

/** The panel at the left: the cluster or the ops. */
export function SideTabs(): ReactElement {
  const tab = useUi((state) => state.sideTab);
  return (
    <Tabs selected={tab} onSelect={uiActions.showSide}>
      <div style={{ display: "contents" }}>
        <TabList label="Side panel" tabs={TABS} selected={tab}>
          <span className={textStyles.grow} />
          <TabControl>
            <CommandIconButton command={viewCommands.side} />
          </TabControl>
        </TabList>
        <TabPanel id={tab} className={styles.panel} data-own-keys="">
          <PanelBoundary name={tab === "cluster" ? "The cluster panel" : "The list of ops"} resetOn={tab}>
            {tab === "cluster" ? <ClusterPanel /> : <OpsPanel />}
          </PanelBoundary>
        </TabPanel>
      </div>
    </Tabs>
  );
}
