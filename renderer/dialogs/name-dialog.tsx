import { type ReactElement, useId, useState } from "react";
import { documentActions } from "../stores/document-store.js";
import { uiActions } from "../stores/ui-store.js";
import { FieldLabel } from "../ui/field-label.js";
import { TextInput } from "../ui/text-input.js";
import { FieldDialog } from "./field-dialog.js";

interface Offer {
  readonly name: string;
  /** Said beside it. */
  readonly note: string;
}

interface NameDialogProps {
  readonly title: string;
  readonly label: string;
  readonly initial?: string;
  readonly placeholder?: string;
  /** The other effects of the edit. */
  readonly note: string;
  /** On the button. */
  readonly verb: string;
  /** True: no name is none. */
  readonly required?: boolean;
  /** Names that are offered for what is typed. */
  offer?(typed: string): readonly Offer[];
  /** False if the edit was refused; the document then has the reason. */
  perform(name: string): boolean;
}

/** Asks for a name that an edit needs. */
export function NameDialog(props: NameDialogProps): ReactElement {
  const { title, label, initial = "", placeholder, note, verb, required = false, offer, perform } = props;
  const [text, setText] = useState(initial);
  const [refusal, setRefusal] = useState<string>();
  const list = useId();
  const submit = () => {
    if (perform(text.trim())) uiActions.close();
    else setRefusal(documentActions.takeRefusal());
  };
  return (
    <FieldDialog
      title={title}
      refusal={refusal}
      note={note}
      verb={verb}
      disabled={required && text.trim() === ""}
      submit={submit}
    >
      <FieldLabel>
        <span>{label}</span>
        <TextInput
          monospace
          value={text}
          spellCheck={false}
          {...(placeholder === undefined ? {} : { placeholder })}
          {...(offer === undefined ? {} : { list })}
          onChange={(event) => {
            setText(event.target.value);
            setRefusal(undefined);
          }}
          aria-invalid={refusal !== undefined}
        />
      </FieldLabel>
      {offer === undefined ? null : (
        <datalist id={list}>
          {offer(text).map(({ name, note: said }) => (
            <option key={name} value={name}>
              {said}
            </option>
          ))}
        </datalist>
      )}
    </FieldDialog>
  );
}
