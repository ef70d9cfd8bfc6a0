import type { ReactElement } from "react";
import { type DialogState, uiActions, useUi } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { Dialog, DialogBody } from "../ui/dialog.js";
import textStyles from "../ui/text.module.css";

type Props = Extract<DialogState, { kind: "confirm" }>;

/** A question with several answers; closing the dialog is not an answer. */
export function ConfirmDialog({ title, text, choices, resolve }: Props): ReactElement {
  const answer = (id: string) => {
    // Not uiActions.close(), which would report that the question was closed.
    useUi.setState({ dialog: undefined });
    resolve(id);
  };
  return (
    <Dialog
      title={title}
      onClose={uiActions.close}
      footer={
        <>
          <span className={textStyles.grow} />
          <Button onClick={uiActions.close}>{texts.common.cancel}</Button>
          {choices.toReversed().map(({ id, label, style }) => (
            <Button key={id} variant={style ?? "standard"} onClick={() => answer(id)}>
              {label}
            </Button>
          ))}
        </>
      }
    >
      <DialogBody>
        <p>{text}</p>
      </DialogBody>
    </Dialog>
  );
}
