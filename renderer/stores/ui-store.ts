import { create } from "zustand";
import type { Access } from "../../main/api/cluster.js";
import type { ScriptRequest } from "../../main/api/scripts.js";
import type { LayerName } from "../../worker-runtime/graph/layers/layer-names.js";
import { activeSession, onSessionChange, useSessions } from "./document-session.js";
import { useTensorTabs } from "./tensor-tabs.js";
import type { TrainingDraft } from "./training-setup.js";

export type SideTab = "cluster" | "ops" | "placement";
/** The fixed tabs of the dock; a tensor's tab is "tensor:" and its name. */
export type DockTab =
  | "results"
  | "timeline"
  | "variables"
  | "lanes"
  | "training"
  | "logs"
  | "problems"
  | "run"
  | "history"
  | "scripts"
  | `tensor:${string}`;

/** A file that describes a cluster. */
export interface ClusterFileText {
  readonly name: string;
  readonly text: string;
}

export type DialogState =
  | { readonly kind: "palette" }
  | { readonly kind: "examples" }
  /** Adds a layer block; `name` is chosen first. */
  | { readonly kind: "layer"; readonly name?: LayerName }
  /** Adds what trains the graph; `node` computes the loss; `draft`: what was chosen before. */
  | { readonly kind: "make-trainable"; readonly node?: string; readonly draft?: TrainingDraft }
  /** Exports a model with the values of a checkpoint; without one, those that the tasks hold are chosen first. */
  | { readonly kind: "export-model"; readonly checkpoint?: string }
  | { readonly kind: "shortcuts" }
  | { readonly kind: "about" }
  | { readonly kind: "licences" }
  | { readonly kind: "log" }
  /** Pages for users; the first unless one is named. */
  | { readonly kind: "guides"; readonly name?: string }
  | { readonly kind: "custom-steps" }
  | { readonly kind: "install" }
  /** `wanted` is preselected; defaults to the current value. */
  | { readonly kind: "access"; readonly wanted?: Access }
  | { readonly kind: "settings" }
  | { readonly kind: "links" }
  | { readonly kind: "add-machine" }
  | { readonly kind: "add-tasks"; readonly machineId: string }
  /** Everything that is known of one machine. */
  | { readonly kind: "machine"; readonly machineId: string }
  /** `file` was opened or dropped, to be imported. */
  | { readonly kind: "cluster-table"; readonly file?: ClusterFileText }
  /** The document's cluster for another system. */
  | { readonly kind: "export-cluster" }
  /** `kubeconfig`: the file that was chosen. */
  | { readonly kind: "kubernetes"; readonly kubeconfig?: string }
  | { readonly kind: "python" }
  /** Pins nodes to a device that is typed in. */
  | { readonly kind: "device"; readonly nodes: readonly string[] }
  | { readonly kind: "colocate"; readonly nodes: readonly string[] }
  /** Assigns a value to a variable of the session. */
  | { readonly kind: "assign"; readonly variable: string }
  | { readonly kind: "scope"; readonly nodes: readonly string[] }
  /** Renames a function of the graph's library. */
  | { readonly kind: "rename-function"; readonly name: string }
  /** Runs a script on the cluster. `request` is what it was run with before. */
  | { readonly kind: "script"; readonly path: string; readonly request?: ScriptRequest }
  | {
      readonly kind: "file";
      readonly mode: "open" | "save";
      readonly title: string;
      readonly extensions: readonly string[];
      readonly suggestedName?: string;
      /** Where the dialog opens; defaults to the application's choice. */
      readonly folder?: string;
      resolve(path: string | undefined): void;
    }
  | {
      readonly kind: "confirm";
      readonly title: string;
      readonly text: string;
      /** Preferred first. */
      readonly choices: readonly {
        readonly id: string;
        readonly label: string;
        readonly style?: "primary" | "danger";
      }[];
      resolve(choice: string | undefined): void;
    };

export interface UiStore {
  readonly sideTab: SideTab;
  readonly sideOpen: boolean;
  readonly sideWidth: number;
  readonly inspectorOpen: boolean;
  /** Whether the inspector is shown while it covers the canvas; never saved. */
  readonly inspectorOverlay: boolean;
  /** The window is too narrow to show the inspector beside the canvas. */
  readonly narrow: boolean;
  readonly inspectorWidth: number;
  readonly dockOpen: boolean;
  readonly dockHeight: number;
  readonly dockTab: DockTab;
  /** The task whose log is shown; undefined: all. */
  readonly logTask: string | undefined;
  /** Record a trace with the next run. */
  readonly trace: boolean;
  readonly dialog: DialogState | undefined;
  /** Why the command of the last shortcut did not run; until the next key or click. */
  readonly explanation: string | undefined;
}

const STORAGE_KEY = "tensordeck.layout";
const DEFAULTS = {
  sideOpen: true,
  sideWidth: 288,
  inspectorOpen: true,
  inspectorWidth: 312,
  dockOpen: false,
  dockHeight: 268,
};
type Remembered = typeof DEFAULTS;

