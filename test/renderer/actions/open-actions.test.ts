import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { ApplicationClient, HeldContent } from "../../../main/api/contract.js";
import { type DocumentFile, PART_BYTES } from "../../../main/api/documents.js";
import type { RunUpdate } from "../../../main/api/runs.js";
import { ProblemError } from "../../../main/api/wire.js";
import { deferred } from "../../../main/shared/deferred.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { openDropped } from "../../../renderer/actions/open-actions.js";
import {
  documentCommands,
  exampleCommands,
  fileCommands,
  recentCommands,
} from "../../../renderer/commands/file-commands.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import {
  activateSession,
  activeSession,
  closeSession,
  openSessions,
} from "../../../renderer/stores/document-session.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { receiveExamples } from "../../../renderer/stores/example-store.js";
import { useDocumentRun, useRun } from "../../../renderer/stores/run-store.js";
import { useTab } from "../../../renderer/stores/tab-store.js";
import { uiActions, useUi } from "../../../renderer/stores/ui-store.js";
import { setClient } from "../../../renderer/transport/client.js";

interface Asked {
  readonly method: string;
  readonly params: unknown;
  /** Answers with anything. */
  send(result: unknown): void;
  /** Answers with an empty document. */
  answer(name: string): void;
  refuse(message: string): void;
}

const asked: Asked[] = [];
const document = (name: string): DocumentFile => ({
  name,
  kind: "meta_graph",
  format: "text",
  metaGraph: MetaGraphDef.encode(MetaGraphDef.fromPartial({})).finish(),
});
const example = { id: "welcome", title: "Welcome", description: "Adds and multiplies." };

/** Opens in one of the ways that there are, as a menu would; each asks the application for the document. */
const ways = {
  "an example": () => exampleCommands.open.on(example).run(),
  "a file that was open before": () => recentCommands.open.on("/graphs/a.pbtxt").run(),
};

beforeEach(() => {
  vi.useFakeTimers();
  asked.length = 0;
  setClient({
    call: (method: string, params: unknown) =>
      new Promise((resolve, reject) => {
        asked.push({
          method,
          params,
          send: resolve,
          answer: (name) => resolve(document(name)),
          refuse: (message) => reject(new ProblemError({ code: "UNAVAILABLE", message })),
        });
      }),
    on: () => () => undefined,
    onConnection: () => () => undefined,
  } as unknown as ApplicationClient);
  useApp.setState({ connection: "connected", notices: [] });
  useUi.setState({ dialog: undefined });
  documentActions.load(document("before"));
  useTab.setState({ example: undefined });
  receiveExamples([example]);
});

afterEach(() => {
  vi.useRealTimers();
  for (const session of openSessions().slice(1)) closeSession(session);
});

/** Makes the document one that must not be replaced. */
const edit = () =>
  documentActions.setCluster([
    { job: "worker", index: 0, machine: "m", address: "", engine: "portable", gpu: "auto" },
  ]);
const names = () => openSessions().map((session) => useDocument.of(session).getState().document.name);
const settle = () => vi.advanceTimersByTimeAsync(0);
const shown = () => useDocument.getState().document.name;
const messages = () => useApp.getState().notices.map(({ problem }) => problem.message);

