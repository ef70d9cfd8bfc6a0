/** Who calls a method of the contract. */

/** A window for as long as it is connected; a reloaded page counts as another one. */
export interface Caller {
  /** Aborted when the window has gone. */
  readonly gone: AbortSignal;
}

/** A caller that is never gone: the program itself. */
export const THIS_PROGRAM: Caller = { gone: new AbortController().signal };
