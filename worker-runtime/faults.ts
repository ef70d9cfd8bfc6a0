/**
 * Faults of ours that nobody was there to handle: an exception out of an event's listener, or a promise that rejected
 * with nobody waiting for it. One call or connection may fail by it; the process, with all that it computes, goes on.
 */

/** Takes the text of a fault, with its stack. */
export type ReportFault = (text: string) => void;

/** Faults that are reported within a minute; one that somebody can cause at will must not fill a disk. */
const MOST_REPORTS = 20;
const MINUTE_MILLIS = 60_000;

let report: ReportFault = (text) => console.error(text);
let minuteBegan = Number.NEGATIVE_INFINITY;
let reports = 0;

/** Reports what was thrown where nobody could handle it. Never throws. */
export function reportFault(thrown: unknown): void {
  const now = performance.now();
  if (now - minuteBegan > MINUTE_MILLIS) {
    minuteBegan = now;
    reports = 0;
  }
  reports++;
  if (reports > MOST_REPORTS) return;
  const what = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  const more = reports === MOST_REPORTS ? "\nFurther faults of this minute are not reported." : "";
  report(`A fault in Tensordeck; please report it. ${what}${more}`);
}

/**
 * Lets work go on that nobody waits for. It is expected to handle what can go wrong; should it reject all the same, that
 * is reported as a fault.
 */
export function inBackground(work: PromiseLike<unknown>): void {
  work.then(undefined, reportFault);
}

/**
 * Keeps this process alive when something is thrown that nobody handles, which would end it by Node's own rule. For
 * programs, once they have what would be lost with them; never for a library.
 *
 * @param how Reports faults from now on, in the background too; they go to the standard error output unless given.
 */
export function surviveFaults(how?: ReportFault): void {
  if (how) report = how;
  process.on("uncaughtException", reportFault);
  process.on("unhandledRejection", reportFault);
}
