import type { AppInfo } from "../api/app.js";
import type { PickFile } from "../api/documents.js";
import type { SharedWindow } from "../peers/agent/shared-window.js";
import type { AskedDocuments } from "./asked-documents.js";

/** The host that shows the application's windows, as far as it needs it: everything that differs between the two hosts. */
export interface Host {
  readonly kind: AppInfo["host"];
  /** The system's own file dialog; resolves to undefined when the user cancels. Absent if there is none. */
  pickFile?(request: PickFile): Promise<string | undefined>;
  /** The documents that the system wants opened. Absent if the system does not know the program. */
  readonly askedDocuments?: AskedDocuments;
  /** Shows a file in the system's file manager. Absent if there is none. */
  showFile?(path: string): void;
  /** A fresh one-time address for another browser tab. Absent if windows are not pages of a browser. */
  newWindowUrl?(): string;
  /** Absent where windows are not pages of a browser. */
  readonly sharedWindow?: SharedWindow;
}
