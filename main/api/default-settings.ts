import type { Settings } from "./settings.js";

/** The settings of a user who never changed anything. */
export const DEFAULT_SETTINGS: Settings = {
  theme: "system",
  recentDocuments: [],
  runtimeBannerDismissed: false,
  visible: true,
  machineName: "",
  stopPsWithLastWorker: false,
  allowExposedTasks: false,
  graphFolders: [],
  favouriteOps: [],
  onlyRunnableOps: true,
  tourSeen: false,
};
