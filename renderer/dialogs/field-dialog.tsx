import type { FormEvent, ReactElement, ReactNode } from "react";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { Dialog, DialogBody, DialogFooter } from "../ui/dialog.js";
import type { IconName } from "../ui/icon.js";
import textStyles from "../ui/text.module.css";

interface FieldDialogProps {
  readonly title: string;
  /** The field with its label. */
  readonly children: ReactNode;
  /** The fault of the typed text; takes the place of the note. */
  readonly refusal?: string | undefined;
  readonly note?: string;
  /** On the button. */
  readonly verb: string;
  readonly icon?: IconName;
  readonly disabled?: boolean;
  submit(): void;
}

/** A dialog of one field, which Enter and the button submit. */
export function FieldDialog(props: FieldDialogProps): ReactElement {
  const { title, children, refusal, note, verb, icon, disabled = false, submit } = props;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!disabled) submit();
  };
  return (
    <Dialog title={title} onClose={uiActions.close}>
      <form onSubmit={onSubmit} style={{ display: "contents" }}>
        <DialogBody>
          {children}
          {refusal !== undefined ? (
            <p className={textStyles.error} role="alert">
              {refusal}
            </p>
          ) : note !== undefined ? (
            <p className={textStyles.muted}>{note}</p>
          ) : null}
        </DialogBody>
        <DialogFooter>
          <span className={textStyles.grow} />
          <Button onClick={uiActions.close}>{texts.common.cancel}</Button>
          <Button type="submit" variant="primary" disabled={disabled} {...(icon ? { icon } : {})}>
            {verb}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
