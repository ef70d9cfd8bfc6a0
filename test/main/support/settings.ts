import type { Settings } from "../../../main/api/settings.js";

/** The settings of a user who never changed anything. */
export const defaultSettings: Settings = {
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
