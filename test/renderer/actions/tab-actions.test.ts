/** Closing tabs, and what of them outlives the page. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ApplicationClient } from "../../../main/api/contract.js";
import type { DocumentFile } from "../../../main/api/documents.js";
import { ProblemError } from "../../../main/api/wire.js";
import { restoreTab } from "../../../renderer/actions/draft-actions.js";
import { rememberedTabs, rememberTabs } from "../../../renderer/actions/tab-actions.js";
import { tabCommands, tabListCommands } from "../../../renderer/commands/tab-commands.js";
import { showNotice, useApp } from "../../../renderer/stores/app-store.js";
import {
  activateSession,
  activeSession,
  closeSession,
  type DocumentSession,
  openSession,
  openSessions,
} from "../../../renderer/stores/document-session.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useTab } from "../../../renderer/stores/tab-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { setClient } from "../../../renderer/transport/client.js";

const file = (name: string, path?: string): DocumentFile => ({
  name,
  kind: "meta_graph",
  format: "text",
  metaGraph: new Uint8Array(0),
  ...(path === undefined ? {} : { path }),
});
const nameOf = (session: DocumentSession) => useDocument.of(session).getState().document.name;
const names = () => openSessions().map(nameOf);
const edit = () =>
  documentActions.setCluster([
    { job: "worker", index: 0, machine: "m", address: "", engine: "portable", gpu: "auto" },
  ]);
const settle = () => vi.waitFor(() => expect(useUi.getState().dialog).toBeUndefined());
const stored = new Map<string, string>();
const saved: unknown[] = [];

/** Answers the question that is asked. */
async function answer(choice: string | undefined): Promise<string> {
  const dialog = await vi.waitFor(() => {
    const shown = useUi.getState().dialog;
    if (shown?.kind !== "confirm") throw new Error("No question is asked.");
    return shown;
  });
  useUi.setState({ dialog: undefined });
  dialog.resolve(choice);
  return dialog.title;
}

beforeEach(() => {
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
  stored.clear();
  saved.length = 0;
  const answers: Readonly<Record<string, (params: never) => unknown>> = {
    "documents.open": ({ path }: { path: string }) => {
      if (path === "/gone.pb") throw new ProblemError({ code: "NOT_FOUND", message: "It is gone." });
      return file(path.slice(1), path);
    },
    "documents.openExample": ({ id }: { id: string }) => file(id),
    "documents.drafts": () => [{ draftId: "d1", name: "b.pb", file: "same" }],
    "documents.restoreDraft": () => file("b.pb", "/b.pb"),
    "documents.save": (params) => {
      saved.push(params);
      return { ...file("a.pb", "/a.pb") };
    },
  };
  setClient({
    call: async (method: string, params: unknown) => answers[method]?.(params as never),
    on: () => () => undefined,
    onConnection: () => () => undefined,
  } as unknown as ApplicationClient);
  useApp.setState({ connection: "connected", notices: [] });
  useUi.setState({ dialog: undefined });
  documentActions.load(file("a.pb", "/a.pb"));
  useTab.setState({ example: undefined });
  openSession();
  documentActions.load(file("b.pb", "/b.pb"));
  openSession();
  documentActions.load(file("c.pb", "/c.pb"));
});

afterEach(() => {
  vi.unstubAllGlobals();
  for (const session of openSessions().slice(1)) closeSession(session);
});

