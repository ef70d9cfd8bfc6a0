/** What the application asks of the engine's finder and installer. */
import type { InstallProgress, Runtime, RuntimeState } from "../api/runtime.js";

export interface RuntimeTools {
  /** The library that new tasks would use; absent when none was found. */
  find(signal: AbortSignal): Promise<Runtime | undefined>;
  /** What could be installed here. `problem` says why nothing can. */
  offer(signal: AbortSignal): Promise<Pick<RuntimeState, "offer" | "problem">>;
  install(onProgress: (progress: InstallProgress) => void, signal: AbortSignal): Promise<void>;
  /** The library's own op list, a serialized OpList without descriptions. */
  opList(runtime: Runtime, signal: AbortSignal): Promise<Uint8Array>;
}
