import { type FormEvent, type ReactElement, useMemo, useState } from "react";
import { nodesText } from "../document/edits/types.js";
import { findNodes } from "../document/find-nodes.js";
import { documentActions, useGraph } from "../stores/document-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { Dialog, DialogBody, DialogFooter } from "../ui/dialog.js";
import { FieldLabel } from "../ui/field-label.js";
import textStyles from "../ui/text.module.css";
import { TextInput } from "../ui/text-input.js";

const words = texts.dialogs.colocateDialog;

/** Names that are offered while a name is typed. */
const MOST_OFFERED = 20;

/** Chooses the node whose device other nodes are to share. */
export function ColocateDialog({ nodes }: { readonly nodes: readonly string[] }): ReactElement {
  const all = useGraph((state) => state.document.nodes);
  const shapes = useGraph((state) => state.shapes);
  const [text, setText] = useState("");
  const [refusal, setRefusal] = useState<string>();
  const offered = useMemo(
    () =>
      findNodes(all, shapes, text)
        .filter(({ name }) => !nodes.includes(name))
        .slice(0, MOST_OFFERED),
    [all, shapes, text, nodes],
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (documentActions.colocate(nodes, text.trim())) uiActions.close();
    else setRefusal(documentActions.takeRefusal());
  };
  return (
    <Dialog title={words.title({ nodes: nodesText(nodes) })} onClose={uiActions.close}>
      <form onSubmit={submit} style={{ display: "contents" }}>
        <DialogBody>
          <FieldLabel>
            <span>{words.withNode}</span>
            <TextInput
              list="colocation-nodes"
              value={text}
              spellCheck={false}
              onChange={(event) => {
                setText(event.target.value);
                setRefusal(undefined);
              }}
              aria-invalid={refusal !== undefined}
            />
          </FieldLabel>
          <datalist id="colocation-nodes">
            {offered.map(({ name, op }) => (
              <option key={name} value={name}>
                {op}
              </option>
            ))}
          </datalist>
          {refusal === undefined ? (
            <p className={textStyles.muted}>{words.effect}</p>
          ) : (
            <p className={textStyles.error} role="alert">
              {refusal}
            </p>
          )}
        </DialogBody>
        <DialogFooter>
          <span className={textStyles.grow} />
          <Button onClick={uiActions.close}>{texts.common.cancel}</Button>
          <Button type="submit" variant="primary" disabled={text.trim() === ""}>
            {words.colocate}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
