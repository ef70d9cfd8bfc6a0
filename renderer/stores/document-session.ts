/**
 * The state of one open document. Every session has a value of its own of each store that is made with `perDocument`
 * and of each record that is made with `recordPerDocument`; components and actions use those of the active session.
 *
 * A function that is opened in a document has a session too, below that of the document. What belongs to the graph that
 * is shown, and not to the document as a whole, is kept with `perGraph` and `recordPerGraph`.
 */
import type { StoreApi } from "zustand";
import { create, createStore, useStore } from "zustand";

/**
 * One open document. An object without state, by which stores distinguish documents; their data is released with it.
 */
export interface DocumentSession {
  /** Distinguishes its DOM elements from those of other documents. */
  readonly id: number;
  /** For the body of a function: the document that the function is of. */
  readonly parent?: DocumentSession;
}

export interface Sessions {
  /** In the order of their tabs. */
  readonly open: readonly DocumentSession[];
  readonly active: DocumentSession;
  /**
   * The functions that are open in documents: each was opened in the one before it, the first in the graph itself. The
   * last one is shown. Documents of which the graph itself is shown are not in it.
   */
  readonly within: ReadonlyMap<DocumentSession, readonly DocumentSession[]>;
}

let nextId = 1;
const newSession = (): DocumentSession => ({ id: nextId++ });

/** A session for a function of a document. */
export function newBodySession(parent: DocumentSession): DocumentSession {
  return { id: nextId++, parent };
}

/** The open documents. Changed only by the functions below. */
export const useSessions = create<Sessions>()(() => {
  const first = newSession();
  return { open: [first], active: first, within: new Map() };
});

/** The session that `inSession` runs in; undefined outside of it. */
let entered: DocumentSession | undefined;

/** The session of the document that stores use by default. */
export function activeSession(): DocumentSession {
  return entered?.parent ?? entered ?? useSessions.getState().active;
}

/** The active session for a component, which is rendered again when another one becomes active. */
export function useActiveSession(): DocumentSession {
  return useSessions((state) => state.active);
}

/**
 * The session of the graph that is shown of the active document: its own, or that of an open function. In `inSession`, it
 * is the graph of that session.
 */
export function activeGraph(): DocumentSession {
  return entered ?? shownGraph(useSessions.getState().active);
}

/** As `useActiveSession`, of the graph that is shown. */
export function useActiveGraph(): DocumentSession {
  return useSessions(({ active, within }) => within.get(active)?.at(-1) ?? active);
}

/** The session of the graph that is shown of a document. */
export function shownGraph(session: DocumentSession): DocumentSession {
  return openFunctions(session).at(-1) ?? session;
}

const NONE: readonly DocumentSession[] = [];

/** The sessions of the functions that are open in a document, outermost first. */
export function openFunctions(session: DocumentSession): readonly DocumentSession[] {
  return useSessions.getState().within.get(session) ?? NONE;
}

/** Shows a function of a document, with the functions that it was opened in; none: the graph itself. */
export function showFunctions(session: DocumentSession, path: readonly DocumentSession[]): void {
  useSessions.setState(({ within }) => {
    const after = new Map(within);
    if (path.length === 0) after.delete(session);
    else after.set(session, path);
    return { within: after };
  });
}

export function openSessions(): readonly DocumentSession[] {
  return useSessions.getState().open;
}

/**
 * Makes a session with an empty document: right of the active one, which it replaces on the screen, or in the
 * background behind all others.
 */
export function openSession({ background = false } = {}): DocumentSession {
  const session = newSession();
  useSessions.setState(({ open, active }) => ({
    open: open.toSpliced(background ? open.length : open.indexOf(active) + 1, 0, session),
    active: background ? active : session,
  }));
  return session;
}

/** Shows a session that is open. */
export function activateSession(session: DocumentSession): void {
  useSessions.setState({ active: session });
}

/** Closes a session; if it was active, the one right of it is shown, or the one left of it. The last one stays. */
export function closeSession(session: DocumentSession): void {
  const { open, active } = useSessions.getState();
  const index = open.indexOf(session);
  const left = open.filter((other) => other !== session);
  const next = left[Math.min(index, left.length - 1)];
  if (index >= 0 && next !== undefined) {
    showFunctions(session, []);
    useSessions.setState({ open: left, active: active === session ? next : active });
  }
}

/** Moves a session to a position among the others, counted from 0. */
export function moveSession(session: DocumentSession, to: number): void {
  const { open } = useSessions.getState();
  if (!open.includes(session)) return;
  const others = open.filter((other) => other !== session);
  useSessions.setState({ open: others.toSpliced(Math.max(0, to), 0, session) });
}

/** True until it is closed. */
export function isOpen(session: DocumentSession): boolean {
  return useSessions.getState().open.includes(session);
}

