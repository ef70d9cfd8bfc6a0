/** The kinds of targets of commands, and the default target of each kind. */
import type { Machine, Task } from "../../main/api/cluster.js";
import type { Example } from "../../main/api/documents.js";
import type { Role } from "../../main/api/machines.js";
import type { RunUpdate } from "../../main/api/runs.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { isVariable } from "../../worker-runtime/graph/initialisers.js";
import type { LayerName } from "../../worker-runtime/graph/layers/layer-names.js";
import { fetchedTensor, type KeptTensor } from "../actions/tensor-actions.js";
import { taskName } from "../cluster/task-name.js";
import { type Call, callsOf, libraryOf, mainCall } from "../document/library.js";
import type { Annotation } from "../document/model.js";
import type { Scope } from "../document/scope-tree.js";
import { variablesOf } from "../document/variables.js";
import { dataEdge, type Edge } from "../document/wiring.js";
import type { MissingOnTask } from "../kernels/missing-kernels.js";
import { machinesOf, useCluster } from "../stores/cluster-store.js";
import { activeSession, type DocumentSession, openSessions } from "../stores/document-session.js";
import type { DocumentStore } from "../stores/document-state.js";
import { useDocument, useGraph } from "../stores/document-store.js";
import { useExamples } from "../stores/example-store.js";
import { shownFunction } from "../stores/function-bodies.js";
import { useKernels } from "../stores/kernel-store.js";
import { isActive, useRun } from "../stores/run-store.js";
import { useSettings } from "../stores/settings-store.js";
import { useUi } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { openScopeAround, selectedBoxes } from "../viewport/selected-scopes.js";
import { useCanvas } from "../viewport/view-store.js";
import type { TargetKind } from "./command.js";

const words = texts.commands.targetKinds;

/** The window as a whole, or anything that exists only once. */
export const noTarget: TargetKind<void> = { name: "none", current: () => ({ target: undefined }) };

/** The open document. */
export const documentTarget: TargetKind<DocumentStore> = {
  name: "document",
  inDocument: true,
  current: () => ({ target: useDocument.getState() }),
};

/** The graph that is shown: the open document, or the body of a function that is open in it. */
export const graphTarget: TargetKind<DocumentStore> = {
  name: "graph",
  inDocument: true,
  current: () => ({ target: useGraph.getState() }),
};

/** A function that the selected node calls. */
export const callTarget: TargetKind<Call> = {
  name: "called function",
  inDocument: true,
  current: () => {
    const node = nodeTarget.current();
    if (!("target" in node)) return node;
    const target = mainCall(callsOf(node.target, useGraph.getState().document));
    return target ? { target } : { reason: words.callsNoFunction({ node: node.target.name }) };
  },
  all: () => {
    const node = nodeTarget.current();
    return "target" in node ? callsOf(node.target, useGraph.getState().document) : [];
  },
  nameOf: ({ name }) => name,
};

/** The name of a function of the graph; by default the one that is shown, or that the selected node calls. */
export const functionTarget: TargetKind<string> = {
  name: "function",
  inDocument: true,
  current: () => {
    const call = callTarget.current();
    const target = "target" in call ? call.target.name : shownFunction();
    return target === undefined ? { reason: words.noFunctionChosen } : { target };
  },
  all: () => [...libraryOf(useDocument.getState().document.metaGraph).keys()],
  nameOf: (name) => name,
};

const nameOfTab = (session: DocumentSession): string => useDocument.of(session).getState().document.name;

/** The tab of an open document; the shown one by default. */
export const tabTarget: TargetKind<DocumentSession> = {
  name: "tab",
  current: () => ({ target: activeSession() }),
  nameOf: nameOfTab,
};

/** Any tab. */
export const anyTabTarget: TargetKind<DocumentSession> = {
  name: "any tab",
  current: () => ({ target: activeSession() }),
  all: openSessions,
  nameOf: nameOfTab,
};

const NO_NODE = words.noNodeSelected;

/** The names of the selected nodes, at least one. */
export const nodesTarget: TargetKind<readonly string[]> = {
  name: "nodes",
  inDocument: true,
  current: () => {
    const { selection } = useGraph.getState();
    return selection.size === 0 ? { reason: NO_NODE } : { target: [...selection] };
  },
  nameOf: (names) => (names.length === 1 ? (names[0] ?? "") : words.nodes({ names: names.length })),
};

