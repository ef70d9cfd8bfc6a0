import { type FormEvent, type ReactElement, useState } from "react";
import { documentActions } from "../stores/document-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { Dialog, DialogBody, DialogFooter } from "../ui/dialog.js";
import { FieldLabel } from "../ui/field-label.js";
import textStyles from "../ui/text.module.css";
import { TextInput } from "../ui/text-input.js";

interface NameDialogProps {
  readonly title: string;
  readonly label: string;
  readonly initial: string;
  readonly placeholder?: string;
  /** What the edit does besides. */
  readonly note: string;
  /** On the button. */
  readonly verb: string;
  /** False if the edit was refused; the document then has the reason. */
  perform(name: string): boolean;
}

/** Asks for a name that an edit gives. */
export function NameDialog(props: NameDialogProps): ReactElement {
  const { title, label, initial, placeholder, note, verb, perform } = props;
  const [text, setText] = useState(initial);
  const [refusal, setRefusal] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (perform(text.trim())) uiActions.close();
    else setRefusal(documentActions.takeRefusal());
  };
  return (
    <Dialog title={title} onClose={uiActions.close}>
      <form onSubmit={submit} style={{ display: "contents" }}>
        <DialogBody>
          <FieldLabel>
            <span>{label}</span>
            <TextInput
              monospace
              value={text}
              spellCheck={false}
              {...(placeholder === undefined ? {} : { placeholder })}
              onChange={(event) => {
                setText(event.target.value);
                setRefusal(undefined);
              }}
              aria-invalid={refusal !== undefined}
            />
          </FieldLabel>
          {refusal === undefined ? (
            <p className={textStyles.muted}>{note}</p>
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
            {verb}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