/** Limits sizes to keep the canvas usable. */
export const LIMITS = {
  sideWidth: { min: 220, max: 480 },
  inspectorWidth: { min: 260, max: 560 },
  dockHeight: { min: 120, max: 720 },
} as const;

function remembered(): Remembered {
  const values: Record<string, unknown> = { ...DEFAULTS };
  try {
    const stored: unknown = JSON.parse(globalThis.localStorage?.getItem(STORAGE_KEY) ?? "{}");
    for (const [key, value] of Object.entries(stored ?? {}))
      if (key in DEFAULTS && typeof value === typeof values[key]) values[key] = value;
  } catch {
    // A damaged entry is ignored: the sizes are a convenience.
  }
  return values as Remembered;
}

export const useUi = create<UiStore>()(() => ({
  ...remembered(),
  sideTab: "cluster",
  inspectorOverlay: false,
  narrow: false,
  dockTab: "results",
  logTask: undefined,
  trace: false,
  dialog: undefined,
  explanation: undefined,
}));

/** Saves the sizes whenever they change. Called once at start. */
export function rememberLayout(): void {
  useUi.subscribe((store) => {
    const values = Object.fromEntries(
      Object.keys(DEFAULTS).map((key) => [key, store[key as keyof Remembered]]),
    );
    localStorage.setItem(STORAGE_KEY, JSON.stringify(values));
  });
}

function clamp(value: number, { min, max }: { readonly min: number; readonly max: number }): number {
  return Math.round(Math.min(max, Math.max(min, value)));
}

/** A tensor's tab is shown for its own document only. */
function leaveTensorTab(): void {
  useUi.setState(({ dockTab }) => ({ dockTab: dockTab.startsWith("tensor:") ? "results" : dockTab }));
}

// A document whose tensor was shown shows it again when it is back.
onSessionChange((left) => {
  const { dockTab } = useUi.getState();
  const shown = dockTab.startsWith("tensor:") ? dockTab.slice("tensor:".length) : undefined;
  useTensorTabs.of(left).setState({ shown });
  leaveTensorTab();
  const { names, shown: again } = useTensorTabs.getState();
  if (again !== undefined && names.includes(again)) useUi.setState({ dockTab: `tensor:${again}` });
});

export const uiActions = {
  showSide: (sideTab: SideTab) => useUi.setState({ sideTab, sideOpen: true }),
  toggleSide: (open?: boolean) => useUi.setState((store) => ({ sideOpen: open ?? !store.sideOpen })),
  resize: (panel: keyof typeof LIMITS, size: number) =>
    useUi.setState({ [panel]: clamp(size, LIMITS[panel]) }),
  toggleInspector: (open?: boolean) =>
    useUi.setState((store) =>
      store.narrow
        ? { inspectorOverlay: open ?? !store.inspectorOverlay }
        : { inspectorOpen: open ?? !store.inspectorOpen },
    ),
  toggleDock: (open?: boolean) => useUi.setState((store) => ({ dockOpen: open ?? !store.dockOpen })),
  showDock: (dockTab: DockTab) => useUi.setState({ dockTab, dockOpen: true }),
  /** Opens a tensor's tab in the document, and shows it unless another document has been shown meanwhile. */
  openTensor: (name: string) => {
    useTensorTabs.setState(({ names }) => ({ names: names.includes(name) ? names : [...names, name] }));
    if (useSessions.getState().active === activeSession()) {
      useUi.setState({ dockTab: `tensor:${name}`, dockOpen: true });
    }
  },
  /** Closes a document's tensor tabs with it. */
  closeTensors: () => {
    useTensorTabs.setState({ names: [], ofRuns: new Map(), shown: undefined });
    if (useSessions.getState().active === activeSession()) leaveTensorTab();
  },
  closeTensor: (name: string) => {
    useTensorTabs.setState(({ names }) => ({ names: names.filter((other) => other !== name) }));
    if (useUi.getState().dockTab === `tensor:${name}`) leaveTensorTab();
  },
  /** All tasks if no id is given. */
  showLog: (taskId?: string) => useUi.setState({ logTask: taskId, dockTab: "logs", dockOpen: true }),
  explain: (explanation: string | undefined) => {
    if (useUi.getState().explanation !== explanation) useUi.setState({ explanation });
  },
  setTrace: (trace: boolean) => useUi.setState({ trace }),
  open: (dialog: DialogState) => {
    uiActions.close();
    useUi.setState({ dialog });
  },
  /** Closes the dialog; one that waits for an answer gets none. */
  close: () => {
    const { dialog } = useUi.getState();
    if (dialog === undefined) return;
    useUi.setState({ dialog: undefined });
    if (dialog.kind === "file" || dialog.kind === "confirm") dialog.resolve(undefined);
  },
};

/** Asks the user to choose; undefined when the question was closed. */
export function confirm(question: {
  readonly title: string;
  readonly text: string;
  readonly choices: readonly {
    readonly id: string;
    readonly label: string;
    readonly style?: "primary" | "danger";
  }[];
}): Promise<string | undefined> {
  return new Promise((resolve) => uiActions.open({ kind: "confirm", ...question, resolve }));
}
