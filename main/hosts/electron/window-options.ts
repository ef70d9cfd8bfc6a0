import type { BrowserWindowConstructorOptions } from "electron";
import type { Settings } from "../../api/settings.js";
import { DEFAULT_SIZE, MINIMUM_SIZE, type Rectangle } from "./window-state.js";

/** The canvas' colour (`--bg-0`), shown until the page has drawn itself. */
const BACKGROUND = { dark: "#0B0D10", light: "#FFFFFF" } as const;

/** The background before the page has drawn itself. */
export function backgroundColour(theme: Settings["theme"], systemIsDark: boolean): string {
  const dark = theme === "dark" || (theme === "system" && systemIsDark);
  return dark ? BACKGROUND.dark : BACKGROUND.light;
}

export interface WindowOptions {
  readonly preload: string;
  readonly backgroundColor: string;
  /** Undefined: the system places the window. */
  readonly bounds: Rectangle | undefined;
}

/** The options of the window. Its page has the rights of one in a browser, plus the bridge. */
export function windowOptions({
  preload,
  backgroundColor,
  bounds,
}: WindowOptions): BrowserWindowConstructorOptions {
  return {
    title: "Tensordeck",
    ...(bounds ?? DEFAULT_SIZE),
    minWidth: MINIMUM_SIZE.width,
    minHeight: MINIMUM_SIZE.height,
    backgroundColor,
    // Shown when the page has drawn itself: no white flash.
    show: false,
    autoHideMenuBar: true,
    webPreferences: {
      preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
    },
  };
}
