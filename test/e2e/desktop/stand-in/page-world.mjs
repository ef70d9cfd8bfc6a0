// The world of a preload script: the modules that it may require, and what it exposes to the page. Electron has it in a world of
// its own; here it runs in the page, before the page's scripts, and the page reaches nothing of it but what it exposes. The
// page is given the text of this file, after that of cloned-values.mjs.

/**
 * Runs a preload script.
 *
 * @param {(text: string) => Promise<string>} send carries a message to the main process and its answer back
 * @param {string} platform process.platform
 * @param {(require: (name: string) => object, process: object, exports: object) => void} preload the script
 * @returns {(text: string) => void} receives the main process's messages
 */
export function runPreload({ send, platform, encodeValue, decodeValue }, preload) {
  const listeners = new Map();
  const ipcRenderer = {
    invoke: async (channel, ...args) => {
      const answer = decodeValue(await send(encodeValue({ kind: "invoke", channel, args })));
      if (answer.ok) return answer.value;
      throw new Error(`Error invoking remote method '${channel}': ${answer.message}`);
    },
    send: (channel, ...args) => void send(encodeValue({ kind: "send", channel, args })),
    on: (channel, listener) => {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener]);
    },
    off: (channel, listener) => {
      listeners.set(
        channel,
        (listeners.get(channel) ?? []).filter((one) => one !== listener),
      );
    },
  };
  const contextBridge = {
    exposeInMainWorld: (name, api) => {
      Object.defineProperty(globalThis, name, { value: bridged(api), enumerable: true });
    },
  };
  // A File of a page has no path unless it is one of this machine's, which a test cannot give it.
  const webUtils = { getPathForFile: () => "" };
  const electron = { ipcRenderer, contextBridge, webUtils };
  preload(
    (name) => {
      if (name === "electron") return electron;
      throw new Error(`module not found: ${name}`);
    },
    { platform },
    {},
  );
  return (text) => {
    const { channel, args } = decodeValue(text);
    for (const listener of listeners.get(channel) ?? []) listener({ sender: ipcRenderer }, ...args);
  };
}

/** A value on the other side of the bridge: functions are called there, anything else is copied. */
function bridged(value) {
  if (typeof value === "function") return (...args) => bridged(value(...args.map(bridged)));
  if (value instanceof Promise) return value.then(bridged);
  if (typeof value !== "object" || value === null) return value;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype || !Object.values(value).some((one) => typeof one === "function")) {
    return structuredClone(value);
  }
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, one]) => [key, bridged(one)])));
}
