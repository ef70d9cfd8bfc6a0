import { method, nothing } from "./method.js";
import { runtimeStateSchema } from "./runtime.js";

export const taskMethods = {
  "runtime.get": method(nothing, runtimeStateSchema),
  /** Looks for a libtensorflow again. */
  "runtime.refresh": method(nothing, runtimeStateSchema),
  /** Starts the installation; its progress and end come as `runtime` events. */
  "runtime.install": method(nothing, nothing),
  "runtime.cancelInstall": method(nothing, nothing),
} as const;

export const taskEvents = {
  runtime: runtimeStateSchema,
} as const;
