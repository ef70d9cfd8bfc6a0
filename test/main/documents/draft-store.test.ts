import { appendFile, mkdir, mkdtemp, readdir, rm, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DraftChange } from "../../../main/api/drafts.js";
import { draftMetaGraph } from "../../../main/documents/draft-change.js";
import { DraftStore } from "../../../main/documents/draft-store.js";
import type { Caller } from "../../../main/shared/caller.js";
import { fileVersion } from "../../../main/storage/file-version.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { problemOfCall } from "../support/problem-of-call.js";

let folder: string;
let version: string | undefined;
let store: DraftStore;

const NONE = new Uint8Array(0);
const graph = (...names: string[]) =>
  GraphDef.encode(GraphDef.fromPartial({ node: names.map((name) => ({ name, op: "NoOp" })) })).finish();
const whole = (...names: string[]): DraftChange => ({
  removed: [],
  changed: NONE,
  added: [{ after: "", nodes: graph(...names) }],
  rest: NONE,
});
const without = (...removed: string[]): DraftChange => ({ removed, changed: NONE, added: [] });
const document = { name: "g.pbtxt", kind: "meta_graph", format: "text" } as const;

/** A window that can go. */
function window(): Caller & { leave(): void } {
  const gone = new AbortController();
  return { gone: gone.signal, leave: () => gone.abort() };
}

function draftStore(): DraftStore {
  return new DraftStore({
    folder: join(folder, "drafts"),
    versionOf: () => version,
    originalOf: () => undefined,
  });
}

async function namesOf(draftId: string, caller = window()): Promise<string[]> {
  const { changes } = await store.restore(draftId, caller);
  return MetaGraphDef.decode(draftMetaGraph(changes)).graphDef?.node.map(({ name }) => name) ?? [];
}

const fileOf = (draftId: string) => join(folder, "drafts", `${draftId}.draft`);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-drafts-"));
  version = undefined;
  store = draftStore();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("a draft", () => {
  it("is the whole document and every change since, and the next life of the application offers it", async () => {
    const draftId = crypto.randomUUID();
    const caller = window();
    await store.keep({ draftId, document, change: whole("a", "b", "c") }, caller);
    await store.keep({ draftId, change: without("b") }, caller);
    await store.keep(
      { draftId, change: { ...without(), added: [{ after: "a", nodes: graph("d") }] } },
      caller,
    );
    store = draftStore();
    expect(await store.list(undefined, window())).toMatchObject([{ draftId, ...document, file: "none" }]);
    expect(await namesOf(draftId)).toEqual(["a", "d", "c"]);
    if (process.platform !== "win32") {
      expect((await stat(fileOf(draftId))).mode & 0o777).toBe(0o600);
      expect((await stat(join(folder, "drafts"))).mode & 0o777).toBe(0o700);
    }
  });

  it("that a crash cut off holds everything before that, and is written over from there", async () => {
    const draftId = crypto.randomUUID();
    const caller = window();
    await store.keep({ draftId, document, change: whole("a", "b", "c") }, caller);
    await store.keep({ draftId, change: without("b") }, caller);
    const { size } = await stat(fileOf(draftId));
    await store.keep({ draftId, change: without("a") }, caller);
    await truncate(fileOf(draftId), size + 10);
    store = draftStore();
    expect(await namesOf(draftId)).toEqual(["a", "c"]);
    // The remains of a write that failed do not hide the next one.
    const again = window();
    store = draftStore();
    await store.keep({ draftId, document, change: whole("a", "b") }, again);
    await appendFile(fileOf(draftId), "half a frame");
    await store.keep({ draftId, change: without("a") }, again);
    expect(await namesOf(draftId, again)).toEqual(["b"]);
  });

  it("of which nothing can be read says so", async () => {
    const draftId = crypto.randomUUID();
    await store.keep({ draftId, document, change: whole("a") }, window());
    await writeFile(fileOf(draftId), "something else");
    store = draftStore();
    expect(await store.list(undefined, window())).toEqual([]);
    expect(await problemOfCall(store.restore(draftId, window()))).toMatchObject({ code: "DATA_LOSS" });
  });

  it("knows what became of its file", async () => {
    const path = join(folder, "g.pbtxt");
    await writeFile(path, "one");
    version = await fileVersion(path);
    const caller = window();
    const draftId = crypto.randomUUID();
    await store.keep({ draftId, document: { ...document, path }, change: whole("a") }, caller);
    caller.leave();
    const state = async () => (await store.list(undefined, window()))[0]?.file;
    expect(await state()).toBe("same");
    await writeFile(path, "another one");
    expect(await state()).toBe("changed");
    await rm(path);
    expect(await state()).toBe("missing");
    expect((await store.restore(draftId, window())).header).toMatchObject({ path, version });
  });

  it("goes when it is discarded, by its window, by another one once that has gone, or with its window", async () => {
    const [one, other] = [window(), window()];
    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
    await store.keep({ draftId: first, document, change: whole("a") }, one);
    await store.keep({ draftId: second, document, change: whole("b") }, one);
    await store.discard(first, other);
    expect(await readdir(join(folder, "drafts"))).toHaveLength(2);
    await store.discard(first, one);
    expect(await readdir(join(folder, "drafts"))).toEqual([`${second}.draft`]);
    await store.discardOf(other);
    await store.discardOf(one);
    expect(await readdir(join(folder, "drafts"))).toEqual([]);
  });
});

