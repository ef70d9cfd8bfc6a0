/**
 * Components in a DOM without a browser, for files that begin with `// @vitest-environment happy-dom`. What they leave
 * behind, in the page and in the stores of the window, goes after each test.
 */
import { act, cleanup, render } from "@testing-library/react";
import userEvent, { type UserEvent } from "@testing-library/user-event";
import axe from "axe-core";
import type { ReactElement } from "react";
import { afterEach, expect } from "vitest";
import type { StoreApi } from "zustand";
import type { ApplicationClient } from "../../../main/api/contract.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { useCluster } from "../../../renderer/stores/cluster-store.js";
import { useDismissed } from "../../../renderer/stores/dismissed-store.js";
import { activeSession, closeSession, openSession } from "../../../renderer/stores/document-session.js";
import { useDrafts } from "../../../renderer/stores/drafts-store.js";
import { usePairing } from "../../../renderer/stores/pairing-store.js";
import { useReachability } from "../../../renderer/stores/reachability-store.js";
import { useRun } from "../../../renderer/stores/run-store.js";
import { useSamples } from "../../../renderer/stores/samples-store.js";
import { useSettings } from "../../../renderer/stores/settings-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { setClient } from "../../../renderer/transport/client.js";
import { type UiServices, UiServicesProvider } from "../../../renderer/ui/services.js";
import { TooltipProvider } from "../../../renderer/ui/tooltip.js";

// React waits in `act` for what a change leads to, and says so where a test changed something outside of it.
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

/** Nothing is laid out here. Long lists draw the rows that fit into their frame, so that it needs a size. */
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
  ...[asAtStart(useSettings), asAtStart(useUi)],
];

afterEach(() => {
  cleanup();
  for (const reset of RESETS) reset();
  const session = activeSession();
  openSession();
  closeSession(session);
  calls.length = 0;
  copied.length = 0;
  errors.length = 0;
});

/** What the components asked the application for, the oldest first. */
export const calls: { readonly method: string; readonly params: unknown }[] = [];
/** Texts that were put on the clipboard. */
export const copied: string[] = [];
/** Errors that a control said nobody awaits. */
export const errors: unknown[] = [];

/** Connects the window to an application that answers as told, and with nothing where it was not. */
export function connect(answers: Readonly<Record<string, unknown>> = {}): void {
  setClient({
    call: async (method: string, params: unknown) => {
      calls.push({ method, params });
      return answers[method];
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

/** Draws a component as it stands in the window. Answers its user, and how to draw something else in its place. */
export function show(element: ReactElement): { readonly user: UserEvent; change(to: ReactElement): void } {
  const { rerender } = render(inWindow(element));
  return { user: userEvent.setup(), change: (to) => rerender(inWindow(to)) };
}

/** Gives an element the focus, as something else than a key or the pointer does. */
export function focusOn(element: HTMLElement): void {
  act(() => element.focus());
}

/** Rules of whole pages, and of what can be seen only where pages are laid out: the browser tests look at these. */
const OF_PAGES = ["region", "landmark-one-main", "page-has-heading-one", "document-title", "html-has-lang"];
// Whether a modal dialog lies over what is hidden is one of these.
const OF_LAYOUT = ["color-contrast", "target-size", "scrollable-region-focusable", "aria-hidden-focus"];
const RULES = {
  ...Object.fromEntries([...OF_PAGES, ...OF_LAYOUT].map((id) => [id, { enabled: false }])),
  "label-content-name-mismatch": { enabled: true },
  "empty-table-header": { enabled: true },
};

/** What axe finds in all that is drawn now: "rule: element". */
export async function violations(): Promise<string[]> {
  const found = (await axe.run(document.body, { rules: RULES })).violations;
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** Expects axe to find nothing in all that is drawn now. */
export async function expectAccessible(): Promise<void> {
  expect(await violations()).toEqual([]);
}
