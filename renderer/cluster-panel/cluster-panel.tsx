import { type ReactElement, useState } from "react";
import type { ClusterState } from "../../main/api/cluster.js";
import { clusterCommands } from "../commands/cluster-commands.js";
import { CommandIconButton, CommandLink } from "../parts/command-button.js";
import { CLUSTER_NOTICE, useCluster } from "../stores/cluster-store.js";
import { countText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { AddPopover } from "./add-popover.js";
import "./cluster-panel.css";
import { ClusterHint } from "./cluster-hint.js";
import { ClusterTree } from "./cluster-tree.js";
import { DiscoveryNote, MoreMachines } from "./discovery-note.js";
import { DismissableNotice } from "./dismissable-notice.js";
import { Links } from "./links.js";
import { useDragScroll } from "./use-drag-scroll.js";

/** Machines, their tasks, what is wrong with them, and who reaches whom. */
export function ClusterPanel(): ReactElement {
  const state = useCluster((store) => store.state);
  // As state and not as a ref: the tree has to know of it before its first measurement.
  const [frame, setFrame] = useState<HTMLDivElement | null>(null);
  useDragScroll(frame);
  if (state === undefined) return <p className="empty">Reading the cluster…</p>;
  return (
    <div className="cluster-panel">
      <PanelHead state={state} />
      <div ref={setFrame} className="cluster-scroll">
        <ClusterTree machines={state.machines} frame={frame} />
        <MoreMachines count={state.unlistedMachines} />
        {state.notice ? (
          <DismissableNotice where={CLUSTER_NOTICE} problem={state.notice} className="warn-row wide" />
        ) : null}
        {state.exposures.map((problem) => (
          <DismissableNotice
            key={problem.message}
            where="exposure"
            problem={problem}
            className="warn-row wide"
          />
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
    <div className="side-head">
      <span className="ell">
        {countText(state.machines.length + (state.unlistedMachines ?? 0), "machine")} ·{" "}
        {countText(tasks, "task")}
      </span>
      <AccessLabel open={state.access === "open"} />
      <span className="grow" />
      <CommandIconButton command={clusterCommands.search} />
      <AddPopover />
    </div>
  );
}

/** Says as long as it is so that anyone on the network can use the cluster. */
function AccessLabel({ open }: { readonly open: boolean }): ReactElement | null {
  if (!open) return null;
  return (
    <CommandLink command={clusterCommands.access} className="open-label">
      {() => (
        <>
          <Icon name="unlock" size={12} />
          open
        </>
      )}
    </CommandLink>
  );
}
