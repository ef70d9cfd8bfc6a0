import { type FormEvent, type ReactElement, useState } from "react";
import { commonScope } from "../document/edits/rename.js";
import { nodesText } from "../document/edits/types.js";
import { documentActions } from "../stores/document-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { Dialog, DialogBody, DialogFooter } from "../ui/dialog.js";
import { FieldLabel } from "../ui/field-label.js";
import textStyles from "../ui/text.module.css";
import { TextInput } from "../ui/text-input.js";

const words = texts.dialogs.scopeDialog;

/** Asks for the name scope that nodes are moved to. */
export function ScopeDialog({ nodes }: { readonly nodes: readonly string[] }): ReactElement {
  const [text, setText] = useState(() => commonScope(nodes));
  const [refusal, setRefusal] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (documentActions.moveToScope(nodes, text.trim())) uiActions.close();
    else setRefusal(documentActions.takeRefusal());
  };
  return (
    <Dialog title={words.title({ nodes: nodesText(nodes) })} onClose={uiActions.close}>
      <form onSubmit={submit} style={{ display: "contents" }}>
        <DialogBody>
          <FieldLabel>
            <span>{words.scope}</span>
            <TextInput
              monospace
              value={text}
              spellCheck={false}
              placeholder="encoder/layer_1"
              onChange={(event) => {
                setText(event.target.value);
                setRefusal(undefined);
              }}
              aria-invalid={refusal !== undefined}
            />
          </FieldLabel>
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
          <Button type="submit" variant="primary">
            {words.move}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
