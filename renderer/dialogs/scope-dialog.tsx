import { type ReactElement, useState } from "react";
import { commonScope } from "../document/edits/rename.js";
import { nodesText } from "../document/edits/types.js";
import { documentActions } from "../stores/document-store.js";
import { NameDialog } from "./name-dialog.js";

/** Asks for the name scope that nodes are moved to. */
export function ScopeDialog({ nodes }: { readonly nodes: readonly string[] }): ReactElement {
  const [initial] = useState(() => commonScope(nodes));
  return (
    <NameDialog
      title={`Move ${nodesText(nodes)} to a scope`}
      label="Scope"
      initial={initial}
      placeholder="encoder/layer_1"
      note="Their names begin with it. Everything that refers to them follows."
      verb="Move"
      perform={(scope) => documentActions.moveToScope(nodes, scope)}
    />
  );
}
