import type { ReactElement } from "react";
import { functionActions } from "../stores/function-actions.js";
import { NameDialog } from "./name-dialog.js";

/** Asks for the name that a function of the graph's library gets. */
export function RenameFunctionDialog({ name }: { readonly name: string }): ReactElement {
  return (
    <NameDialog
      title={`Rename the function ${name}`}
      label="Name"
      initial={name}
      note="All calls of it follow, those in other functions too."
      verb="Rename"
      perform={(to) => functionActions.rename(name, to)}
    />
  );
}
