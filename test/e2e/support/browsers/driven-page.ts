/** One tab of some browser, with the little that a walk through the window needs and all browsers can do. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface DrivenPage {
  /** The browser and its version, as in "Firefox 153.8". */
  readonly browser: string;
  /** Opens an address; resolves once its page is loaded. */
  open(address: string): Promise<void>;
  /** Runs a function's body, given as text, in the page; its result must be JSON. */
  evaluate(body: string): Promise<unknown>;
  /** Moves the pointer there, as a hand would, with movements in between. */
  moveTo(point: Point): Promise<void>;
  press(): Promise<void>;
  release(): Promise<void>;
  /** Violations of the page's content security policy since it was opened: "script-src eval". */
  violations(): Promise<readonly string[]>;
  /** A PNG of the page. */
  screenshot(): Promise<Uint8Array>;
  /** Ends the browser, and removes what it has written. */
  close(): Promise<void>;
}

/** For a browser that runs a script before those of a page: notes what its policy prevents. */
export const NOTE_VIOLATIONS = `
  globalThis.violations = [];
  addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
    violations.push(effectiveDirective + " " + blockedURI);
  });`;

/** The size of the page in every browser. */
export const PAGE = { width: 1440, height: 900 };

/** A movement of the pointer. */
export const MOVE_STEPS = 8;

/** The points on the way from one to the other, which is the last. */
export function wayTo(from: Point, to: Point): Point[] {
  return Array.from({ length: MOVE_STEPS }, (_, index) => {
    const part = (index + 1) / MOVE_STEPS;
    return {
      x: Math.round(from.x + (to.x - from.x) * part),
      y: Math.round(from.y + (to.y - from.y) * part),
    };
  });
}