describe("a tab", () => {
  it("is closed at once when nothing would be lost, with its messages", async () => {
    const session = activeSession();
    showNotice({ kind: "info", problem: { code: "OK", message: "Of c." }, session });
    tabCommands.close.now().run();
    await vi.waitFor(() => expect(names()).toEqual(["a.pb", "b.pb"]));
    expect(useApp.getState().notices).toEqual([]);
  });

  it("that is not shown is shown when there is a question about it, and stays without an answer", async () => {
    const [first = activeSession()] = openSessions();
    activateSession(first);
    edit();
    tabListCommands.next.now().run();
    tabCommands.close.on(first).run();
    expect(await answer(undefined)).toBe("Save changes to a.pb?");
    await settle();
    expect(activeSession()).toBe(first);
    expect(names()).toEqual(["a.pb", "b.pb", "c.pb"]);
    tabCommands.close.on(first).run();
    await answer("save");
    await vi.waitFor(() => expect(names()).toEqual(["b.pb", "c.pb"]));
    expect(saved).toMatchObject([{ path: "/a.pb" }]);
  });

  it("gives way to an empty document when it is the last", async () => {
    tabCommands.closeOthers.now().run();
    await vi.waitFor(() => expect(names()).toEqual(["c.pb"]));
    tabCommands.close.now().run();
    await vi.waitFor(() => expect(names()).toEqual(["untitled"]));
    expect(tabCommands.close.now().reason).toBe("Nothing else is open.");
    expect(tabListCommands.next.now().reason).toBe("No other document is open.");
  });

  it("follows another in a circle, and moves among them", () => {
    tabListCommands.next.now().run();
    expect(nameOf(activeSession())).toBe("a.pb");
    tabListCommands.previous.now().run();
    expect(nameOf(activeSession())).toBe("c.pb");
    expect(tabCommands.moveRight.now().reason).toBe("It is the last tab.");
    tabCommands.moveLeft.now().run();
    expect(names()).toEqual(["a.pb", "c.pb", "b.pb"]);
  });
});

describe("tabs of a page that is loaded again", () => {
  it("are known, with the shown one and their drafts", () => {
    const stop = rememberTabs();
    const [, second = activeSession()] = openSessions();
    useTab.of(second).setState({ draft: "d1" });
    activateSession(second);
    openSession();
    useTab.setState({ example: "digits" });
    const [a, b, digits, c] = openSessions().map((session) => useDocument.of(session).getState().document.id);
    expect(rememberedTabs()).toEqual({
      tabs: [
        ...[
          { id: a, path: "/a.pb" },
          { id: b, path: "/b.pb", draft: "d1" },
        ],
        ...[
          { id: digits, example: "digits" },
          { id: c, path: "/c.pb" },
        ],
      ],
      active: 2,
    });
    stop();
    closeSession(activeSession());
    expect(rememberedTabs().tabs).toHaveLength(4);
  });

  it("are the first example in a new window, and where nothing can be read", () => {
    const first = { tabs: [{ example: "welcome" }], active: 0 };
    expect(rememberedTabs()).toEqual(first);
    stored.set("tensordeck.tabs", '{"tabs": [], "active": 0}');
    expect(rememberedTabs()).toEqual(first);
  });

  it("show the same documents, whose runs are listed further", async () => {
    await restoreTab(activeSession(), { id: "of before", example: "digits" });
    expect(useDocument.getState().document).toMatchObject({ id: "of before", name: "digits" });
    await restoreTab(activeSession(), { id: "of before" });
    expect(useDocument.getState().document).toMatchObject({ id: "of before", nodes: new Map() });
    await restoreTab(activeSession(), { id: "of the file", path: "/b.pb" });
    expect(useDocument.getState().document).toMatchObject({ id: "of the file", path: "/b.pb" });
  });

  it("show their edits again, which can be discarded there", async () => {
    const session = activeSession();
    await restoreTab(session, { path: "/b.pb", draft: "d1" });
    expect(useDocument.getState()).toMatchObject({ dirty: true, document: { name: "b.pb" } });
    const [notice] = useApp.getState().notices;
    expect(notice).toMatchObject({ session, action: { label: "Discard edits" } });
    await notice?.action?.run();
    expect(useDocument.getState().dirty).toBe(false);
    expect(useApp.getState().notices).toEqual([]);
  });

  it("are closed where their file is gone, except the last, which shows the first example", async () => {
    await restoreTab(activeSession(), { path: "/gone.pb" });
    expect(names()).toEqual(["a.pb", "b.pb"]);
    closeSession(activeSession());
    await restoreTab(activeSession(), { path: "/gone.pb" });
    expect(names()).toEqual(["welcome"]);
  });
});
