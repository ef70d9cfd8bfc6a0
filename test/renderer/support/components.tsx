/**
 * Components in a DOM without a browser, for files that begin with `// @vitest-environment happy-dom`. The page and the
 * stores of the window are reset after each test.
 */
import { act, cleanup, configure, render } from "@testing-library/react";
import userEvent, { type UserEvent } from "@testing-library/user-event";
import axe from "axe-core";
import type { ReactElement } from "react";
import { afterEach, expect } from "vitest";
import type { StoreApi } from "zustand";
import type { ApplicationClient } from "../../../main/api/contract.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { useCluster } from "../../../renderer/stores/cluster-store.js";
import { useCurves } from "../../../renderer/stores/curve-store.js";
import { useDismissed } from "../../../renderer/stores/dismissed-store.js";
import { closeSession, openSession, openSessions } from "../../../renderer/stores/document-session.js";
import { useDrafts } from "../../../renderer/stores/drafts-store.js";
import { useExamples } from "../../../renderer/stores/example-store.js";
import { useFirewall } from "../../../renderer/stores/firewall-store.js";
import { useKernelCatalogue } from "../../../renderer/stores/kernel-store.js";
import { useLogs } from "../../../renderer/stores/logs-store.js";
import { useOps } from "../../../renderer/stores/ops-store.js";
import { usePairing } from "../../../renderer/stores/pairing-store.js";
import { useReachability } from "../../../renderer/stores/reachability-store.js";
import { useRecentOps } from "../../../renderer/stores/recent-ops.js";
import { useRun } from "../../../renderer/stores/run-store.js";
import { useRuntime } from "../../../renderer/stores/runtime-store.js";
import { useSamples } from "../../../renderer/stores/samples-store.js";
import { useScriptLogs, useScripts } from "../../../renderer/stores/script-store.js";
import { useSettings } from "../../../renderer/stores/settings-store.js";
import { useTour } from "../../../renderer/stores/tour-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { setClient } from "../../../renderer/transport/client.js";
import { type UiServices, UiServicesProvider } from "../../../renderer/ui/services.js";
import { TooltipProvider } from "../../../renderer/ui/tooltip.js";

// React waits in `act` for the effects of a change, and warns if a test changed something outside `act`.
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
// As of expect.poll: this only ends what never comes, however busy the machine is.
configure({ asyncUtilTimeout: 30_000 });

/** Hidden elements are hidden by a browser style, which this DOM lacks. */
const hiding = document.createElement("style");
hiding.textContent = "[hidden] { display: none }";
document.head.append(hiding);

/** There is no layout here. Long lists render the rows that fit into their frame, so it needs a size. */
for (const [property, pixels] of Object.entries({ Width: 800, Height: 2000 })) {
  for (const kind of ["client", "offset"]) {
    Object.defineProperty(HTMLElement.prototype, kind + property, { configurable: true, get: () => pixels });
  }
}

const asAtStart =
  <T,>(store: Pick<StoreApi<T>, "setState" | "getInitialState">) =>
  () =>
    store.setState(store.getInitialState(), true);

const RESETS = [
  ...[asAtStart(useApp), asAtStart(useCluster), asAtStart(useDismissed), asAtStart(useDrafts)],
  ...[asAtStart(usePairing), asAtStart(useReachability), asAtStart(useRun), asAtStart(useSamples)],
  ...[asAtStart(useSettings), asAtStart(useUi), asAtStart(useFirewall), asAtStart(useRuntime)],
  ...[asAtStart(useKernelCatalogue), asAtStart(useRecentOps), asAtStart(useTour)],
  ...[asAtStart(useLogs), asAtStart(useOps), asAtStart(useExamples), asAtStart(useCurves)],
  ...[asAtStart(useScripts), asAtStart(useScriptLogs)],
];

afterEach(() => {
  cleanup();
  for (const reset of RESETS) reset();
  const before = openSessions();
  openSession();
  for (const session of before) closeSession(session);
  calls.length = 0;
  copied.length = 0;
  errors.length = 0;
});

/** The components' calls to the application, the oldest first. */
export const calls: { readonly method: string; readonly params: unknown }[] = [];
/** Texts copied to the clipboard. */
export const copied: string[] = [];
/** Errors that a control reported as unhandled. */
export const errors: unknown[] = [];

/**
 * Connects the window to an application that returns the given results, and undefined for other calls. A call whose
 * result is an Error rejects with it.
 */
export function connect(answers: Readonly<Record<string, unknown>> = {}): void {
  setClient({
    call: async (method: string, params: unknown) => {
      calls.push({ method, params });
      const answer = answers[method];
      if (answer instanceof Error) throw answer;
      return typeof answer === "function" ? answer(params) : answer;
    },
    on: () => () => undefined,
    onConnection: () => () => undefined,
    catchUp: async () => undefined,
  } as unknown as ApplicationClient);
  useApp.setState({ connection: "connected" });
}

const SERVICES: UiServices = {
  copyText: async (text) => void copied.push(text),
  showError: (error) => void errors.push(error),
};

function inWindow(element: ReactElement): ReactElement {
  return (
    <UiServicesProvider value={SERVICES}>
      <TooltipProvider>{element}</TooltipProvider>
    </UiServicesProvider>
  );
}

/** Renders a component as in the window. Returns its user, and a function that renders something else in its place. */
export function show(element: ReactElement): { readonly user: UserEvent; change(to: ReactElement): void } {
  const { rerender } = render(inWindow(element));
  return { user: userEvent.setup(), change: (to) => rerender(inWindow(to)) };
}

/** Focuses an element programmatically, not by a key or the pointer. */
export function focusOn(element: HTMLElement): void {
  act(() => element.focus());
}

/** Rules for whole pages, and rules that need layout: the browser tests check these. */
const OF_PAGES = ["region", "landmark-one-main", "page-has-heading-one", "document-title", "html-has-lang"];
// One of these checks whether a modal dialog covers hidden content.
const OF_LAYOUT = ["color-contrast", "target-size", "scrollable-region-focusable", "aria-hidden-focus"];
const RULES = {
  ...Object.fromEntries([...OF_PAGES, ...OF_LAYOUT].map((id) => [id, { enabled: false }])),
  "label-content-name-mismatch": { enabled: true },
  "empty-table-header": { enabled: true },
};

/** The faults that axe finds in everything currently rendered: "rule: element". */
export async function violations(): Promise<string[]> {
  const found = (await axe.run(document.body, { rules: RULES })).violations;
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** Expects axe to find nothing in everything currently rendered. */
export async function expectAccessible(): Promise<void> {
  expect(await violations()).toEqual([]);
}