describe.each(Object.entries(ways))("opening %s", (_what, open) => {
  it("shows it, and says meanwhile what it waits for", async () => {
    open();
    await settle();
    expect(messages()).toEqual([]);
    await vi.advanceTimersByTimeAsync(400);
    expect(messages()).toEqual([expect.stringMatching(/^Opening .*…$/)]);
    asked[0]?.answer("after");
    await settle();
    expect(shown()).toBe("after");
    expect(messages()).toEqual([]);
  });

  it("says what kept it from being opened, in place of what was said of the last one, and leaves the document", async () => {
    for (const message of ["It is gone.", "It is still gone."]) {
      open();
      await settle();
      asked.at(-1)?.refuse(message);
      await settle();
      expect(messages()).toEqual([message]);
    }
    expect(shown()).toBe("before");
  });

  it("no longer says what could not be opened once something else is", async () => {
    open();
    await settle();
    asked[0]?.refuse("It is no graph.");
    await settle();
    fileCommands.create.now().run();
    await settle();
    expect(shown()).toBe("untitled");
    expect(messages()).toEqual([]);
  });

  it("takes a tab of its own, and leaves the changes of the other one alone", async () => {
    edit();
    open();
    await settle();
    asked[0]?.answer("after");
    await settle();
    expect(names()).toEqual(["before", "after"]);
    expect(shown()).toBe("after");
    expect(useUi.getState().dialog).toBeUndefined();
  });

  it("shows the tab in which it is open already", async () => {
    edit();
    open();
    await settle();
    asked[0]?.send({ ...document("after"), path: "/graphs/a.pbtxt" });
    await settle();
    activateSession(openSessions()[0] ?? activeSession());
    open();
    await settle();
    expect(asked).toHaveLength(1);
    expect(names()).toEqual(["before", "after"]);
    expect(shown()).toBe("after");
  });

  it("is cancelled by the user, and what comes after that is not shown", async () => {
    open();
    await vi.advanceTimersByTimeAsync(400);
    const [notice] = useApp.getState().notices;
    expect(notice?.action?.label).toBe("Cancel");
    await notice?.action?.run();
    // The application reads no further, if it is still reading.
    expect(asked.at(-1)?.method).toBe("documents.cancelOpening");
    asked[0]?.answer("late");
    await settle();
    expect(shown()).toBe("before");
    expect(messages()).toEqual([]);
  });

  it("waits in the background when another was asked for later", async () => {
    edit();
    open();
    fileCommands.create.now().run();
    await settle();
    expect(shown()).toBe("untitled");
    asked[0]?.answer("late");
    await settle();
    expect(shown()).toBe("untitled");
    expect(names()).toEqual(["before", "untitled", "late"]);
  });
});

describe("after Cancel, the application", () => {
  async function cancelled(open: () => unknown): Promise<void> {
    open();
    await vi.advanceTimersByTimeAsync(400);
    await useApp.getState().notices[0]?.action?.run();
    await settle();
  }

  it("keeps nothing of a large document that it had read by then", async () => {
    await cancelled(ways["a file that was open before"]);
    asked[0]?.send({ ...document("late"), more: { id: "p1", sizeBytes: 1e9 } });
    await settle();
    expect(asked.at(-1)).toMatchObject({ method: "documents.releaseParts", params: { id: "p1" } });
  });

  it("is not sent a dropped file that the browser was still reading", async () => {
    const content = deferred<ArrayBuffer>();
    const file = Object.assign(new File([], "a.pb"), { arrayBuffer: () => content.promise });
    await cancelled(() => void openDropped(file));
    content.resolve(new ArrayBuffer(8));
    await settle();
    expect(asked.map(({ method }) => method)).toEqual(["documents.cancelOpening"]);
  });
});

it("an example is not run while another run is in progress, and the reason says so", () => {
  const command = exampleCommands.run.on({ ...example, result: "z:0" });
  expect(command.reason).toBeUndefined();
  useRun.setState({ newest: { runId: "r", state: "running" } as RunUpdate });
  onTestFinished(() => useRun.setState({ newest: undefined }));
  expect(exampleCommands.run.on({ ...example, result: "z:0" }).reason).toMatch(/run is in progress/i);
});

