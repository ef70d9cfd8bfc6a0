/**
 * Saves the unsaved edits of each open document in the application as a draft, with the newest steps that can be undone,
 * so they survive a crash. The first edit sends the whole document, later ones the changes since; saving, closing or replacing the document ends the draft. A
 * document that no file has, such as one made of a model of Keras, has a draft from its opening on.
 */
import type { ApplicationClient } from "../../main/api/contract.js";
import type { DraftChange, KeepDraft } from "../../main/api/drafts.js";
import { toProblem } from "../../main/api/wire.js";
import { draftChange, wholeDraft } from "../document/draft-change.js";
import type { History } from "../document/history.js";
import type { Yield } from "../document/in-slices.js";
import { HistoryWriter } from "../document/kept-history/history-writer.js";
import type { GraphDocument } from "../document/model.js";
import { dismissNoticeByKey, showProblem } from "../stores/app-store.js";
import {
  type DocumentSession,
  onSessionsOpen,
  openSessions,
  recordPerDocument,
} from "../stores/document-session.js";
import { type DocumentStore, useDocument } from "../stores/document-store.js";
import { useSavedModel } from "../stores/saved-model-store.js";
import { useTab } from "../stores/tab-store.js";

const DRAFT_NOTICE = "draft";

/** Delay from an edit to its being saved. Further edits in the meantime are included. */
const KEEP_AFTER_MILLIS = 500;
/** Changes beyond the size of the document itself, and these bytes, cause the draft to be rewritten. */
const MIN_REWRITE_BYTES = 4 << 20;

/** The change to a state that equals the one before, but was reached by other steps. */
const NO_CHANGE: DraftChange = { removed: [], changed: new Uint8Array(0), added: [] };

interface KeptDraft {
  readonly id: string;
  readonly history: HistoryWriter;
  /** The state that the application has; undefined: it has none, or its state is unknown. */
  kept: GraphDocument | undefined;
  /** The sizes of the whole document, and of the changes since. */
  wholeBytes: number;
  changeBytes: number;
  /** The application knows it as a document without edits. */
  unedited: boolean;
}

/** The drafts of all open documents. */
export class DraftKeeper {
  readonly #client: ApplicationClient;
  readonly #pause: Yield;
  readonly #draftOf = recordPerDocument(() => ({ draft: undefined as DocumentDraft | undefined }));
  /** Those that are followed. */
  readonly #followed = new Map<DocumentSession, () => void>();

  constructor(client: ApplicationClient, pause: Yield) {
    this.#client = client;
    this.#pause = pause;
  }

