/** When the window sends what of its document, with an application that only writes down what it is asked. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ApplicationClient } from "../../../main/api/contract.js";
import type { KeepDraft } from "../../../main/api/drafts.js";
import { ProblemError } from "../../../main/api/wire.js";
import { DraftKeeper } from "../../../renderer/actions/draft-keeper.js";
import { writeDocument } from "../../../renderer/document/document-file.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import {
  activeSession,
  closeSession,
  inSession,
  openSession,
} from "../../../renderer/stores/document-session.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useTab } from "../../../renderer/stores/tab-store.js";
import { welcome } from "../document/graphs.js";

const TWO_SECONDS = 2000;

class Application {
  readonly kept: KeepDraft[] = [];
  readonly discarded: string[] = [];
  /** The error of the next calls. */
  readonly failures: ProblemError[] = [];
  #onConnection: ((connected: boolean) => void) | undefined;

  readonly client = {
    call: async (method: string, params: unknown) => {
      const failure = method === "documents.keepDraft" ? this.failures.shift() : undefined;
      if (failure) throw failure;
      if (method === "documents.keepDraft") this.kept.push(params as KeepDraft);
      else if (method === "documents.discardDraft") {
        this.discarded.push((params as { draftId: string }).draftId);
      } else throw new Error(`no such call is expected: ${method}`);
    },
    on: () => () => undefined,
    onConnection: (listener: (connected: boolean) => void) => {
      this.#onConnection = listener;
      listener(true);
      return () => undefined;
    },
  } as unknown as ApplicationClient;

  connectAgain(): void {
    this.#onConnection?.(true);
  }
}

let application: Application;
let keeper: DraftKeeper;
let stop: () => void;
const page = Object.assign(new EventTarget(), { visibilityState: "visible" });

function load(): void {
  documentActions.load({
    name: "g",
    path: "/g.pbtxt",
    kind: "meta_graph",
    format: "text",
    metaGraph: writeDocument(welcome()),
  });
}

const move = (x: number) => documentActions.moveNodes(new Map([["a", { x, y: 0 }]]));
const save = () =>
  documentActions.markSaved({ name: "g", path: "/g.pbtxt", kind: "meta_graph", format: "text" });