describe("several windows", () => {
  it("are offered what no window works on, and never write into each other's draft", async () => {
    const [one, other] = [window(), window()];
    const draftId = crypto.randomUUID();
    await store.keep({ draftId, document, change: whole("a") }, one);
    expect(await store.list(undefined, other)).toEqual([]);
    for (const attempt of [
      store.keep({ draftId, document, change: whole("x") }, other),
      store.keep({ draftId, change: without("a") }, other),
      store.restore(draftId, other),
    ]) {
      expect(await problemOfCall(attempt)).toMatchObject({ code: "NOT_FOUND" });
    }
    one.leave();
    expect(await store.list(undefined, other)).toMatchObject([{ draftId }]);
    expect(await namesOf(draftId, other)).toEqual(["a"]);
    // It is the other window's now, which begins with the whole document.
    expect(await problemOfCall(store.keep({ draftId, change: without() }, other))).toMatchObject({
      code: "NOT_FOUND",
    });
    await store.keep({ draftId, document, change: whole("a", "b") }, other);
    expect(await store.list(undefined, window())).toEqual([]);
  });

  it("that are the same tab before and after its page was loaded again wait for the first to end", async () => {
    const [before, after] = [window(), window()];
    const draftId = crypto.randomUUID();
    await store.keep({ draftId, document, change: whole("a") }, before);
    const listed = store.list(draftId, after);
    before.leave();
    expect(await listed).toMatchObject([{ draftId }]);
  });
});

describe("what is kept is bounded", () => {
  it("in number: the oldest that no window works on goes", async () => {
    const working = window();
    const kept = crypto.randomUUID();
    await store.keep({ draftId: kept, document, change: whole("a") }, working);
    await utimes(fileOf(kept), 1, 1);
    const left = window();
    const ids = Array.from({ length: 20 }, () => crypto.randomUUID());
    for (const [index, draftId] of ids.entries()) {
      await store.keep({ draftId, document, change: whole("a") }, left);
      await utimes(fileOf(draftId), 1000 + index, 1000 + index);
    }
    left.leave();
    await store.keep({ draftId: crypto.randomUUID(), document, change: whole("a") }, working);
    const names = await readdir(join(folder, "drafts"));
    expect(names).toContain(`${kept}.draft`);
    expect(names).not.toContain(`${ids[0]}.draft`);
    expect(names).toContain(`${ids[19]}.draft`);
  });

  it("by what a crash left of a draft that was being written: the next draft removes it, and nothing else", async () => {
    const unfinished = `.${crypto.randomUUID()}.draft.0123456789ab.tmp`;
    await mkdir(join(folder, "drafts"), { recursive: true });
    await writeFile(join(folder, "drafts", unfinished), "tensordeck draft 1\n");
    await writeFile(join(folder, "drafts", ".notes.tmp"), "of someone else");
    const draftId = crypto.randomUUID();
    await store.keep({ draftId, document, change: whole("a") }, window());
    expect((await readdir(join(folder, "drafts"))).sort()).toEqual([".notes.tmp", `${draftId}.draft`]);
  });

  it("in size: what is too large is refused with a reason", async () => {
    const change = { ...whole(), changed: new Uint8Array(2 ** 28 + 1) };
    expect(
      await problemOfCall(store.keep({ draftId: crypto.randomUUID(), document, change }, window())),
    ).toMatchObject({ code: "RESOURCE_EXHAUSTED" });
  });
});
