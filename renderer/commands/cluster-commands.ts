/** The commands of the cluster as a whole and of this machine. Those of single other machines are in machine-commands.ts. */
import { addWorker, changeMembership, stoppable, stopTasks } from "../actions/cluster-actions.js";
import { currentTasks, missingTasks, startLabel, startMissing } from "../actions/graph-tasks.js";
import { searchMachines } from "../actions/machine-actions.js";
import { blockedRoutes } from "../cluster/routes.js";
import { machinesOf, useCluster } from "../stores/cluster-store.js";
import { useDocument } from "../stores/document-store.js";
import { openFirewall } from "../stores/firewall-store.js";
import { checkRoutes, useReachability } from "../stores/reachability-store.js";
import { lookForRuntime, useRuntime } from "../stores/runtime-store.js";
import { uiActions } from "../stores/ui-store.js";
import type { Command } from "./command.js";

const thisMachine = () => machinesOf(useCluster.getState()).find(({ kind }) => kind === "this");
const missing = () => missingTasks(useDocument.getState().document.nodes.values(), currentTasks());

export const clusterCommands: readonly Command[] = [
  {
    id: "cluster.startMissing",
    label: "Start the tasks that the graph names",
    icon: "power",
    group: "Cluster",
    run: async () => {
      await startMissing(missing());
    },
    enabled: () => missing().names.length > 0,
    hint: () => (missing().names.length > 0 ? startLabel(missing()) : undefined),
  },
  {
    id: "cluster.addWorker",
    label: "Add worker",
    icon: "plus",
    group: "Cluster",
    run: () => addWorker(),
  },
  {
    id: "cluster.stopAll",
    label: "Stop all tasks",
    icon: "stop",
    group: "Cluster",
    run: () => stopTasks(),
    enabled: () => stoppable().length > 0,
  },
  {
    id: "cluster.table",
    label: "Edit the cluster as a table…",
    group: "Cluster",
    run: () => uiActions.open({ kind: "cluster-table" }),
  },
  {
    id: "cluster.python",
    label: "Use from Python…",
    group: "Cluster",
    run: () => uiActions.open({ kind: "python" }),
  },
  {
    id: "cluster.dynamic",
    label: "Let tasks come and go (dynamic membership)",
    group: "Cluster",
    run: () => changeMembership("dynamic"),
    enabled: () => useCluster.getState().state?.membership === "fixed",
  },
  {
    id: "cluster.fixed",
    label: "Fix the cluster for stock scripts (fixed membership)",
    group: "Cluster",
    run: () => changeMembership("fixed"),
    enabled: () => useCluster.getState().state?.membership === "dynamic",
  },
  {
    id: "cluster.addTasks",
    label: "Add tasks…",
    icon: "plus",
    group: "Cluster",
    run: () => {
      const own = thisMachine();
      if (own) uiActions.open({ kind: "add-tasks", machineId: own.id });
    },
    enabled: () => thisMachine() !== undefined,
  },
  {
    id: "cluster.addMachine",
    label: "Add a machine by address…",
    icon: "plus",
    group: "Cluster",
    run: () => uiActions.open({ kind: "add-machine" }),
  },
  {
    id: "cluster.search",
    label: "Look for machines again",
    icon: "search",
    group: "Cluster",
    run: searchMachines,
  },
  {
    id: "cluster.checkConnections",
    label: "Check connections between machines",
    icon: "link",
    group: "Cluster",
    run: async () => {
      uiActions.open({ kind: "links" });
      await checkRoutes();
    },
    hint: () => {
      const blocked = blockedRoutes(useReachability.getState().state?.routes ?? []).length;
      return blocked > 0 ? `${blocked} blocked` : undefined;
    },
  },
  {
    id: "cluster.firewall",
    label: "Firewall of this machine…",
    icon: "shield",
    group: "Cluster",
    run: async () => {
      const own = thisMachine();
      if (own) await openFirewall({ machineId: own.id });
    },
    enabled: () => thisMachine() !== undefined,
  },
  {
    id: "cluster.access",
    label: "Who can use this cluster…",
    keywords: "access, open, secure",
    icon: "lock",
    group: "Cluster",
    run: () => uiActions.open({ kind: "access" }),
    hint: () => useCluster.getState().state?.access,
  },
  {
    id: "cluster.open",
    label: "Make the cluster open…",
    icon: "unlock",
    group: "Cluster",
    run: () => uiActions.open({ kind: "access", wanted: "open" }),
    enabled: () => useCluster.getState().state?.access === "secure",
  },
  {
    id: "cluster.secure",
    label: "Make the cluster secure…",
    icon: "lock",
    group: "Cluster",
    run: () => uiActions.open({ kind: "access", wanted: "secure" }),
    enabled: () => useCluster.getState().state?.access === "open",
  },
  {
    id: "runtime.install",
    label: "Install TensorFlow runtime…",
    icon: "download",
    group: "Cluster",
    run: () => uiActions.open({ kind: "install" }),
    enabled: () => useRuntime.getState().state?.offer !== undefined,
  },
  {
    id: "runtime.refresh",
    label: "Look for a TensorFlow runtime again",
    icon: "refresh",
    group: "Cluster",
    run: lookForRuntime,
  },
];