const draftOf = (session = activeSession()) => useTab.of(session).getState().draft;
const wait = (millis: number) => vi.advanceTimersByTimeAsync(millis);
const failure = (code: string, message = code) => new ProblemError({ code, message });

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", page);
  useApp.setState({ notices: [] });
  load();
  application = new Application();
  keeper = new DraftKeeper(application.client, () => Promise.resolve());
  stop = keeper.start();
});
afterEach(() => {
  stop();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("the keeper of drafts", () => {
  it("sends the whole document once, then what changed, each within two seconds", async () => {
    await wait(TWO_SECONDS);
    expect(application.kept).toEqual([]);
    move(1);
    await wait(TWO_SECONDS);
    move(2);
    move(3);
    await wait(TWO_SECONDS);
    expect(application.kept).toHaveLength(2);
    const [whole, change] = application.kept;
    expect(whole?.document).toMatchObject({ name: "g", path: "/g.pbtxt" });
    expect(change?.draftId).toBe(whole?.draftId);
    expect(change?.document).toBeUndefined();
    expect(change?.change.added).toEqual([]);
    expect(draftOf()).toBe(whole?.draftId);
    // The steps of undo go with them, each once.
    const steps = application.kept.map(({ change: { history } }) => history?.added.length);
    expect(steps).toEqual([1, 1]);
  });

  it("keeps a document that no file has from its opening on, and says whether it was edited", async () => {
    const file = { kind: "saved_model", format: "binary", metaGraph: writeDocument(welcome()) } as const;
    useTab.setState({ example: "welcome" });
    documentActions.load({ name: "model", ...file });
    useTab.setState({ example: undefined });
    await wait(TWO_SECONDS);
    move(1);
    await wait(TWO_SECONDS);
    documentActions.undo();
    await wait(TWO_SECONDS);
    expect(application.kept.map(({ document }) => document?.unedited)).toEqual([true, undefined, true]);
    expect(new Set(application.kept.map(({ draftId }) => draftId)).size).toBe(1);
    expect(application.discarded).toEqual([]);
    documentActions.markSaved({ name: "g", path: "/g.pb", kind: "saved_model", format: "binary" });
    await wait(0);
    expect(application.discarded).toEqual([application.kept[0]?.draftId]);
  });

  it("keeps no draft of an example, which can be opened again", async () => {
    const file = { kind: "meta_graph", format: "text", metaGraph: writeDocument(welcome()) } as const;
    documentActions.load({ name: "welcome", ...file });
    useTab.setState({ example: "welcome" });
    await wait(TWO_SECONDS);
    expect(application.kept).toEqual([]);
    useTab.setState({ example: undefined });
  });

  it("sends at once when the page is hidden", async () => {
    move(1);
    page.visibilityState = "hidden";
    page.dispatchEvent(new Event("visibilitychange"));
    page.visibilityState = "visible";
    await wait(0);
    expect(application.kept).toHaveLength(1);
  });

  it.each([
    ["the document is saved", save],
    ["every edit is taken back", () => documentActions.undo()],
    ["another document takes its place", load],
  ])("discards the draft when %s", async (_, end) => {
    move(1);
    await wait(TWO_SECONDS);
    end();
    await wait(TWO_SECONDS);
    expect(application.discarded).toEqual([application.kept[0]?.draftId]);
    expect(draftOf()).toBeUndefined();
    expect(application.kept).toHaveLength(1);
  });

  it("begins another draft with the next edit after that", async () => {
    move(1);
    await wait(TWO_SECONDS);
    save();
    move(2);
    await wait(TWO_SECONDS);
    const [first, second] = application.kept;
    expect(second?.draftId).not.toBe(first?.draftId);
    expect(second?.document).toBeDefined();
  });

  it("says a failure once, tries again with the next edit, and then with the whole document", async () => {
    move(1);
    await wait(TWO_SECONDS);
    application.failures.push(failure("RESOURCE_EXHAUSTED", "The disk is full."));
    move(2);
    await wait(10_000);
    expect(useApp.getState().notices).toMatchObject([{ problem: { message: "The disk is full." } }]);
    useApp.setState({ notices: [] });
    application.failures.push(failure("RESOURCE_EXHAUSTED", "The disk is full."));
    move(3);
    await wait(TWO_SECONDS);
    expect(useApp.getState().notices).toEqual([]);
    move(4);
    await wait(TWO_SECONDS);
    expect(application.kept).toHaveLength(2);
    expect(application.kept[1]?.document).toBeDefined();
    const { added = [], used } = application.kept[1]?.change.history ?? {};
    expect(added.map(({ id }) => id)).toEqual(used);
  });

  it("tries again when the application is back, about which it says nothing itself", async () => {
    application.failures.push(failure("UNAVAILABLE"));
    move(1);
    await wait(TWO_SECONDS);
    expect(application.kept).toEqual([]);
    expect(useApp.getState().notices).toEqual([]);
    application.connectAgain();
    await wait(TWO_SECONDS);
    expect(application.kept).toHaveLength(1);
  });

  it("makes a draft of its own where another window has the one that it remembers", async () => {
    documentActions.load(
      { name: "g", kind: "meta_graph", format: "text", metaGraph: writeDocument(welcome()) },
      { unsaved: true },
    );
    const other = crypto.randomUUID();
    keeper.adopt(activeSession(), other);
    application.failures.push(failure("NOT_FOUND"));
    await wait(TWO_SECONDS);
    expect(useDocument.getState().dirty).toBe(true);
    expect(application.kept).toHaveLength(1);
    expect(application.kept[0]?.draftId).not.toBe(other);
    expect(application.discarded).toEqual([]);
  });

  it("keeps every open document in a draft of its own, shown or not, until it is closed", async () => {
    move(1);
    const first = activeSession();
    const second = openSession();
    load();
    move(2);
    await wait(TWO_SECONDS);
    expect(application.kept).toHaveLength(2);
    const [one, other] = application.kept;
    expect(one?.draftId).not.toBe(other?.draftId);
    // A failure of one is still told when the other is kept.
    application.failures.push(failure("RESOURCE_EXHAUSTED", "The disk is full."));
    inSession(first, () => move(3));
    await wait(TWO_SECONDS);
    move(4);
    await wait(TWO_SECONDS);
    expect(application.kept.at(-1)).toMatchObject({ draftId: other?.draftId });
    expect(useApp.getState().notices).toMatchObject([{ problem: { message: "The disk is full." } }]);
    expect(draftOf(first)).toBe(one?.draftId);
    expect(draftOf(second)).toBe(other?.draftId);
    inSession(first, save);
    expect(application.discarded).toEqual([one?.draftId]);
    expect(draftOf(first)).toBeUndefined();
    closeSession(second);
    expect(application.discarded).toEqual([one?.draftId, other?.draftId]);
  });
});
