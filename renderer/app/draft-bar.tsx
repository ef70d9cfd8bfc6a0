import type { ReactElement } from "react";
import type { Draft } from "../../main/api/drafts.js";
import { discardDraft, fileText, restoreDraft } from "../actions/draft-actions.js";
import { attempt } from "../stores/app-store.js";
import { useDrafts } from "../stores/drafts-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { agoText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import styles from "./draft-bar.module.css";
import rowStyles from "./message-row.module.css";

const words = texts.app.draftBar;

/** More rows would cover the canvas; the rest appear as these are handled. */
const SHOWN = 3;

/** Offers the edits that were unsaved when a window or the application ended. */
export function DraftBar(): ReactElement | null {
  const drafts = useDrafts((state) => state.drafts);
  if (drafts.length === 0) return null;
  const more = drafts.length - SHOWN;
  return (
    <section aria-label={words.unsavedEdits}>
      {drafts.slice(0, SHOWN).map((draft) => (
        <DraftRow key={draft.draftId} draft={draft} />
      ))}
      {more > 0 ? <p className={styles.more}>{words.more({ count: more })}</p> : null}
    </section>
  );
}

function DraftRow({ draft }: { readonly draft: Draft }): ReactElement {
  const { name, path, editedAt, unedited } = draft;
  const file = fileText(draft);
  return (
    <div className={rowStyles.row} role="status">
      <Icon name="save" />
      <p className={styles.text}>
        {(unedited ? words.opened : words.edited)({
          ago: agoText(editedAt),
          name: () => <b title={path}>{name}</b>,
        })}{" "}
        {path === undefined ? words.noFile : file}
      </p>
      <Button size="small" variant="primary" onClick={() => attempt(() => restoreDraft(draft))}>
        {words.restore}
      </Button>
      <Button size="small" onClick={() => attempt(() => discardDraft(draft))}>
        {words.discard}
      </Button>
    </div>
  );
}
