import { z } from "zod";
import { method, nothing } from "./method.js";

export const appInfoSchema = z.object({
  version: z.string(),
  host: z.enum(["electron", "headless"]),
  platform: z.string(),
  hostname: z.string(),
  /** native: the host shows the system's own file dialogs. window: the window draws one over `files.list`. */
  fileDialogs: z.enum(["native", "window"]),
});
export type AppInfo = z.infer<typeof appInfoSchema>;

export const appMethods = {
  "app.info": method(nothing, appInfoSchema),
  /** A fresh one-time address of this window for another browser tab; headless host only. */
  "app.newWindowUrl": method(nothing, z.string()),
} as const;
