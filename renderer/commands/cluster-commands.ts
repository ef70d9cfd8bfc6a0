/** The commands of the cluster as a whole. Those of machines and tasks are in machine-commands.ts and task-commands.ts. */
import { applyRows, changeMembership, stoppable, stopTasks } from "../actions/cluster-actions.js";
import { chooseClusterFile } from "../actions/cluster-file-actions.js";
import { currentTasks, missingTasks, startLabel, startMissing, whyNotStart } from "../actions/graph-tasks.js";
import { disconnectKubernetes } from "../actions/kubernetes-actions.js";
import { searchMachines } from "../actions/machine-actions.js";
import { whyNotManaged } from "../cluster/machines.js";
import { blockedRoutes } from "../cluster/routes.js";
import { type WantedCluster, wantedCluster } from "../cluster/wanted-cluster.js";
import { machinesOf, useCluster } from "../stores/cluster-store.js";
import { useDocument } from "../stores/document-store.js";
import { openFirewall } from "../stores/firewall-store.js";
import { useKubernetes } from "../stores/kubernetes-store.js";
import { checkRoutes, useReachability } from "../stores/reachability-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { defineCommands, unless, when } from "./command.js";
import { remember } from "./remember.js";
import { noTarget, routeTarget } from "./target-kinds.js";

const words = texts.commands.cluster;

const NOT_KNOWN = words.notKnown;

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
  return names.length === 1 && only !== undefined
    ? words.startOne({ task: only })
    : words.startSeveral({ count: names.length });
}

export const clusterCommands = defineCommands(noTarget, {
  startMissing: {
    id: "cluster.startMissing",
    group: "Cluster",
    label: words.startMissing.label,
    short: () => startLabel(missing()),
    hint: () => (missing().names.length > 0 ? startLabel(missing()) : undefined),
    icon: "power",
    needsApplication: true,
    isEnabled: () =>
      missing().names.length > 0 ? unless(whyNotStart(missing())) : { reason: words.startMissing.reason },
    run: async () => {
      await startMissing(missing());
    },
  },
  startWanted: {
    id: "cluster.startWanted",
    group: "Cluster",
    label: words.startWanted.label,
    short: wantedText,
    icon: "power",
    needsApplication: true,
    isEnabled: () => {
      const { names, rows } = wanted();
      if (names.length === 0) return { reason: words.startWanted.nothingLacking };
      return when(rows !== undefined, words.startWanted.choiceNeeded);
    },
    run: async () => {
      const { rows } = wanted();
      if (rows) await applyRows(rows);
    },
  },
  stopAll: {
    id: "cluster.stopAll",
    group: "Cluster",
    label: words.stopAll.label,
    icon: "stop",
    needsApplication: true,
    isEnabled: () => when(stoppable().length > 0, words.stopAll.reason),
    run: () => stopTasks(),
  },
  table: {
    id: "cluster.table",
    group: "Cluster",
    label: words.table.label,
    short: () => words.table.short,
    run: () => uiActions.open({ kind: "cluster-table" }),
  },
  export: {
    id: "cluster.export",
    group: "Cluster",
    label: words.export.label,
    short: () => words.export.short,
    keywords: words.export.keywords,
    icon: "download",
    isEnabled: () => when(cluster() !== undefined, NOT_KNOWN),
    run: () => uiActions.open({ kind: "export-cluster" }),
  },
  import: {
    id: "cluster.import",
    group: "Cluster",
    label: words.import.label,
    keywords: words.import.keywords,
    icon: "folder",
    needsApplication: true,
    run: chooseClusterFile,
  },
  python: {
    id: "cluster.python",
    group: "Cluster",
    label: words.python.label,
    run: () => uiActions.open({ kind: "python" }),
  },
  addMachine: {
    id: "cluster.addMachine",
    group: "Cluster",
    label: words.addMachine.label,
    short: () => words.addMachine.short,
    icon: "plus",
    run: () => uiActions.open({ kind: "add-machine" }),
  },
  search: {
    id: "cluster.search",
    group: "Cluster",
    label: words.search.label,
    labelNow: () => (cluster()?.discovery.state === "searching" ? words.search.underWay : words.search.label),
    icon: "refresh",
    needsApplication: true,
    run: searchMachines,
  },
  access: {
    id: "cluster.access",
    group: "Cluster",
    label: words.access.label,
    short: () => (cluster()?.access === "open" ? words.access.openCluster : words.access.secureCluster),
    note: () => (cluster()?.access === "open" ? words.access.openNote : words.access.secureNote),
    hint: () => words.access.hints[cluster()?.access ?? "secure"],
    keywords: words.access.keywords,
    icon: () => (cluster()?.access === "open" ? "unlock" : "lock"),
    run: () => uiActions.open({ kind: "access" }),
  },
  open: {
    id: "cluster.open",
    group: "Cluster",
    label: words.open.label,
    icon: "unlock",
    isEnabled: () => when(cluster()?.access === "secure", cluster() ? words.open.reason : NOT_KNOWN),
    run: () => uiActions.open({ kind: "access", wanted: "open" }),
  },
  secure: {
    id: "cluster.secure",
    group: "Cluster",
    label: words.secure.label,
    icon: "lock",
    isEnabled: () => when(cluster()?.access === "open", cluster() ? words.secure.reason : NOT_KNOWN),
    run: () => uiActions.open({ kind: "access", wanted: "secure" }),
  },
});

