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

export const logSchema = z.object({
  /** Path of the whole file, on the application's machine. */
  path: z.string(),
  /** Its newest entries, one line each; details of an entry are indented below it. */
  text: z.string(),
});

/** start: for new users; scenarios: one task each, from beginning to end. */
export const guideGroupSchema = z.enum(["start", "scenarios", "reference"]);
export type GuideGroup = z.infer<typeof guideGroupSchema>;

export const guideSchema = z.object({
  /** As in `tensordeck help NAME`. */
  name: z.string(),
  group: guideGroupSchema,
  title: z.string(),
  /** Its file in the repository, "main/help/clusters/README.md": its links are relative to it. */
  path: z.string(),
});
export type Guide = z.infer<typeof guideSchema>;

export const appMethods = {
  "app.info": method(nothing, appInfoSchema),
  /** A fresh one-time address of this window for another browser tab; headless host only. */
  "app.newWindowUrl": method(nothing, z.string()),
  /** The pages for users. */
  "app.guides": method(nothing, z.array(guideSchema)),
  /** The text of one of them, in Markdown. */
  "app.guide": method(z.object({ name: z.string().max(100) }), z.string()),
  "app.log": method(nothing, logSchema),
  /** Shows the log file in the system's file manager; Electron host only. */
  "app.showLog": method(nothing, nothing),
  /** Paths of the documents that the system wants opened; they are forgotten then. */
  "app.takeAskedDocuments": method(nothing, z.array(z.string())),
  /** Writes an error of the window itself to the log. */
  "app.reportError": method(z.object({ where: z.string().max(1000), text: z.string().max(10_000) }), nothing),
} as const;

export const appEvents = {
  /** How many documents the system wants opened that no window has taken yet. */
  askedDocuments: z.object({ waiting: z.number().int() }),
} as const;
