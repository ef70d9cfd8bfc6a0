import { type ReactElement, useState } from "react";
import type { ClusterState } from "../../main/api/cluster.js";
import { searchMachines } from "../actions/machine-actions.js";
import { attempt } from "../stores/app-store.js";
import { CLUSTER_NOTICE, useCluster } from "../stores/cluster-store.js";
import { uiActions } from "../stores/ui-store.js";
import { IconButton } from "../ui/button.js";
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
  const searching = state.discovery.state === "searching";
  return (
    <div className="side-head">
      <span className="ell">
        {countText(state.machines.length + (state.unlistedMachines ?? 0), "machine")} ·{" "}
        {countText(tasks, "task")}
      </span>
      <AccessLabel open={state.access === "open"} />
      <span className="grow" />
      <IconButton
        icon="refresh"
        label={searching ? "Looking for machines…" : "Look for machines again"}
        onClick={() => attempt(searchMachines)}
      />
      <AddPopover />
    </div>
  );
}

/** Says as long as it is so that anyone on the network can use the cluster. */
function AccessLabel({ open }: { readonly open: boolean }): ReactElement | null {
  if (!open) return null;
  return (
    <button
      type="button"
      className="open-label"
      title="Anyone on this network can run code on these machines. Click to change that."
      onClick={() => uiActions.open({ kind: "access" })}
    >
      <Icon name="unlock" size={12} />
      open
    </button>
  );
}
