import type { ReactElement } from "react";
import { useUi } from "../stores/ui-store.js";
import { AboutDialog } from "./about-dialog.js";
import { ConfirmDialog } from "./confirm-dialog.js";
import "./dialogs.css";
import { FileDialog } from "./file-dialog.js";
import { InstallDialog } from "./install-dialog.js";
import { Palette } from "./palette.js";
import { ShortcutsDialog } from "./shortcuts-dialog.js";
import { StepsDialog } from "./steps-dialog.js";

/** The dialog that is open. */
export default function Dialogs(): ReactElement | null {
  const dialog = useUi((state) => state.dialog);
  switch (dialog?.kind) {
    case undefined:
      return null;
    case "palette":
      return <Palette />;
    case "shortcuts":
      return <ShortcutsDialog />;
    case "about":
      return <AboutDialog />;
    case "custom-steps":
      return <StepsDialog />;
    case "install":
      return <InstallDialog />;
    case "confirm":
      return <ConfirmDialog {...dialog} />;
    case "file":
      return <FileDialog {...dialog} />;
  }
}
