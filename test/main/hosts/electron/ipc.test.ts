import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { WebContents } from "electron";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Bridge } from "../../../../main/api/bridge.js";
import { DEFAULT_SETTINGS } from "../../../../main/api/default-settings.js";
import type { Application } from "../../../../main/application.js";
import { callerOf, sendEvents, serveRequests } from "../../../../main/hosts/electron/ipc.js";
import { CHOSEN_CHANNEL, MENU_CHANNEL } from "../../../../main/hosts/electron/menu-channel.js";
import { WINDOW_URL } from "../../../../main/hosts/electron/window-address.js";
import type { EventListener } from "../../../../main/shared/events.js";
import { repositoryRoot } from "../../../support/find-peers.js";

type Invoke = (event: unknown, ...args: unknown[]) => Promise<unknown>;
const channels = vi.hoisted(() => new Map<string, Invoke>());
vi.mock("electron", () => ({
  ipcMain: { handle: (channel: string, handler: Invoke) => channels.set(channel, handler) },
}));

class FakeApplication implements Application {
  readonly handle = vi.fn(async (method: string, params: unknown) => {
    if (method === "fails") throw new Error("no such graph");
    if (method === "machines.openWindow") return "http://127.0.0.1:40001/#token=a";
    return { method, params };
  });
  readonly listeners = new Set<EventListener>();
  onEvent(listener: EventListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
  newestEvent() {
    return undefined;
  }
  knownPeers() {
    return { clones: {}, callers: [] };
  }
  inUse() {
    return { tasks: [], ownTasks: [] };
  }
  async dispose(): Promise<void> {}
}

class Contents extends EventEmitter {
  readonly send = vi.fn();
  destroyed = false;
  isDestroyed(): boolean {
    return this.destroyed;
  }
}

let application: FakeApplication;
let given: Set<string>;
const own = { sender: new Contents(), senderFrame: { url: WINDOW_URL, parent: null } };
const only = <T>(values: Iterable<T>): T => {
  const [first] = values;
  if (first === undefined) throw new Error("There is none.");
  return first;
};

beforeEach(() => {
  channels.clear();
  application = new FakeApplication();
  given = new Set();
  serveRequests(application, given);
});

describe("requests", () => {
  test("of the window are answered, failures too", async () => {
    const invoke = only(channels.values());
    expect(await invoke(own, "app.info", { a: 1 })).toEqual({
      ok: true,
      result: { method: "app.info", params: { a: 1 } },
    });
    expect(await invoke(own, "fails", undefined)).toMatchObject({
      ok: false,
      problem: { message: "no such graph" },
    });
  });

  test.each([
    ["another page", { senderFrame: { url: "https://example.com/", parent: null } }, "app.info"],
    ["a frame in the page", { senderFrame: { url: WINDOW_URL, parent: {} } }, "app.info"],
    ["a frame that is gone", { senderFrame: null }, "app.info"],
    ["a method that is no string", own, ["app.info"]],
  ])("of %s never reach the application", async (_what, event, method) => {
    const answer = await only(channels.values())(event, method, undefined);
    expect(answer).toMatchObject({ ok: false, problem: { code: "PERMISSION_DENIED" } });
    expect(application.handle).not.toHaveBeenCalled();
  });
});

test("the address of another machine's window is noted, so that it can be opened", async () => {
  await only(channels.values())(own, "machines.openWindow", "id");
  expect([...given]).toEqual(["http://127.0.0.1:40001/#token=a"]);
});

test("events reach a window while it exists", () => {
  const contents = new Contents();
  sendEvents(application, contents as unknown as WebContents);
  only(application.listeners)("settings", DEFAULT_SETTINGS, 1);
  expect(contents.send).toHaveBeenCalledExactlyOnceWith("tensordeck:event", {
    event: "settings",
    data: DEFAULT_SETTINGS,
    sequence: 1,
  });
  contents.destroyed = true;
  only(application.listeners)("settings", DEFAULT_SETTINGS, 1);
  expect(contents.send).toHaveBeenCalledTimes(1);
  contents.emit("destroyed");
  expect(application.listeners.size).toBe(0);
});

test.each([
  ["loads its page anew", "did-start-navigation", { isMainFrame: true, isSameDocument: false }],
  ["crashes", "render-process-gone", {}],
  ["closes", "destroyed", {}],
])("a window that %s is another caller from then on", (_what, event, details) => {
  const contents = new Contents();
  const caller = () => callerOf(contents as unknown as WebContents);
  const before = caller();
  contents.emit("did-start-navigation", { isMainFrame: true, isSameDocument: true });
  contents.emit("did-start-navigation", { isMainFrame: false, isSameDocument: false });
  expect(caller()).toBe(before);
  expect(before.gone.aborted).toBe(false);
  contents.emit(event, details);
  expect(before.gone.aborted).toBe(true);
  expect(caller()).not.toBe(before);
});

describe("the compiled preload script", () => {
  const preload = (platform: NodeJS.Platform = "linux") => {
    const renderer = Object.assign(new EventEmitter(), {
      invoke: async (channel: string, ...args: unknown[]) => await channels.get(channel)?.(own, ...args),
      send: vi.fn(),
    });
    const exposed = new Map<string, Bridge>();
    const required: string[] = [];
    const require = (name: string) => {
      required.push(name);
      return {
        ipcRenderer: renderer,
        webUtils: { getPathForFile: ({ name }: { name: string }) => `/home/me/${name}` },
        contextBridge: {
          exposeInMainWorld: (name: string, value: Bridge) => exposed.set(name, value),
        },
      };
    };
    const file = join(repositoryRoot, "build", "out", "main", "hosts", "electron", "preload.cjs");
    new Function("require", "exports", "process", readFileSync(file, "utf8"))(require, {}, { platform });
    return { renderer, exposed, required };
  };

  test("needs nothing that the sandbox lacks and gives the page three functions", () => {
    const { exposed, required } = preload();
    expect(required).toEqual(["electron"]);
    expect([...exposed.keys()]).toEqual(["tensordeck"]);
    expect(Object.keys(only(exposed.values())).sort()).toEqual(["onEvent", "pathOf", "request"]);
  });

  test("tells where a dropped file is", () => {
    const file = { name: "train.py" };
    expect(only(preload().exposed.values()).pathOf?.(file)).toBe("/home/me/train.py");
  });

  test("gives the page the menu bar where the system has one outside the window", () => {
    const { exposed, renderer } = preload("darwin");
    const { menu } = only(exposed.values());
    const shown = { app: [], menus: [], help: [] };
    menu?.show(shown);
    expect(renderer.send).toHaveBeenCalledExactlyOnceWith(MENU_CHANNEL, shown);
    const chosen: string[] = [];
    const stop = menu?.onChosen((key) => chosen.push(key));
    renderer.emit(CHOSEN_CHANNEL, {}, "run.once");
    stop?.();
    renderer.emit(CHOSEN_CHANNEL, {}, "run.once");
    expect(chosen).toEqual(["run.once"]);
  });

  test("speaks on the channels that the application answers", async () => {
    const { exposed, renderer } = preload();
    const bridge = only(exposed.values());
    expect(await bridge.request("app.info", [1])).toEqual({
      ok: true,
      result: { method: "app.info", params: [1] },
    });

    const contents = new Contents();
    contents.send.mockImplementation((channel: string, ...args: unknown[]) => {
      renderer.emit(channel, { sender: renderer }, ...args);
    });
    sendEvents(application, contents as unknown as WebContents);
    const heard: unknown[] = [];
    const stop = bridge.onEvent((...args) => heard.push(args));
    only(application.listeners)("settings", DEFAULT_SETTINGS, 1);
    stop();
    only(application.listeners)("settings", DEFAULT_SETTINGS, 1);
    expect(heard).toEqual([[{ event: "settings", data: DEFAULT_SETTINGS, sequence: 1 }]]);
  });
});
