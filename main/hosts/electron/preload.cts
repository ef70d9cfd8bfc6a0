// Runs in the window before its page does, sandboxed, and gives the page two functions and nothing else.
import electron = require("electron");

import type { Bridge, BridgeAnswer } from "../../api/bridge.js" with { "resolution-mode": "import" };

// As in ipc.ts; a sandboxed preload script cannot load other files.
const REQUEST_CHANNEL = "tensordeck:request";
const EVENT_CHANNEL = "tensordeck:event";

const bridge: Bridge = {
  request: (method, params) =>
    electron.ipcRenderer.invoke(REQUEST_CHANNEL, method, params) as Promise<BridgeAnswer>,
  onEvent: (listener) => {
    // Electron's own event object holds the ipcRenderer and must not reach the page.
    const forward = (_event: unknown, name: string, data: unknown) => listener(name, data);
    electron.ipcRenderer.on(EVENT_CHANNEL, forward);
    return () => {
      electron.ipcRenderer.off(EVENT_CHANNEL, forward);
    };
  },
};

electron.contextBridge.exposeInMainWorld("tensordeck", bridge);
