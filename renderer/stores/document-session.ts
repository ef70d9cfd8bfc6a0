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

interface Sessions {
  readonly open: readonly DocumentSession[];
  readonly active: DocumentSession;
}

let nextId = 1;
const newSession = (): DocumentSession => ({ id: nextId++ });

const useSessions = create<Sessions>()(() => {
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

/** Makes a session with an empty document and shows it. */
export function openSession(): DocumentSession {
  const session = newSession();
  useSessions.setState(({ open }) => ({ open: [...open, session], active: session }));
  return session;
}

/** Shows a session that is open. */
export function activateSession(session: DocumentSession): void {
  useSessions.setState({ active: session });
}

/** Closes a session; the one opened before it is shown. The last one stays. */
export function closeSession(session: DocumentSession): void {
  const { open, active } = useSessions.getState();
  const left = open.filter((other) => other !== session);
  const next = left.at(-1);
  if (next !== undefined) useSessions.setState({ open: left, active: active === session ? next : active });
}

/** Calls back when another session has become active. */
export function onSessionChange(listener: () => void): () => void {
  return useSessions.subscribe((state, before) => {
    if (state.active !== before.active) listener();
  });
}

/** Calls back when a session was opened or closed. Returns a function that stops that. */
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