/** Selected nodes, and selected edges as the canvas names them; there is at least one of either. */
export interface Selection {
  readonly nodes: readonly string[];
  readonly edges: readonly string[];
}

export const selectionTarget: TargetKind<Selection> = {
  name: "selection",
  inDocument: true,
  current: () => {
    const nodes = [...useGraph.getState().selection];
    const edges = [...useCanvas.getState().selectedEdges];
    return nodes.length + edges.length === 0
      ? { reason: words.nothingSelected }
      : { target: { nodes, edges } };
  },
};

/** The only selected edge, if it carries one tensor. */
export const edgeTarget: TargetKind<Edge> = {
  name: "edge",
  inDocument: true,
  current: () => {
    const [id, ...others] = useCanvas.getState().selectedEdges;
    if (id === undefined) return { reason: words.noEdgeSelected };
    if (others.length > 0) return { reason: words.severalEdgesSelected };
    const target = dataEdge(useGraph.getState().document.nodes, id);
    return target ? { target } : { reason: words.itNotEdgeOneTensor };
  },
};

/** A frame or a note; there is no default. */
export const annotationTarget: TargetKind<Annotation> = {
  name: "frame or note",
  inDocument: true,
  current: () => ({ reason: words.noFrameOrNoteChosen }),
  all: () => useGraph.getState().document.annotations,
  nameOf: ({ kind, text }) => (text.trim() === "" ? words[kind] : (text.split("\n")[0] ?? "")),
};

/** The only selected node. */
export const nodeTarget: TargetKind<NodeDef> = {
  name: "node",
  inDocument: true,
  current: () => {
    const { selection, document } = useGraph.getState();
    if (selection.size > 1) return { reason: words.severalNodesSelected };
    const [name] = selection;
    const target = name === undefined ? undefined : document.nodes.get(name);
    return target === undefined ? { reason: NO_NODE } : { target };
  },
};

/** The closed scopes that are selected on the canvas. */
export const closedScopesTarget: TargetKind<readonly Scope[]> = {
  name: "closed scopes",
  inDocument: true,
  current: () => {
    const target = selectedBoxes();
    return target.length === 0 ? { reason: words.noClosedScopeSelected } : { target };
  },
  nameOf: scopesText,
};

/** The innermost open scope around everything that is selected. */
export const openScopesTarget: TargetKind<readonly Scope[]> = {
  name: "open scopes",
  inDocument: true,
  current: () => {
    const scope = openScopeAround();
    return scope ? { target: [scope] } : { reason: words.nothingInOpenScopeSelected };
  },
  nameOf: scopesText,
};

function scopesText(scopes: readonly Scope[]): string {
  return scopes.length === 1 ? (scopes[0]?.label ?? "") : words.scopes({ scopes: scopes.length });
}

/** The run in progress, of any document. */
export const runTarget: TargetKind<RunUpdate> = {
  name: "run",
  current: () => {
    const { newest } = useRun.getState();
    return newest !== undefined && isActive(newest) ? { target: newest } : { reason: words.nothingRunning };
  },
};

/** Any machine; this one by default. */
export const machineTarget: TargetKind<Machine> = {
  name: "machine",
  current: () => {
    const target = machinesOf(useCluster.getState()).find(({ kind }) => kind === "this");
    return target === undefined ? { reason: words.clusterNotKnownYet } : { target };
  },
  all: () => machinesOf(useCluster.getState()),
  nameOf: ({ name }) => name,
  recovery: ({ id }) => machineRecovery((machine) => machine.id === id),
};

/** Tells that a machine has come back that was away meanwhile, or is no longer listed. */
function machineRecovery(isMachine: (machine: Machine) => boolean): () => boolean {
  const find = () => machinesOf(useCluster.getState()).find(isMachine);
  let wasAway = false;
  return () => {
    const machine = find();
    if (machine?.presence === "offline") wasAway = true;
    return machine === undefined || (wasAway && machine.presence === "online");
  };
}

/** The rights that a paired machine may be given here. */
export interface RoleOfMachine {
  readonly machine: Machine;
  readonly role: Role;
}

export const roleTarget: TargetKind<RoleOfMachine> = {
  name: "role of a machine",
  current: () => ({ reason: words.noMachineChosen }),
  all: () => [],
  nameOf: ({ machine }) => machine.name,
};