  /** Follows the documents from now on; returns a function that stops this. */
  start(): () => void {
    const keepHidden = () => {
      // A hidden page may be frozen, or terminated without an event.
      if (document.visibilityState === "hidden") for (const draft of this.#drafts()) draft.keepNow();
    };
    document.addEventListener("visibilitychange", keepHidden);
    this.#followOpen();
    const stops = [
      onSessionsOpen(() => this.#followOpen()),
      this.#client.onConnection((connected) => {
        if (connected) for (const draft of this.#drafts()) draft.look();
      }),
    ];
    return () => {
      document.removeEventListener("visibilitychange", keepHidden);
      for (const stop of [...stops, ...this.#followed.values()]) stop();
      for (const draft of this.#drafts()) draft.stop();
      this.#followed.clear();
    };
  }

  /** A document was restored from a draft and continues as the same draft. */
  adopt(session: DocumentSession, id: string): void {
    this.#of(session).adopt(id);
  }

  #of(session: DocumentSession): DocumentDraft {
    const record = this.#draftOf(session);
    record.draft ??= new DocumentDraft(session, this.#client, this.#pause);
    return record.draft;
  }

  #drafts(): DocumentDraft[] {
    return [...this.#followed.keys()].map((session) => this.#of(session));
  }

  #followOpen(): void {
    const open = new Set(openSessions());
    for (const [session, unfollow] of this.#followed) {
      if (open.has(session)) continue;
      unfollow();
      this.#followed.delete(session);
      // Its edits were saved or discarded before it was closed.
      this.#of(session).end();
    }
    for (const session of open) {
      if (this.#followed.has(session)) continue;
      const draft = this.#of(session);
      const look = () => draft.look();
      const stops = [useDocument.of(session).subscribe(look), useTab.of(session).subscribe(look)];
      this.#followed.set(session, () => {
        for (const stop of stops) stop();
      });
    }
  }
}

/** The draft of one open document. */
class DocumentDraft {
  readonly #session: DocumentSession;
  readonly #client: ApplicationClient;
  readonly #pause: Yield;
  #generation: number;
  #draft: KeptDraft | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #keeping = false;
  /** The reported message of an ongoing failure: it is shown once. */
  #told: string | undefined;

  constructor(session: DocumentSession, client: ApplicationClient, pause: Yield) {
    this.#session = session;
    this.#client = client;
    this.#pause = pause;
    this.#generation = this.#state().generation;
  }

  /** The document was restored from a draft. */
  adopt(id: string): void {
    this.#generation = this.#state().generation;
    this.#begin(id);
    this.look();
  }

  /** Begins or ends the draft, depending on the document. */
  look(): void {
    const { document, generation } = this.#state();
    const isOnlyHere = isNowhereElse(this.#session);
    if (generation !== this.#generation || !isOnlyHere) this.end();
    this.#generation = generation;
    if (isOnlyHere && document !== this.#draft?.kept) this.#schedule();
  }

  /** Sends the current state to the application without waiting for more edits. */
  keepNow(): void {
    void this.#keep();
  }

  /** Stops saving; the draft stays in the application. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Has the draft discarded. */
  end(): void {
    this.stop();
    const draft = this.#draft;
    if (draft === undefined) return;
    this.#draft = undefined;
    useTab.of(this.#session).setState({ draft: undefined });
    this.#client.call("documents.discardDraft", { draftId: draft.id }).catch((error: unknown) => {
      // The application then offers it again, which is better than losing edits.
      this.#tell(error);
    });
  }

  #state(): DocumentStore {
    return useDocument.of(this.#session).getState();
  }

  #begin(id: string): KeptDraft {
    const history = new HistoryWriter(this.#pause);
    const draft: KeptDraft = { id, history, kept: undefined, wholeBytes: 0, changeBytes: 0, unedited: false };
    this.#draft = draft;
    useTab.of(this.#session).setState({ draft: id });
    return draft;
  }

  #schedule(): void {
    if (this.#keeping) return;
    this.#timer ??= setTimeout(() => void this.#keep(), KEEP_AFTER_MILLIS);
  }

  /** Sends the current state to the application. Never rejects. */
  async #keep(): Promise<void> {
    this.stop();
    const { document, history } = this.#state();
    if (this.#keeping || !isNowhereElse(this.#session) || document === this.#draft?.kept) return;
    this.#keeping = true;
    const draft = this.#draft ?? this.#begin(crypto.randomUUID());
    try {
      await this.#send(draft, document, history);
      this.#told = undefined;
      dismissNoticeByKey(DRAFT_NOTICE, this.#session);
    } catch (error) {
      this.#recover(draft, error);
    } finally {
      this.#keeping = false;
    }
    // Edits made while it was being sent; after a failure the next edit, or the next connection, tries again.
    if (this.#told === undefined) this.look();
  }

  async #send(draft: KeptDraft, document: GraphDocument, steps: History): Promise<void> {
    const { kept, wholeBytes, changeBytes } = draft;
    const unedited = !this.#state().dirty;
    const grown = changeBytes > Math.max(wholeBytes, MIN_REWRITE_BYTES);
    const anew = kept === undefined || grown || unedited !== draft.unedited;
    if (anew) draft.history.forget();
    const difference = anew
      ? await wholeDraft(document, this.#pause)
      : await draftChange(kept, document, this.#pause);
    const history = await draft.history.write(steps);
    // Saved, or another document was opened meanwhile.
    if (this.#draft !== draft) return;
    const change: DraftChange = {
      ...(difference ?? NO_CHANGE),
      ...(history === undefined ? {} : { history }),
    };
    const described = anew ? { document: describe(document, this.#session, unedited) } : {};
    await this.#client.call("documents.keepDraft", { draftId: draft.id, change, ...described });
    draft.wholeBytes = anew ? sizeOf(change) : wholeBytes;
    draft.changeBytes = anew ? 0 : changeBytes + sizeOf(change);
    draft.unedited = unedited;
    draft.kept = document;
  }

  #recover(draft: KeptDraft, error: unknown): void {
    const wasWhole = draft.kept === undefined;
    // It is unknown whether it took effect, so the next change sends the whole document.
    draft.kept = undefined;
    if (this.#draft !== draft) return;
    if (toProblem(error).code !== "NOT_FOUND") {
      this.#tell(error);
      return;
    }
    // Another window has it, such as a duplicated tab: this one creates its own.
    if (wasWhole) this.#begin(crypto.randomUUID());
  }

  #tell(error: unknown): void {
    const { code, message } = toProblem(error);
    const before = this.#told;
    this.#told = message;
    // The connection bar reports that the application is not connected.
    if (code !== "UNAVAILABLE" && message !== before)
      showProblem(error, { key: DRAFT_NOTICE, session: this.#session });
  }
}

/** Whether a document would be lost with its window: it has unsaved edits, or was made of something else than a graph. */
function isNowhereElse(session: DocumentSession): boolean {
  const { dirty, document } = useDocument.of(session).getState();
  const isUnfiled = document.path === undefined && useTab.of(session).getState().example === undefined;
  return dirty || (isUnfiled && document.nodes.size > 0);
}

function describe(
  { id, name, path, kind, format }: GraphDocument,
  session: DocumentSession,
  unedited: boolean,
): KeepDraft["document"] {
  const { sourceId } = useSavedModel.of(session).getState();
  return {
    id,
    name,
    kind,
    format,
    ...(path === undefined ? {} : { path }),
    ...(unedited ? { unedited } : {}),
    ...(sourceId === undefined ? {} : { sourceId }),
  };
}

function sizeOf({ changed, added, rest, history }: DraftChange): number {
  const nodes = added.reduce((sum, { nodes: bytes }) => sum + bytes.length, changed.length);
  const steps = history?.added.reduce((sum, { bytes }) => sum + bytes.length, history.outline.length) ?? 0;
  return nodes + (rest?.length ?? 0) + steps;
}
