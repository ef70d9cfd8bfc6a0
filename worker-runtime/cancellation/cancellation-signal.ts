/**
 * The part of an AbortSignal that waits and computations need. Node's AbortSignal is one, and so is the lighter one of a
 * CancellationController. In the other direction the compiler refuses: a lighter signal is no EventTarget, so that Node and
 * libraries throw, or never notice the abort, where they are given one.
 */
export interface CancellationSignal {
  readonly aborted: boolean;
  /** Why it was aborted; undefined before. */
  readonly reason: unknown;
  /** @throws the reason */
  throwIfAborted(): void;
  /** As with an EventTarget, a listener is added only once, and one that is added after the abort is never called. */
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
