import { z } from "zod";
import { method, nothing } from "./method.js";

/** An absolute path, of Windows or of any other system. */
const folderSchema = z
  .string()
  .max(4096)
  .regex(/^(?:\/|[A-Za-z]:[\\/]|\\\\)/, "A folder must be given by its full path.");

export const settingsSchema = z.object({
  theme: z.enum(["dark", "light", "system"]),
  recentDocuments: z.array(z.string()).max(20),
  runtimeBannerDismissed: z.boolean(),
  /** Whether this machine is announced on the network and its agent listens there. */
  visible: z.boolean(),
  /** The name of this machine as shown elsewhere; empty: its host name. */
  machineName: z.string().max(63),
  /** When the last worker of a cluster leaves, its ps tasks stop too. */
  stopPsWithLastWorker: z.boolean(),
  /** Whether other machines may start tasks here that the whole network reaches, and so this account's files. */
  allowExposedTasks: z.boolean(),
  /**
   * Folders of this machine that graphs on the portable engine may read and write; applies to tasks started later.
   */
  graphFolders: z.array(folderSchema).max(20),
  /** Ops that the window lists first. */
  favouriteOps: z.array(z.string().max(200)).max(100),
  /** Whether the window lists only ops that the cluster's engines can run. */
  onlyRunnableOps: z.boolean(),
  /** Whether the tour for new users was finished or skipped; it starts by itself until then. */
  tourSeen: z.boolean(),
});
export type Settings = z.infer<typeof settingsSchema>;

export const settingsMethods = {
  "settings.get": method(nothing, settingsSchema),
  "settings.set": method(settingsSchema.partial(), settingsSchema),
} as const;

export const settingsEvents = {
  settings: settingsSchema,
} as const;
