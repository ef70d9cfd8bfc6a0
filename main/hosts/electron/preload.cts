// Runs in the window before its page does, sandboxed, and gives the page the few functions of the bridge and nothing else.
import electron = require("electron");

import type { Bridge, BridgeAnswer, MenuBridge } from "../../api/bridge.js" with {
  "resolution-mode": "import",
};
import type { NumberedEvent } from "../../api/missed-events.js" with { "resolution-mode": "import" };

// As in ipc.ts; a sandboxed preload script cannot load other files.
const REQUEST_CHANNEL = "tensordeck:request";
const EVENT_CHANNEL = "tensordeck:event";
const MENU_CHANNEL = "tensordeck:menu";
const CHOSEN_CHANNEL = "tensordeck:menu-chosen";

const menu: MenuBridge = {
  show: (shown) => electron.ipcRenderer.send(MENU_CHANNEL, shown),
  onChosen: (listener) => {
    const forward = (_event: unknown, key: string) => listener(key);
    electron.ipcRenderer.on(CHOSEN_CHANNEL, forward);
    return () => {
      electron.ipcRenderer.off(CHOSEN_CHANNEL, forward);
    };
  },
};

const bridge: Bridge = {
  request: (method, params) =>
    electron.ipcRenderer.invoke(REQUEST_CHANNEL, method, params) as Promise<BridgeAnswer>,
  onEvent: (listener) => {
    // Electron's own event object holds the ipcRenderer and must not reach the page.
    const forward = (_event: unknown, event: NumberedEvent) => listener(event);
    electron.ipcRenderer.on(EVENT_CHANNEL, forward);
    return () => {
      electron.ipcRenderer.off(EVENT_CHANNEL, forward);
    };
  },
  pathOf: (file) =>
    electron.webUtils.getPathForFile(file as Parameters<typeof electron.webUtils.getPathForFile>[0]),
  // On the other systems the window has all commands in its own bar.
  ...(process.platform === "darwin" ? { menu } : {}),
};

electron.contextBridge.exposeInMainWorld("tensordeck", bridge);
