/**
 * The drafts of all windows, each in a file of its own in the data folder. A draft belongs to the window that writes it
 * for as long as that is connected; afterwards it is offered to the others until it is restored or discarded.
 */

import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { delay } from "../../worker-runtime/cancellation/delay.js";
import type { SavedModelSource } from "../../worker-runtime/graph/graph-file.js";
import { targetOfUnfinishedWrite } from "../../worker-runtime/io/atomic-write.js";
import { type Draft, type DraftChange, draftIdSchema, type KeepDraft } from "../api/drafts.js";
import type { Caller } from "../shared/caller.js";
import { defined, fileProblem, problem } from "../shared/problems.js";
import { type FileVersion, fileVersion } from "../storage/file-version.js";
import {
  appendChange,
  type DraftContent,
  type DraftHeader,
  encodeOriginal,
  readDraftContent,
  readDraftHeader,
  writeDraft,
} from "./draft-file.js";

/** Beyond this number the oldest draft that no window uses is removed. */
const MAX_DRAFTS = 20;
const MAX_TOTAL_BYTES = 2 ** 30;
/** Larger drafts are not kept: writing them would block the application and fill the disk. */
const MAX_DRAFT_BYTES = 2 ** 28;
/** A reloaded page may call before its old connection is known to have ended: soon, but a busy machine takes its time. */
const HANDOVER_MILLIS = 5000;
const ENDING = ".draft";

export interface DraftStoreCollaborators {
  readonly folder: string;
  /** The version of a document's file that its window knows. */
  readonly versionOf: (sourceId: string | undefined, path: string) => FileVersion | undefined;
  /** The rest of a document's SavedModel, where no file has it. */
  readonly originalOf: (sourceId: string | undefined) => SavedModelSource | undefined;
}

interface OpenDraft {
  readonly holder: Caller;
  /** Size of the intact part of the file; undefined until this application has written it. */
  readonly size?: number;
}

export interface RestoredDraft extends DraftContent {
  readonly header: DraftHeader;
}

export class DraftStore {
  readonly #collaborators: DraftStoreCollaborators;
  readonly #open = new Map<string, OpenDraft>();
  /** Writes and removals happen one after the other. */
  #working: Promise<unknown> = Promise.resolve();

  constructor(collaborators: DraftStoreCollaborators) {
    this.#collaborators = collaborators;
  }

