/**
 * Unhandled faults of this program: an exception from an event listener, or a rejected promise that is not awaited.
 * One call or connection may fail because of it; the process, with all its computations, continues.
 */

/** Takes the text of a fault, with its stack. */
export type ReportFault = (text: string) => void;

/** Faults that are reported within a minute; one that can be triggered from outside must not fill a disk. */
const MOST_REPORTS = 20;
const MINUTE_MILLIS = 60_000;

let report: ReportFault = (text) => console.error(text);
let minuteBegan = Number.NEGATIVE_INFINITY;
let reports = 0;

/** Reports an unhandled error. Never throws. */
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
 * Runs work in the background. It is expected to handle its errors; if it rejects nevertheless, that is reported as a
 * fault.
 */
export function inBackground(work: PromiseLike<unknown>): void {
  work.then(undefined, reportFault);
}

/**
 * Keeps this process alive after an unhandled error, which would end it by Node's default. For programs, once they
 * have state to lose; never for a library.
 *
 * @param how Reports faults from now on, in the background too; they go to the standard error output unless given.
 */
export function surviveFaults(how?: ReportFault): void {
  if (how) report = how;
  process.on("uncaughtException", reportFault);
  process.on("unhandledRejection", reportFault);
}