/** Any task; there is no default. */
export const taskTarget: TargetKind<Task> = {
  name: "task",
  current: () => ({ reason: words.noTaskChosen }),
  all: () => useCluster.getState().tasks,
  nameOf: taskName,
  recovery: ({ id }) => {
    const holder = machinesOf(useCluster.getState()).find(({ tasks }) =>
      tasks.some((task) => task.id === id),
    );
    return machineRecovery((machine) => machine.id === holder?.id);
  },
};

/** A machine's firewall that keeps another machine, or `peerId`, from connecting. */
export interface BlockedRoute {
  readonly machineId: string;
  readonly peerId?: string;
}

/** The meaning of `firewallOf` of a route that starts at `from`. */
export function blockOf(firewallOf: string, from: string): BlockedRoute {
  return firewallOf === from ? { machineId: firewallOf } : { machineId: firewallOf, peerId: from };
}

export const routeTarget: TargetKind<BlockedRoute> = {
  name: "blocked route",
  current: () => ({ reason: words.noConnectionChosen }),
  all: () => [],
};

/** Nodes that a task has no kernel for. */
export type MissingNodes = Pick<MissingOnTask, "task" | "movable">;

export const missingNodesTarget: TargetKind<MissingNodes> = {
  name: "nodes without a kernel",
  inDocument: true,
  current: () => {
    const [target] = useKernels.getState().missing.tasks;
    return target === undefined ? { reason: words.noNodeLacksKernel } : { target };
  },
  all: () => useKernels.getState().missing.tasks,
  nameOf: ({ task }) => task.name,
};

/** The name of an op that the engine or the graph has. */
export const opTarget: TargetKind<string> = {
  name: "op",
  current: () => ({ reason: words.noOpChosen }),
  // A library has thousands; the graph's own list finds them.
  all: () => [],
  nameOf: (op) => op,
};

/** A layer that can be added as a block; there is no default. */
export const layerTarget: TargetKind<LayerName> = {
  name: "layer",
  current: () => ({ reason: words.noLayerChosen }),
  // The palette finds them by the keywords of "Add a layer".
  all: () => [],
  nameOf: (layer) => layer,
};

/** A graph that comes with Tensordeck; the first by default. */
export const exampleTarget: TargetKind<Example> = {
  name: "example",
  current: () => {
    const [target] = useExamples.getState().examples;
    return target === undefined ? { reason: words.examplesNotReadYet } : { target };
  },
  all: () => useExamples.getState().examples,
  nameOf: ({ title }) => title,
};

/** The path of a recent file; the newest by default. */
export const recentTarget: TargetKind<string> = {
  name: "recent document",
  current: () => {
    const [target] = useSettings.getState().settings.recentDocuments;
    return target === undefined ? { reason: words.noDocumentOpenedYet } : { target };
  },
  all: () => useSettings.getState().settings.recentDocuments,
  nameOf: (path) => path.split(/[\\/]/).at(-1) ?? path,
};

/** A tensor that the newest run fetched; by default the one whose tab the dock shows. */
export const tensorTarget: TargetKind<KeptTensor> = {
  name: "tensor",
  inDocument: true,
  current: () => {
    const { dockTab, dockOpen } = useUi.getState();
    const name = dockOpen && dockTab.startsWith("tensor:") ? dockTab.slice("tensor:".length) : undefined;
    if (name === undefined) return { reason: words.noTensorOpenInDock };
    const target = fetchedTensor(name);
    return target === undefined ? { reason: words.newestRunDidNotFetch({ name }) } : { target };
  },
  nameOf: ({ name }) => name,
};

/** The name of a variable of the open document; by default the selected one. */
export const variableTarget: TargetKind<string> = {
  name: "variable",
  inDocument: true,
  current: () => {
    const { selection, document } = useGraph.getState();
    const [name] = selection;
    const isOne = selection.size === 1 && name !== undefined && isVariable(document.nodes.get(name));
    return isOne ? { target: name } : { reason: words.noVariableSelected };
  },
  nameOf: (name) => name,
};

/** The names of all variables of the open document, at least one. */
export const variablesTarget: TargetKind<readonly string[]> = {
  name: "variables",
  inDocument: true,
  current: () => {
    const target = variablesOf(useDocument.getState().document.nodes).map(({ name }) => name);
    return target.length === 0 ? { reason: words.graphNoVariables } : { target };
  },
};

/** How many steps a run has. */
export const stepsTarget: TargetKind<number> = {
  name: "steps",
  inDocument: true,
  current: () => ({ reason: words.noNumberChosen }),
  all: () => [],
};
