import { type ReactElement, useState } from "react";
import type { ClusterState } from "../../main/api/cluster.js";
import { clusterCommands } from "../commands/cluster-commands.js";
import { CommandIconButton, CommandLink } from "../parts/command-button.js";
import { CLUSTER_NOTICE, useCluster } from "../stores/cluster-store.js";
import { texts } from "../texts/texts.js";
import { EmptyText } from "../ui/empty-text.js";
import { Icon } from "../ui/icon.js";
import textStyles from "../ui/text.module.css";
import { AddPopover } from "./add-popover.js";
import { ClusterHint } from "./cluster-hint.js";
import styles from "./cluster-panel.module.css";
import { ClusterTree } from "./cluster-tree.js";
import { DiscoveryNote, MoreMachines } from "./discovery-note.js";
import { DismissableNotice } from "./dismissable-notice.js";
import { KubernetesSection } from "./kubernetes-section.js";
import { Links } from "./links.js";
import { useDragScroll } from "./use-drag-scroll.js";

const words = texts.clusterPanel.clusterPanel;

/** Machines, their tasks and problems, and the links between machines. */
export function ClusterPanel(): ReactElement {
  const state = useCluster((store) => store.state);
  // As state and not as a ref: the tree has to know of it before its first measurement.
  const [frame, setFrame] = useState<HTMLDivElement | null>(null);
  useDragScroll(frame);
  if (state === undefined) return <EmptyText>{words.reading}</EmptyText>;
  return (
    <div className={styles.panel}>
      <PanelHead state={state} />
      <div ref={setFrame} className={styles.scroll}>
        <ClusterTree machines={state.machines} frame={frame} />
        <MoreMachines count={state.unlistedMachines} />
        <KubernetesSection />
        {state.notice ? (
          <DismissableNotice where={CLUSTER_NOTICE} problem={state.notice} at="cluster" />
        ) : null}
        {state.exposures.map((problem) => (
          <DismissableNotice key={problem.message} where="exposure" problem={problem} at="cluster" />
        ))}
        <ClusterHint />
        <DiscoveryNote state={state} />
      </div>
      <Links machines={state.machines} />
    </div>
  );
}

function PanelHead({ state }: { readonly state: ClusterState }): ReactElement {
  const tasks = state.machines.reduce((sum, machine) => sum + machine.tasks.length, 0);
  return (
    <div className={styles.head}>
      <span className={textStyles.truncated}>
        {words.counts({ machines: state.machines.length + (state.unlistedMachines ?? 0), tasks })}
      </span>
      <AccessLabel open={state.access === "open"} />
      <span className={textStyles.grow} />
      <CommandIconButton command={clusterCommands.search} />
      <AddPopover />
    </div>
  );
}

/** Shown for as long as anyone on the network can use the cluster. */
function AccessLabel({ open }: { readonly open: boolean }): ReactElement | null {
  if (!open) return null;
  return (
    <CommandLink command={clusterCommands.access} className={styles.open}>
      {() => (
        <>
          <Icon name="unlock" size={12} />
          {words.open}
        </>
      )}
    </CommandLink>
  );
}
