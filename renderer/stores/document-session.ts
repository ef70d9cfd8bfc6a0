/**
 * What belongs to one open document. Every session has a value of its own of each store that is made with `perDocument`
 * and of each record that is made with `recordPerDocument`; components and actions use those of the active session.
 */
import type { StoreApi } from "zustand";
import { create, createStore, useStore } from "zustand";

/**
 * One open document. An object without state, by which stores distinguish documents; their data is released with it.
 */
export interface DocumentSession {
  /** Distinguishes its DOM elements from those of other documents. */
  readonly id: number;
}

export interface Sessions {
  /** In the order of their tabs. */
  readonly open: readonly DocumentSession[];
  readonly active: DocumentSession;
}

let nextId = 1;
const newSession = (): DocumentSession => ({ id: nextId++ });

/** The open documents. Changed only by the functions below. */
export const useSessions = create<Sessions>()(() => {
  const first = newSession();
  return { open: [first], active: first };
});

/** The session that `inSession` runs in; undefined outside of it. */
let entered: DocumentSession | undefined;

/** The session that stores use by default. */
export function activeSession(): DocumentSession {
  return entered ?? useSessions.getState().active;
}

/** The active session for a component, which is rendered again when another one becomes active. */
export function useActiveSession(): DocumentSession {
  return useSessions((state) => state.active);
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

/** A plain value per document, which no component watches: caches and pending work. */
export function recordPerDocument<T extends object>(initial: () => T): (session?: DocumentSession) => T {
  const records = new WeakMap<DocumentSession, T>();
  return (session = activeSession()) => {
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

export function perDocument<T extends object>(initial: () => T): PerDocument<T> {
  const of = recordPerDocument(() => createStore<T>()(initial));
  const useDocumentStore = <S>(selector: (state: T) => S): S => useStore(of(useActiveSession()), selector);
  return Object.assign(useDocumentStore, {
    of: (session: DocumentSession) => of(session),
    getState: () => of().getState(),
    setState: ((...change: Parameters<StoreApi<T>["setState"]>) =>
      of().setState(...change)) as StoreApi<T>["setState"],
    /** Also called when another session becomes active, with its value. */
    subscribe: (listener: Parameters<StoreApi<T>["subscribe"]>[0]) => {
      let store = of(useSessions.getState().active);
      let leave = store.subscribe(listener);
      const unfollow = onSessionChange(() => {
        const before = store.getState();
        leave();
        store = of(useSessions.getState().active);
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
