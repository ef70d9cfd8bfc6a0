/**
 * Keeps the unsaved edits of the open document with the application as a draft, so that no crash takes them along. The
 * first edit sends the whole document, later ones what changed since; a document that is saved, or another one in its
 * place, ends the draft.
 */
import type { ApplicationClient } from "../../main/api/contract.js";
import type { DraftChange } from "../../main/api/drafts.js";
import { toProblem } from "../../main/api/wire.js";
import { draftChange, wholeDraft, type Yield } from "../document/draft-change.js";
import type { GraphDocument } from "../document/model.js";
import { dismissNoticeByKey, showProblem } from "../stores/app-store.js";
import { type DocumentStore, useDocument } from "../stores/document-store.js";
import { useSavedModel } from "../stores/saved-model-store.js";

/** From an edit to the beginning of its way to the disk. What is typed and dragged meanwhile goes with it. */
const KEEP_AFTER_MILLIS = 500;
/** Changes beyond the size of the document itself, and these bytes, cause the draft to be rewritten. */
const MIN_REWRITE_BYTES = 4 << 20;
const NOTICE = "draft";
/** The draft of this tab; it survives that its page is loaded again. */
const TAB_KEY = "tensordeck.draft";

interface KeptDraft {
  readonly id: string;
  /** The state that the application has; undefined: it has none, or it is not known which. */
  kept: GraphDocument | undefined;
  /** Of the whole document, and of the changes since. */
  wholeBytes: number;
  changeBytes: number;
}

export class DraftKeeper {
  readonly #client: ApplicationClient;
  readonly #pause: Yield;
  #generation = useDocument.getState().generation;
  #draft: KeptDraft | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #keeping = false;
  /** The reported message of an ongoing failure: it is shown once. */
  #told: string | undefined;

  constructor(client: ApplicationClient, pause: Yield) {
    this.#client = client;
    this.#pause = pause;
  }

  /** The draft that this tab had before its page was loaded again. */
  static remembered(): string | undefined {
    return sessionStorage.getItem(TAB_KEY) ?? undefined;
  }

  /** Follows the document from now on; returns a function that stops that. */
  start(): () => void {
    const keepHidden = () => {
      // A hidden page may be frozen, or ended without a word.
      if (document.visibilityState === "hidden") void this.#keep();
    };
    document.addEventListener("visibilitychange", keepHidden);
    const stops = [
      useDocument.subscribe((state) => this.#look(state)),
      this.#client.onConnection((connected) => {
        if (connected) this.#look(useDocument.getState());
      }),
    ];
    return () => {
      document.removeEventListener("visibilitychange", keepHidden);
      for (const stop of stops) stop();
      clearTimeout(this.#timer);
    };
  }

  /** The open document is what a draft held; it goes on as the same draft. */
  adopt(id: string): void {
    this.#generation = useDocument.getState().generation;
    this.#begin(id);
    this.#look(useDocument.getState());
  }

  #begin(id: string): KeptDraft {
    const draft: KeptDraft = { id, kept: undefined, wholeBytes: 0, changeBytes: 0 };
    this.#draft = draft;
    sessionStorage.setItem(TAB_KEY, id);
    return draft;
  }

  #look({ dirty, document, generation }: DocumentStore): void {
    if (generation !== this.#generation || !dirty) this.#discard();
    this.#generation = generation;
    if (dirty && document !== this.#draft?.kept) this.#schedule();
  }

  #schedule(): void {
    if (this.#keeping) return;
    this.#timer ??= setTimeout(() => void this.#keep(), KEEP_AFTER_MILLIS);
  }

  #discard(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const draft = this.#draft;
    if (draft === undefined) return;
    this.#draft = undefined;
    sessionStorage.removeItem(TAB_KEY);
    this.#client.call("documents.discardDraft", { draftId: draft.id }).catch((error: unknown) => {
      // The application offers it once more: better than to lose something.
      this.#tell(error);
    });
  }

  /** Brings the present state to the application. Never rejects. */
  async #keep(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { dirty, document } = useDocument.getState();
    if (this.#keeping || !dirty || document === this.#draft?.kept) return;
    this.#keeping = true;
    const draft = this.#draft ?? this.#begin(crypto.randomUUID());
    try {
      await this.#send(draft, document);
      this.#told = undefined;
      dismissNoticeByKey(NOTICE);
    } catch (error) {
      this.#recover(draft, error);
    } finally {
      this.#keeping = false;
    }
    // What came while it was on its way; after a failure the next edit, or the next connection, tries again.
    if (this.#told === undefined) this.#look(useDocument.getState());
  }

  async #send(draft: KeptDraft, document: GraphDocument): Promise<void> {
    const { kept, wholeBytes, changeBytes } = draft;
    const anew = kept === undefined || changeBytes > Math.max(wholeBytes, MIN_REWRITE_BYTES);
    const change = anew
      ? await wholeDraft(document, this.#pause)
      : await draftChange(kept, document, this.#pause);
    // Saved, or another document was opened meanwhile.
    if (this.#draft !== draft) return;
    if (change !== undefined) {
      const described = anew ? { document: describe(document) } : {};
      await this.#client.call("documents.keepDraft", { draftId: draft.id, change, ...described });
      draft.wholeBytes = anew ? sizeOf(change) : wholeBytes;
      draft.changeBytes = anew ? 0 : changeBytes + sizeOf(change);
    }
    draft.kept = document;
  }

  #recover(draft: KeptDraft, error: unknown): void {
    const wasWhole = draft.kept === undefined;
    // Whether it was carried out is not known: the next one is the whole document.
    draft.kept = undefined;
    if (this.#draft !== draft) return;
    if (toProblem(error).code !== "NOT_FOUND") {
      this.#tell(error);
      return;
    }
    // Another window has it, as one that was duplicated: this one makes its own.
    if (wasWhole) this.#begin(crypto.randomUUID());
  }

  #tell(error: unknown): void {
    const { code, message } = toProblem(error);
    const before = this.#told;
    this.#told = message;
    // That the application is away is said by a bar of its own.
    if (code !== "UNAVAILABLE" && message !== before) showProblem(error, { key: NOTICE });
  }
}

function describe({ name, path, kind, format }: GraphDocument) {
  const { sourceId } = useSavedModel.getState();
  return {
    name,
    kind,
    format,
    ...(path === undefined ? {} : { path }),
    ...(sourceId === undefined ? {} : { sourceId }),
  };
}

function sizeOf({ changed, added, rest }: DraftChange): number {
  const nodes = added.reduce((sum, { nodes: bytes }) => sum + bytes.length, changed.length);
  return nodes + (rest?.length ?? 0);
}
