import type { ReactElement } from "react";
import { functionActions } from "../stores/function-actions.js";
import { texts } from "../texts/texts.js";
import { NameDialog } from "./name-dialog.js";

const words = texts.dialogs.renameFunctionDialog;

/** Asks for the name that a function of the graph's library gets. */
export function RenameFunctionDialog({ name }: { readonly name: string }): ReactElement {
  return (
    <NameDialog
      title={words.title({ name })}
      label={words.name}
      initial={name}
      note={words.effect}
      verb={words.rename}
      perform={(to) => functionActions.rename(name, to)}
    />
  );
}
