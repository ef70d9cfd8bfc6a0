import type { ReactElement } from "react";
import { type DialogState, uiActions, useUi } from "../stores/ui-store.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";

type Props = Extract<DialogState, { kind: "confirm" }>;

/** A question with a few answers; closing it is not one of them. */
export function ConfirmDialog({ title, text, choices, resolve }: Props): ReactElement {
  const answer = (id: string) => {
    // Not uiActions.close(), which would answer that the question was closed.
    useUi.setState({ dialog: undefined });
    resolve(id);
  };
  return (
    <Dialog
      title={title}
      onClose={uiActions.close}
      footer={
        <>
          <span className="grow" />
          <Button onClick={uiActions.close}>Cancel</Button>
          {choices.toReversed().map(({ id, label, style }) => (
            <Button key={id} variant={style ?? "standard"} onClick={() => answer(id)}>
              {label}
            </Button>
          ))}
        </>
      }
    >
      <div className="dlg-body">
        <p>{text}</p>
      </div>
    </Dialog>
  );
}
