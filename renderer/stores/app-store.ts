import { create } from "zustand";
import { useShallow } from "zustand/react/shallow";
import type { AppInfo } from "../../main/api/app.js";
import type { Problem } from "../../main/api/problem.js";
import { toProblem } from "../../main/api/wire.js";
import type { Refusal } from "../transport/session.js";
import { type DocumentSession, useActiveSession } from "./document-session.js";

/** An action offered beside a message. */
export interface NoticeAction {
  readonly label: string;
  run(): void | Promise<void>;
}

/** A message in the bar above the canvas. It stays until it is dismissed or something replaces it. */
export interface Notice {
  readonly id: number;
  readonly kind: "problem" | "info";
  readonly problem: Problem;
  readonly action?: NoticeAction;
  /** The newer of two notices with the same key, for the same document, replaces the older. */
  readonly key?: string;
  /** The document that it is about: it is shown, and its action runs, only while that is active. Absent: any. */
  readonly session?: DocumentSession;
  /** True once it is over: asked whenever the cluster has changed. */
  readonly isOver?: () => boolean;
}

/** The subject of a message. */
export type NoticeSubject = Pick<Notice, "key" | "session" | "isOver">;

/** starting: never connected so far. lost: was connected and is reconnecting. refused: access is denied. */
export type ConnectionState = "starting" | "connected" | "lost" | "refused";

export interface AppStore {
  readonly connection: ConnectionState;
  /** When the connection was lost, in milliseconds since the epoch; undefined if it never was. */
  readonly lostAt: number | undefined;
  readonly refusal: Refusal | undefined;
  readonly info: AppInfo | undefined;
  readonly notices: readonly Notice[];
}

export const useApp = create<AppStore>()(() => ({
  connection: "starting",
  lostAt: undefined,
  refusal: undefined,
  info: undefined,
  notices: [],
}));

/**
 * Since when the shown machines and tasks may be out of date, in milliseconds since the epoch; undefined
 * while the window is connected.
 */
export function useUnseenSince(): number | undefined {
  return useApp(({ connection, lostAt }) => (connection === "connected" ? undefined : lostAt));
}

/** The messages for the window and for the document that it shows, the oldest first. */
export function useNotices(): readonly Notice[] {
  const active = useActiveSession();
  return useApp(
    useShallow(({ notices }) => notices.filter(({ session }) => session === undefined || session === active)),
  );
}

/** Beyond this number of messages of one document, or of the window, the oldest is dropped. */
const MOST_NOTICES = 3;
let nextNotice = 1;

export function showNotice(notice: Omit<Notice, "id">): void {
  const { key, session } = notice;
  const others = useApp
    .getState()
    .notices.filter((other) => key === undefined || other.key !== key || other.session !== session);
  const alike = others.filter((other) => other.session === session);
  const tooMany = new Set(alike.slice(0, Math.max(0, alike.length + 1 - MOST_NOTICES)));
  const kept = others.filter((other) => !tooMany.has(other));
  useApp.setState({ notices: [...kept, { ...notice, id: nextNotice++ }] });
}

/** Shows any thrown error. */
export function showProblem(error: unknown, options: Pick<Notice, "action"> & NoticeSubject = {}): void {
  showNotice({ kind: "problem", problem: toProblem(error), ...options });
}

export function dismissNotice(id: number): void {
  useApp.setState({ notices: useApp.getState().notices.filter((notice) => notice.id !== id) });
}

/** @param session only those about this document; absent: about any */
export function dismissNoticeByKey(key: string, session?: DocumentSession): void {
  dismissNotices((notice) => notice.key === key && (session === undefined || notice.session === session));
}

/** Removes what is said about a document. Called when it is closed or replaced. */
export function dismissNoticesOf(session: DocumentSession): void {
  dismissNotices((notice) => notice.session === session);
}

/** Removes what an action on a document has told of its success. Called when the next one begins. */
export function dismissResultsOf(session: DocumentSession): void {
  dismissNotices(
    ({ kind, action, session: of }) => kind === "info" && action === undefined && of === session,
  );
}

/** Removes what is over. */
export function dismissOver(): void {
  dismissNotices(({ isOver }) => isOver?.() === true);
}

function dismissNotices(which: (notice: Notice) => boolean): void {
  const { notices } = useApp.getState();
  if (notices.some(which)) useApp.setState({ notices: notices.filter((notice) => !which(notice)) });
}

/**
 * Runs a function and shows its errors, until it succeeds if it has a key. For click handlers, which are not awaited.
 */
export function attempt(action: () => void | Promise<void>, subject: NoticeSubject = {}): void {
  const { key, session } = subject;
  const fail = (error: unknown) => showProblem(error, subject);
  const succeed = () => {
    if (key !== undefined) dismissNoticeByKey(key, session);
  };
  try {
    void Promise.resolve(action()).then(succeed, fail);
  } catch (error) {
    fail(error);
  }
}
