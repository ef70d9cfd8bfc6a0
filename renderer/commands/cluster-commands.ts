/** The commands of the cluster as a whole. Those of machines and tasks are in machine-commands.ts and task-commands.ts. */
import { applyRows, changeMembership, stoppable, stopTasks } from "../actions/cluster-actions.js";
import { currentTasks, missingTasks, startLabel, startMissing } from "../actions/graph-tasks.js";
import { searchMachines } from "../actions/machine-actions.js";
import { blockedRoutes } from "../cluster/routes.js";
import { type WantedCluster, wantedCluster } from "../cluster/wanted-cluster.js";
import { useCluster } from "../stores/cluster-store.js";
import { useDocument } from "../stores/document-store.js";
import { openFirewall } from "../stores/firewall-store.js";
import { checkRoutes, useReachability } from "../stores/reachability-store.js";
import { uiActions } from "../stores/ui-store.js";
import { countText } from "../ui/format.js";
import { defineCommands, when } from "./command.js";
import { remember } from "./remember.js";
import { noTarget, routeTarget } from "./target-kinds.js";

const NOT_KNOWN = "The cluster is not known yet.";

const cluster = () => useCluster.getState().state;
const missingOf = remember(missingTasks);
const missing = () => missingOf(useDocument.getState().document.nodes, currentTasks());
const wantedOf = remember(wantedCluster);

/** The tasks of the document's saved cluster that the current one lacks. */
function wanted(): WantedCluster {
  const state = cluster();
  const kept = useDocument.getState().document.cluster;
  return state === undefined || kept.length === 0 ? { names: [] } : wantedOf(state, kept);
}

function wantedText(): string {
  const { names } = wanted();
  const [only] = names;
  return `Start ${names.length === 1 && only !== undefined ? only : countText(names.length, "task")}`;
}

export const clusterCommands = defineCommands(noTarget, {
  startMissing: {
    id: "cluster.startMissing",
    group: "Cluster",
    label: "Start the tasks that the graph names",
    short: () => startLabel(missing()),
    hint: () => (missing().names.length > 0 ? startLabel(missing()) : undefined),
    icon: "power",
    needsApplication: true,
    isEnabled: () => when(missing().names.length > 0, "They are running."),
    run: async () => {
      await startMissing(missing());
    },
  },
  startWanted: {
    id: "cluster.startWanted",
    group: "Cluster",
    label: "Start the document's cluster",
    short: wantedText,
    icon: "power",
    needsApplication: true,
    isEnabled: () => {
      const { names, rows } = wanted();
      if (names.length === 0) return { reason: "The document has no tasks that the cluster lacks." };
      return when(
        rows !== undefined,
        "The machine or address of a task has to be chosen in the table first.",
      );
    },
    run: async () => {
      const { rows } = wanted();
      if (rows) await applyRows(rows);
    },
  },
  stopAll: {
    id: "cluster.stopAll",
    group: "Cluster",
    label: "Stop all tasks",
    icon: "stop",
    needsApplication: true,
    isEnabled: () => when(stoppable().length > 0, "No task is running."),
    run: () => stopTasks(),
  },
  table: {
    id: "cluster.table",
    group: "Cluster",
    label: "Edit the cluster as a table…",
    short: () => "Open the cluster table",
    run: () => uiActions.open({ kind: "cluster-table" }),
  },
  python: {
    id: "cluster.python",
    group: "Cluster",
    label: "Use from Python…",
    run: () => uiActions.open({ kind: "python" }),
  },
  addMachine: {
    id: "cluster.addMachine",
    group: "Cluster",
    label: "Add a machine by address…",
    short: () => "Add by address",
    icon: "plus",
    run: () => uiActions.open({ kind: "add-machine" }),
  },
  search: {
    id: "cluster.search",
    group: "Cluster",
    label: "Look for machines again",
    labelNow: () =>
      cluster()?.discovery.state === "searching" ? "Looking for machines…" : "Look for machines again",
    icon: "refresh",
    needsApplication: true,
    run: searchMachines,
  },
  access: {
    id: "cluster.access",
    group: "Cluster",
    label: "Who can use this cluster…",
    short: () => (cluster()?.access === "open" ? "Open cluster" : "Secure cluster"),
    note: () =>
      cluster()?.access === "open"
        ? "Anyone on this network can run code on these machines."
        : "Only paired machines can connect.",
    hint: () => cluster()?.access,
    keywords: "access, open, secure",
    icon: () => (cluster()?.access === "open" ? "unlock" : "lock"),
    run: () => uiActions.open({ kind: "access" }),
  },
  open: {
    id: "cluster.open",
    group: "Cluster",
    label: "Make the cluster open…",
    icon: "unlock",
    isEnabled: () => when(cluster()?.access === "secure", cluster() ? "It is open." : NOT_KNOWN),
    run: () => uiActions.open({ kind: "access", wanted: "open" }),
  },
  secure: {
    id: "cluster.secure",
    group: "Cluster",
    label: "Make the cluster secure…",
    icon: "lock",
    isEnabled: () => when(cluster()?.access === "open", cluster() ? "It is secure." : NOT_KNOWN),
    run: () => uiActions.open({ kind: "access", wanted: "secure" }),
  },
});

/** The modes of the cluster; one of them is active. */
export const membershipCommands = defineCommands(noTarget, {
  dynamic: {
    id: "cluster.dynamic",
    group: "Cluster",
    label: "Dynamic membership",
    short: () => "Dynamic",
    note: () => "Tasks come and go freely; the session tells them who takes part.",
    keywords: "let tasks come and go",
    needsApplication: true,
    isEnabled: () => when(cluster() !== undefined, NOT_KNOWN),
    isOn: () => cluster()?.membership === "dynamic",
    run: () => changeMembership("dynamic"),
  },
  fixed: {
    id: "cluster.fixed",
    group: "Cluster",
    label: "Fixed membership",
    short: () => "Fixed",
    note: () => "Every task knows the whole cluster from its start, as stock scripts expect.",
    keywords: "fix the cluster for stock scripts",
    needsApplication: true,
    isEnabled: () => when(cluster() !== undefined, NOT_KNOWN),
    isOn: () => cluster()?.membership === "fixed",
    run: () => changeMembership("fixed"),
  },
});

const routesState = () => useReachability.getState().state;

export const linkCommands = defineCommands(noTarget, {
  show: {
    id: "cluster.links",
    group: "Cluster",
    label: "Links between machines…",
    short: () => "All links…",
    icon: "link",
    run: () => uiActions.open({ kind: "links" }),
  },
  check: {
    id: "cluster.checkRoutes",
    group: "Cluster",
    label: "Check every connection again",
    short: () => "Check again",
    icon: "refresh",
    needsApplication: true,
    isEnabled: () => when(routesState()?.state !== "checking", "Every route is being checked."),
    run: checkRoutes,
  },
  showAndCheck: {
    id: "cluster.checkConnections",
    group: "Cluster",
    label: "Check connections between machines",
    hint: () => {
      const blocked = blockedRoutes(routesState()?.routes ?? []).length;
      return blocked > 0 ? `${blocked} blocked` : undefined;
    },
    icon: "link",
    needsApplication: true,
    run: async () => {
      uiActions.open({ kind: "links" });
      if (routesState()?.state !== "checking") await checkRoutes();
    },
  },
});

export const routeCommands = defineCommands(routeTarget, {
  fix: {
    id: "route.fix",
    group: "Cluster",
    label: "Fix the firewall that blocks it…",
    short: () => "Fix…",
    needsApplication: true,
    run: openFirewall,
  },
});