it("a large document is fetched part by part, and shown when all of it is there", async () => {
  const [way] = Object.values(ways);
  way?.();
  await settle();
  const graph = (op: string) =>
    MetaGraphDef.encode(MetaGraphDef.fromPartial({ graphDef: { node: [{ name: "a", op }] } })).finish();
  const whole = graph("x".repeat(2 * PART_BYTES));
  asked[0]?.send({
    ...document("large"),
    metaGraph: whole.slice(0, PART_BYTES),
    more: { id: "large", sizeBytes: whole.length },
  });
  await settle();
  const parts = asked.filter(({ method }) => method === "documents.part");
  expect(parts.map(({ params }) => params)).toEqual([
    { id: "large", offset: PART_BYTES },
    { id: "large", offset: 2 * PART_BYTES },
  ]);
  // They may come in any order.
  for (const part of parts.toReversed()) {
    expect(shown()).toBe("before");
    const { offset } = part.params as { readonly offset: number };
    part.send(whole.slice(offset, offset + PART_BYTES));
    await settle();
  }
  expect(shown()).toBe("large");
  expect(useDocument.getState().document.nodes.get("a")?.op.length).toBe(2 * PART_BYTES);
  expect(asked.at(-1)).toMatchObject({ method: "documents.releaseParts", params: { id: "large" } });
});

describe("a large document whose content is read as a stream", () => {
  const whole = MetaGraphDef.encode(
    MetaGraphDef.fromPartial({ graphDef: { node: [{ name: "a", op: "x".repeat(1000) }] } }),
  ).finish();

  /** Answers with the first bytes of a document; the rest comes in pieces of this size, up to an end. */
  async function opened(end: number): Promise<readonly HeldContent[]> {
    const read: HeldContent[] = [];
    setClient({
      call: async (method: string) =>
        method === "documents.openExample"
          ? {
              ...document("large"),
              metaGraph: whole.slice(0, 10),
              more: { id: "l", sizeBytes: whole.length },
            }
          : undefined,
      readContent: async function* (content: HeldContent) {
        read.push(content);
        for (let at = content.offset; at < end; at += 300) yield whole.slice(at, Math.min(end, at + 300));
      },
    } as unknown as ApplicationClient);
    ways["an example"]();
    await settle();
    return read;
  }

  it("is shown when all of it is there", async () => {
    expect(await opened(whole.length)).toEqual([{ id: "l", offset: 10 }]);
    expect(shown()).toBe("large");
    expect(useDocument.getState().document.nodes.get("a")?.op.length).toBe(1000);
  });

  it("is not shown when the stream ends early", async () => {
    await opened(700);
    expect(shown()).toBe("before");
    expect(messages()).toEqual(["Only a part of large has arrived."]);
  });
});

it("without a choice, the first example is opened", async () => {
  exampleCommands.open.now().run();
  await settle();
  expect(asked.map(({ method }) => method)).toEqual(["documents.openExample"]);
  receiveExamples([]);
  expect(exampleCommands.open.now().reason).toBe("The examples are not read yet.");
});

describe("a document that was not used", () => {
  it("gives its name to the new graph that takes its place", async () => {
    for (let count = 0; count < 2; count++) {
      fileCommands.create.now().run();
      await settle();
      expect(names()).toEqual(["untitled"]);
    }
  });

  it("gives way to another, but not after a run or an edit that was taken back", async () => {
    fileCommands.create.now().run();
    await settle();
    expect(names()).toEqual(["untitled"]);
    edit();
    documentActions.undo();
    fileCommands.create.now().run();
    await settle();
    // Runs are told apart by the names of their documents.
    expect(names()).toEqual(["untitled", "untitled 2"]);
    useDocumentRun.setState({ latest: { runId: "r" } as RunUpdate });
    fileCommands.create.now().run();
    await settle();
    expect(names()).toEqual(["untitled", "untitled 2", "untitled 3"]);
  });
});

it("a file is not saved over one that is open in another tab", async () => {
  documentActions.load({ ...document("a"), path: "/graphs/a.pbtxt" });
  fileCommands.create.now().run();
  await settle();
  documentCommands.saveAs.now().run();
  await settle();
  const { dialog } = useUi.getState();
  if (dialog?.kind !== "file") throw new Error("No dialog asks for a file.");
  dialog.resolve("/graphs/a.pbtxt");
  uiActions.close();
  await settle();
  expect(asked.filter(({ method }) => method === "documents.save")).toEqual([]);
  expect(messages()).toEqual(["/graphs/a.pbtxt is open in another tab."]);
  await useApp.getState().notices[0]?.action?.run();
  expect(shown()).toBe("a");
});
