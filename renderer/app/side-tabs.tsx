import type { ReactElement } from "react";
import { ClusterPanel } from "../cluster-panel/cluster-panel.js";
import { viewCommands } from "../commands/view-commands.js";
import { OpsPanel } from "../ops-panel/index.js";
import { CommandIconButton } from "../parts/command-button.js";
import { PanelBoundary } from "../parts/panel-boundary.js";
import { PlacementPanel } from "../placement-panel/placement-panel.js";
import { type SideTab, uiActions, useUi } from "../stores/ui-store.js";
import { TabControl, TabList, TabPanel, Tabs } from "../ui/tabs.js";
import textStyles from "../ui/text.module.css";
import styles from "./side-tabs.module.css";

const TABS = [
  { id: "cluster", label: "Cluster" },
  { id: "ops", label: "Ops" },
  { id: "placement", label: "Placement" },
] as const;

const NAMES: Readonly<Record<SideTab, string>> = {
  cluster: "The cluster panel",
  ops: "The list of ops",
  placement: "The placement panel",
};

/** The panel at the left: the cluster, the ops or the placement of the graph. */
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
          <PanelBoundary name={NAMES[tab]} resetOn={tab}>
            <SideContent tab={tab} />
          </PanelBoundary>
        </TabPanel>
      </div>
    </Tabs>
  );
}

function SideContent({ tab }: { readonly tab: SideTab }): ReactElement {
  if (tab === "cluster") return <ClusterPanel />;
  return tab === "ops" ? <OpsPanel /> : <PlacementPanel />;
}