  /**
   * Writes the changes, and resolves when they are on disk.
   *
   * @throws ProblemError NOT_FOUND when the draft has to be rewritten; RESOURCE_EXHAUSTED for one that is too large; or
   *   why the disk refuses it.
   */
  keep(request: KeepDraft, caller: Caller): Promise<void> {
    return this.#inTurn(async () => {
      const { draftId, document, change } = request;
      const open = this.#open.get(draftId);
      if (isHeldByOther(open, caller)) throw notKept();
      if (document) {
        const { sourceId, ...rest } = document;
        const version =
          rest.path === undefined ? undefined : this.#collaborators.versionOf(sourceId, rest.path);
        const source = this.#collaborators.originalOf(sourceId);
        const original = source && encodeOriginal(source);
        checkSize(bytesOf(change) + (original?.savedModel.length ?? 0), rest.name);
        const header = defined({ ...rest, version });
        const size = await this.#written(() => writeDraft(this.#path(draftId), header, change, original));
        this.#open.set(draftId, { holder: caller, size });
        await this.#dropOldest();
        await this.#dropUnfinished();
        return;
      }
      const { size } = open ?? {};
      if (size === undefined) throw notKept();
      checkSize(size + bytesOf(change), "The document");
      const now = await this.#written(() => appendChange(this.#path(draftId), size, change));
      this.#open.set(draftId, { holder: caller, size: now });
    });
  }

  /**
   * The drafts that no window works on, the newest first.
   *
   * @param own The draft that the calling window had before its page was loaded again: its connection is given a moment
   *   to end.
   */
  async list(own: string | undefined, caller: Caller): Promise<Draft[]> {
    const before = own === undefined ? undefined : this.#open.get(own);
    if (before && before.holder !== caller) await delay(HANDOVER_MILLIS, before.holder.gone);
    await this.#working;
    const free = (await this.#files()).filter(({ draftId }) => !isHeld(this.#open.get(draftId)));
    const drafts = await Promise.all(
      free.map(async ({ draftId, editedAt }): Promise<Draft | undefined> => {
        const header = await readDraftHeader(this.#path(draftId)).catch(() => undefined);
        if (header === undefined) return undefined;
        const { version, hasOriginal, ...document } = header;
        return { ...document, draftId, editedAt, file: await fileStateOf(header) };
      }),
    );
    return drafts.filter((draft) => draft !== undefined);
  }

  /**
   * Passes a draft to a window, which continues it.
   *
   * @throws ProblemError NOT_FOUND if it does not exist, or another window has it; DATA_LOSS if it cannot be read.
   */
  async restore(draftId: string, caller: Caller): Promise<RestoredDraft> {
    await this.#working;
    if (isHeldByOther(this.#open.get(draftId), caller)) {
      throw problem("NOT_FOUND", "These edits are open in another window.", { remedy: "Continue there." });
    }
    const path = this.#path(draftId);
    const [header, content] = await Promise.all([readDraftHeader(path), readDraftContent(path)]).catch(
      (error: unknown) => {
        throw fileProblem("The unsaved edits cannot be read", error);
      },
    );
    if (header === undefined || content.changes.length === 0) {
      throw problem("DATA_LOSS", "The unsaved edits cannot be read.", {
        reason: `${path} is damaged.`,
        remedy: "Discard them.",
      });
    }
    this.#open.set(draftId, { holder: caller });
    return { header, ...content };
  }

  /** Removes a draft; a missing one counts as removed. One of another window is left alone. */
  discard(draftId: string, caller: Caller): Promise<void> {
    return this.#inTurn(async () => {
      if (isHeldByOther(this.#open.get(draftId), caller)) return;
      await this.#remove(draftId);
    });
  }

  /** Removes the draft of a window whose user closed it and chose to lose the changes. */
  discardOf(caller: Caller): Promise<void> {
    return this.#inTurn(async () => {
      for (const [draftId, { holder }] of [...this.#open]) {
        if (holder === caller) await this.#remove(draftId);
      }
    });
  }

  /** Resolves when all pending changes are on disk. */
  async dispose(): Promise<void> {
    await this.#working;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#working.then(work);
    this.#working = done.catch(() => undefined);
    return done;
  }

  async #written(write: () => Promise<number>): Promise<number> {
    try {
      return await write();
    } catch (error) {
      throw fileProblem(`Unsaved edits could not be kept in ${this.#collaborators.folder}`, error);
    }
  }

  async #remove(draftId: string): Promise<void> {
    this.#open.delete(draftId);
    await rm(this.#path(draftId), { force: true });
  }

  async #dropOldest(): Promise<void> {
    let total = 0;
    for (const [index, { draftId, sizeBytes }] of (await this.#files()).entries()) {
      total += sizeBytes;
      const fits = index < MAX_DRAFTS && total <= MAX_TOTAL_BYTES;
      if (!fits && !isHeld(this.#open.get(draftId))) await this.#remove(draftId);
    }
  }

  /** Removes what an application left that ended while it was writing a draft. This one is not writing any. */
  async #dropUnfinished(): Promise<void> {
    for (const name of await readdir(this.#collaborators.folder).catch(() => [])) {
      if (targetOfUnfinishedWrite(name)?.endsWith(ENDING)) {
        await rm(join(this.#collaborators.folder, name), { force: true });
      }
    }
  }

  /** All drafts, the newest first. */
  async #files(): Promise<{ draftId: string; editedAt: number; sizeBytes: number }[]> {
    const names = await readdir(this.#collaborators.folder).catch(() => []);
    const ids = names.filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length));
    const files = await Promise.all(
      ids
        .filter((id) => draftIdSchema.safeParse(id).success)
        .map(async (draftId) => {
          const stats = await stat(this.#path(draftId)).catch(() => undefined);
          return stats && { draftId, editedAt: stats.mtimeMs, sizeBytes: stats.size };
        }),
    );
    return files.filter((file) => file !== undefined).sort((a, b) => b.editedAt - a.editedAt);
  }

  #path(draftId: string): string {
    return join(this.#collaborators.folder, `${draftId}${ENDING}`);
  }
}

function isHeld(open: OpenDraft | undefined): boolean {
  return open !== undefined && !open.holder.gone.aborted;
}

function isHeldByOther(open: OpenDraft | undefined, caller: Caller): boolean {
  return isHeld(open) && open?.holder !== caller;
}

async function fileStateOf({ path, version }: DraftHeader): Promise<Draft["file"]> {
  if (path === undefined) return "none";
  const now = await fileVersion(path);
  if (now === undefined) return "missing";
  return now === version ? "same" : "changed";
}

function bytesOf({ changed, added, rest, history }: DraftChange): number {
  const nodes = added.reduce((sum, { nodes: bytes }) => sum + bytes.length, changed.length);
  const steps = history?.added.reduce((sum, { bytes }) => sum + bytes.length, history.outline.length) ?? 0;
  return nodes + (rest?.length ?? 0) + steps;
}

function checkSize(sizeBytes: number, name: string): void {
  if (sizeBytes <= MAX_DRAFT_BYTES) return;
  throw problem("RESOURCE_EXHAUSTED", `${name} is too large for its unsaved edits to be kept.`, {
    reason: `It has ${Math.round(sizeBytes / 2 ** 20)} MiB; up to ${MAX_DRAFT_BYTES / 2 ** 20} MiB are kept in case of a crash.`,
    remedy: "Save it often, or keep large weights in a checkpoint rather than in constants of the graph.",
  });
}

function notKept(): Error {
  return problem("NOT_FOUND", "This draft does not exist.", { remedy: "Write it again from the start." });
}
