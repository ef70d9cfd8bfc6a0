import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ApplicationClient } from "../../../main/api/contract.js";
import { type DocumentFile, PART_BYTES } from "../../../main/api/documents.js";
import { ProblemError } from "../../../main/api/wire.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { exampleCommands, fileCommands, recentCommands } from "../../../renderer/commands/file-commands.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { receiveExamples } from "../../../renderer/stores/example-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
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
  vi.stubGlobal("sessionStorage", { getItem: () => null, setItem: () => undefined });
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
  receiveExamples([example]);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

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

  it("asks first where changes would be lost", async () => {
    documentActions.setCluster([
      { job: "worker", index: 0, machine: "m", address: "", engine: "portable", gpu: "auto" },
    ]);
    expect(useDocument.getState().dirty).toBe(true);
    open();
    await settle();
    expect(useUi.getState().dialog).toMatchObject({ kind: "confirm", title: "Save changes to before?" });
    expect(asked).toEqual([]);
  });

  it("is cancelled by the user, and what comes after that is not shown", async () => {
    open();
    await vi.advanceTimersByTimeAsync(400);
    const [notice] = useApp.getState().notices;
    expect(notice?.action?.label).toBe("Cancel");
    await notice?.action?.run();
    asked[0]?.answer("late");
    await settle();
    expect(shown()).toBe("before");
    expect(messages()).toEqual([]);
  });

  it("gives way to what was asked for later", async () => {
    open();
    fileCommands.create.now().run();
    await settle();
    expect(shown()).toBe("untitled");
    asked[0]?.answer("late");
    await settle();
    expect(shown()).toBe("untitled");
  });
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

it("without a choice, the first example is opened", async () => {
  exampleCommands.open.now().run();
  await settle();
  expect(asked.map(({ method }) => method)).toEqual(["documents.openExample"]);
  receiveExamples([]);
  expect(exampleCommands.open.now().reason).toBe("The examples are not read yet.");
});
