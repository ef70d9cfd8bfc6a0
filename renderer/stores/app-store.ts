import { create } from "zustand";
import type { AppInfo } from "../../main/api/app.js";
import type { Problem } from "../../main/api/problem.js";
import { toProblem } from "../../main/api/wire.js";
import type { Refusal } from "../transport/session.js";

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
  /** Of two notices with the same key the newer replaces the older. */
  readonly key?: string;
}

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

/** Beyond this number of messages the oldest is dropped. */
const MOST_NOTICES = 3;
let nextNotice = 1;

export function showNotice(notice: Omit<Notice, "id">): void {
  const others = useApp
    .getState()
    .notices.filter((other) => notice.key === undefined || other.key !== notice.key);
  useApp.setState({ notices: [...others, { ...notice, id: nextNotice++ }].slice(-MOST_NOTICES) });
}

/** Shows any thrown error. */
export function showProblem(error: unknown, options: { action?: NoticeAction; key?: string } = {}): void {
  showNotice({ kind: "problem", problem: toProblem(error), ...options });
}

export function dismissNotice(id: number): void {
  useApp.setState({ notices: useApp.getState().notices.filter((notice) => notice.id !== id) });
}

export function dismissNoticeByKey(key: string): void {
  const { notices } = useApp.getState();
  if (notices.some((notice) => notice.key === key))
    useApp.setState({ notices: notices.filter((notice) => notice.key !== key) });
}

/** Runs a function and shows its errors. For click handlers, which are not awaited. */
export function attempt(action: () => void | Promise<void>): void {
  try {
    void Promise.resolve(action()).catch((error: unknown) => showProblem(error));
  } catch (error) {
    showProblem(error);
  }
}
