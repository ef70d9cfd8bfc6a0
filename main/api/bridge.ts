import type { NumberedEvent } from "./missed-events.js";
import type { NativeMenu } from "./native-menu.js";
import type { Problem } from "./problem.js";

/**
 * The functions that Electron's preload script exposes to the window as `window.tensordeck`. Named functions only: the window
 * never sees `ipcRenderer`, so an injected page could do no more than the contract allows.
 */
export interface Bridge {
  /**
   * Calls one method of the contract. Never rejects for a failure of the method itself, because Electron flattens
   * errors that cross its bridge to their message: the problem travels as a value.
   */
  request(method: string, params: unknown): Promise<BridgeAnswer>;
  /** Calls the listener for every event of the application until the returned function is called. */
  onEvent(listener: (event: NumberedEvent) => void): () => void;
  /** The path of a file that was dropped on the window; "" for one that is on no disk. @param file A browser's File. */
  pathOf?(file: unknown): string;
  /** Present if the system has its own menu bar outside the window. */
  readonly menu?: MenuBridge;
}

export interface MenuBridge {
  /** Replaces the menu. */
  show(menu: NativeMenu): void;
  /** Calls the listener with the key of every command that is chosen, until the returned function is called. */
  onChosen(listener: (key: string) => void): () => void;
}

export type BridgeAnswer =
  | { readonly ok: true; readonly result?: unknown }
  | { readonly ok: false; readonly problem: Problem };
