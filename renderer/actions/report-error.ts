/** Errors of the window itself: shown to the user and written to the application's log. */
import { ProblemError, toProblem } from "../../main/api/wire.js";
import { showProblem } from "../stores/app-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";

const words = texts.actions.reportError;

/** A component that throws on every render must not fill the log. */
const MOST_REPORTS = 50;
const MOST_CHARACTERS = 8000;
/** A message of the browser: nothing is wrong, an observer is called a frame later. */
const HARMLESS = /^ResizeObserver loop/;

const reported = new Set<string>();

/**
 * Writes an error to the application's log, each one once. Never throws.
 *
 * @param where the part of the window where it happened: "The inspector"
 */
export function reportError(where: string, error: unknown, components = ""): void {
  const text = errorText(error, components);
  if (reported.has(text) || reported.size >= MOST_REPORTS) return;
  reported.add(text);
  try {
    client()
      .call("app.reportError", { where, text: text.slice(0, MOST_CHARACTERS) })
      // Without its application the window has nowhere to write to; the browser's console has the error.
      .catch(() => undefined);
  } catch {
    // The same, before the window was first connected.
  }
}

/** The text of an error report: its message, where it was thrown, and the components being rendered. */
export function errorText(error: unknown, components = ""): string {
  const thrown = error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
  return components === "" ? thrown : `${thrown}\nin${components}`;
}

const said = new Set<string>();

/**
 * Reports errors thrown outside rendering without a caller to handle them. Each bug of the window is reported once.
 */
export function sayUnhandled(error: unknown): void {
  // The error of a call results from an action of the user and is shown each time.
  if (error instanceof ProblemError) {
    showProblem(error);
    return;
  }
  const { message, details } = toProblem(error);
  if (HARMLESS.test(message)) return;
  reportError(words.theWindow, error);
  if (said.has(message) || said.size >= MOST_REPORTS) return;
  said.add(message);
  showProblem(
    new ProblemError({
      code: "INTERNAL",
      message: words.message,
      reason: message,
      remedy: words.remedy,
      ...(details === undefined ? {} : { details }),
    }),
    {
      key: "window-error",
      action: { label: texts.common.reloadWindow, run: () => window.location.reload() },
    },
  );
}

/** Handles every error that nothing else handles. Called once at start. */
export function listenToErrors(): void {
  window.addEventListener("error", ({ error, message }) => sayUnhandled(error ?? new Error(message)));
  // Work that was started by a click and is not awaited.
  window.addEventListener("unhandledrejection", ({ reason }) => sayUnhandled(reason));
}