export const kubernetesCommands = defineCommands(noTarget, {
  open: {
    id: "kubernetes.open",
    group: "Cluster",
    label: words.kubernetes.open.label,
    short: () => words.kubernetes.open.short,
    keywords: words.kubernetes.open.keywords,
    icon: "cube",
    needsApplication: true,
    run: () => uiActions.open({ kind: "kubernetes" }),
  },
  disconnect: {
    id: "kubernetes.disconnect",
    group: "Cluster",
    label: words.kubernetes.disconnect.label,
    short: () => words.kubernetes.disconnect.short,
    needsApplication: true,
    isEnabled: () =>
      when(useKubernetes.getState().connection !== undefined, words.kubernetes.disconnect.reason),
    run: disconnectKubernetes,
  },
});

/** The modes of the cluster; one of them is active. */
export const membershipCommands = defineCommands(noTarget, {
  dynamic: {
    id: "cluster.dynamic",
    group: "Cluster",
    label: words.membership.dynamic.label,
    short: () => words.membership.dynamic.short,
    note: () => words.membership.dynamic.note,
    keywords: words.membership.dynamic.keywords,
    needsApplication: true,
    isEnabled: () => when(cluster() !== undefined, NOT_KNOWN),
    isOn: () => cluster()?.membership === "dynamic",
    run: async () => {
      await changeMembership("dynamic");
    },
  },
  fixed: {
    id: "cluster.fixed",
    group: "Cluster",
    label: words.membership.fixed.label,
    short: () => words.membership.fixed.short,
    note: () => words.membership.fixed.note,
    keywords: words.membership.fixed.keywords,
    needsApplication: true,
    isEnabled: () => when(cluster() !== undefined, NOT_KNOWN),
    isOn: () => cluster()?.membership === "fixed",
    run: async () => {
      await changeMembership("fixed");
    },
  },
});

const routesState = () => useReachability.getState().state;

export const linkCommands = defineCommands(noTarget, {
  show: {
    id: "cluster.links",
    group: "Cluster",
    label: words.link.show.label,
    short: () => words.link.show.short,
    icon: "link",
    run: () => uiActions.open({ kind: "links" }),
  },
  check: {
    id: "cluster.checkRoutes",
    group: "Cluster",
    label: words.link.check.label,
    short: () => words.link.check.short,
    icon: "refresh",
    needsApplication: true,
    isEnabled: () => when(routesState()?.state !== "checking", words.link.check.reason),
    run: checkRoutes,
  },
  showAndCheck: {
    id: "cluster.checkConnections",
    group: "Cluster",
    label: words.link.showAndCheck.label,
    hint: () => {
      const blocked = blockedRoutes(routesState()?.routes ?? []).length;
      return blocked > 0 ? words.link.showAndCheck.hint({ count: blocked }) : undefined;
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
    label: words.route.fix.label,
    short: () => words.route.fix.short,
    needsApplication: true,
    isEnabled: ({ machineId }) => {
      const machine = machinesOf(useCluster.getState()).find(({ id }) => id === machineId);
      return unless(machine && whyNotManaged(machine));
    },
    run: openFirewall,
  },
});
