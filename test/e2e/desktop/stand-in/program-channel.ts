/** The channel between the program and the test, and events as Electron emits them. */
import type { EventEmitter } from "node:events";
import type { FromProgram } from "./messages.js";

/** Tells the test. */
export function tell(message: FromProgram): void {
  // Without the test there is nobody to whom it matters.
  if (process.connected) process.send?.(message, () => undefined);
}

/** An event whose default can be prevented. */
export class PreventableEvent {
  defaultPrevented = false;
  preventDefault(): void {
    this.defaultPrevented = true;
  }
}

/** @returns true if a listener prevented the default */
export function emitPreventable(
  emitter: EventEmitter,
  name: string,
  event = new PreventableEvent(),
): boolean {
  emitter.emit(name, event);
  return event.defaultPrevented;
}
