/** The engine's finder and installer, as far as the application needs them. */
import type { InstallProgress, Runtime, RuntimeState } from "../../api/runtime.js";

export interface RuntimeTools {
  /** The library that new tasks would use, or why the found ones are unusable. Neither if there is none. */
  find(signal: AbortSignal): Promise<Pick<RuntimeState, "runtime" | "problem">>;
  /**
   * The version that could be installed here, or why none can.
   *
   * @param found An existing library: only something better is then offered.
   */
  offer(found: Runtime | undefined, signal: AbortSignal): Promise<Pick<RuntimeState, "offer" | "problem">>;
  install(onProgress: (progress: InstallProgress) => void, signal: AbortSignal): Promise<void>;
  /** The library's own op list, a serialized OpList without descriptions. */
  opList(runtime: Runtime, signal: AbortSignal): Promise<Uint8Array>;
}