/** Calls back when another session has become active. */
export function onSessionChange(listener: (left: DocumentSession) => void): () => void {
  return useSessions.subscribe((state, before) => {
    if (state.active !== before.active) listener(before.active);
  });
}

/** Calls back when another graph is shown: of another document, or of a function. Its session is that of the one left. */
export function onGraphChange(listener: (left: DocumentSession) => void): () => void {
  const shown = ({ active, within }: Sessions) => within.get(active)?.at(-1) ?? active;
  return useSessions.subscribe((state, before) => {
    if (shown(state) !== shown(before)) listener(shown(before));
  });
}

/** Calls back when a session was opened, closed or moved. Returns a function that stops that. */
export function onSessionsOpen(listener: () => void): () => void {
  return useSessions.subscribe((state, before) => {
    if (state.open !== before.open) listener();
  });
}

/**
 * Runs a function on the document of a session, even if another is active by then: for code that continues after an
 * await. The function itself must be synchronous.
 */
export function inSession<T>(session: DocumentSession, action: () => T): T {
  const outer = entered;
  entered = session;
  try {
    return action();
  } finally {
    entered = outer;
  }
}

/**
 * Runs a function on the document that is shown by now: for code that continues after an await, and is not about the
 * document that it began in. `test/renderer/active-session.test.ts` finds what does neither say that nor `inSession`.
 */
export function inShown<T>(action: () => T): T {
  return inSession(useSessions.getState().active, action);
}

/** A plain value per document, which no component watches: caches and pending work. */
export function recordPerDocument<T extends object>(initial: () => T): (session?: DocumentSession) => T {
  return recordOf(initial, activeSession);
}

/** A plain value per graph that was shown: per document, and per function that is open in one. */
export function recordPerGraph<T extends object>(initial: () => T): (session?: DocumentSession) => T {
  return recordOf(initial, activeGraph);
}

function recordOf<T extends object>(
  initial: () => T,
  active: () => DocumentSession,
): (session?: DocumentSession) => T {
  const records = new WeakMap<DocumentSession, T>();
  return (session = active()) => {
    const known = records.get(session);
    if (known) return known;
    const record = initial();
    records.set(session, record);
    return record;
  };
}

/** A store of which every document has its own. As a hook and by its methods it is that of the active session. */
export interface PerDocument<T> extends Pick<StoreApi<T>, "getState" | "setState" | "subscribe"> {
  <S>(selector: (state: T) => S): S;
  /** The store of one session. */
  of(session: DocumentSession): StoreApi<T>;
}

/** How a store finds the session that it is of by default. */
interface Scope {
  readonly active: () => DocumentSession;
  readonly useActive: () => DocumentSession;
  /** The document on the screen, whatever session code is run in. */
  readonly shown: () => DocumentSession;
  readonly onChange: (listener: (left: DocumentSession) => void) => () => void;
}

const DOCUMENT: Scope = {
  active: activeSession,
  useActive: useActiveSession,
  shown: () => useSessions.getState().active,
  onChange: onSessionChange,
};

const GRAPH: Scope = {
  active: activeGraph,
  useActive: useActiveGraph,
  shown: () => shownGraph(useSessions.getState().active),
  onChange: onGraphChange,
};

export function perDocument<T extends object>(initial: () => T): PerDocument<T> {
  const of = recordPerDocument(() => createStore<T>()(initial));
  return scoped(of, DOCUMENT);
}

/** A store of which every graph that is shown has its own: of a document, and of a function that is open in one. */
export function perGraph<T extends object>(initial: () => T): PerDocument<T> {
  return ofGraph(perDocument(initial));
}

/** The stores of documents as those of the graphs that are shown: while a function is open, that of the function. */
export function ofGraph<T extends object>(store: PerDocument<T>): PerDocument<T> {
  return scoped(store.of, GRAPH);
}

function scoped<T>(of: (session: DocumentSession) => StoreApi<T>, scope: Scope): PerDocument<T> {
  const own = () => of(scope.active());
  const useScoped = <S>(selector: (state: T) => S): S => useStore(of(scope.useActive()), selector);
  return Object.assign(useScoped, {
    of: (session: DocumentSession) => of(session),
    getState: () => own().getState(),
    setState: ((...change: Parameters<StoreApi<T>["setState"]>) =>
      own().setState(...change)) as StoreApi<T>["setState"],
    /** Also called when another session becomes active, with its value. */
    subscribe: (listener: Parameters<StoreApi<T>["subscribe"]>[0]) => {
      let store = of(scope.shown());
      let leave = store.subscribe(listener);
      const unfollow = scope.onChange(() => {
        const before = store.getState();
        leave();
        store = of(scope.shown());
        leave = store.subscribe(listener);
        listener(store.getState(), before);
      });
      return () => {
        leave();
        unfollow();
      };
    },
  });
}
