import type { ReactElement } from "react";
import { ClusterPanel } from "../cluster-panel/cluster-panel.js";
import { viewCommands } from "../commands/view-commands.js";
import { OpsPanel } from "../ops-panel/index.js";
import { CommandIconButton } from "../parts/command-button.js";
import { PanelBoundary } from "../parts/panel-boundary.js";
import { PlacementPanel } from "../placement-panel/placement-panel.js";
import { type SideTab, uiActions, useUi } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { TabControl, TabList, TabPanel, Tabs } from "../ui/tabs.js";
import textStyles from "../ui/text.module.css";
import styles from "./side-tabs.module.css";

const words = texts.app.sideTabs;

const TABS = [
  { id: "cluster", label: words.tabs.cluster },
  { id: "ops", label: words.tabs.ops },
  { id: "placement", label: words.tabs.placement },
] as const;

/** The panel at the left: the cluster, the ops or the placement of the graph. */
export function SideTabs(): ReactElement {
  const tab = useUi((state) => state.sideTab);
  return (
    <Tabs selected={tab} onSelect={uiActions.showSide}>
      <div style={{ display: "contents" }}>
        <TabList label={words.sidePanel} tabs={TABS} selected={tab}>
          <span className={textStyles.grow} />
          <TabControl>
            <CommandIconButton command={viewCommands.side} />
          </TabControl>
        </TabList>
        <TabPanel id={tab} className={styles.panel} data-own-keys="">
          <PanelBoundary name={words.names[tab]} resetOn={tab}>
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
