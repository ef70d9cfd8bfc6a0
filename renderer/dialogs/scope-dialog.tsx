import { type ReactElement, useState } from "react";
import { commonScope } from "../document/edits/rename.js";
import { nodesText } from "../document/edits/types.js";
import { documentActions } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { NameDialog } from "./name-dialog.js";

const words = texts.dialogs.scopeDialog;

/** Asks for the name scope that nodes are moved to. */
export function ScopeDialog({ nodes }: { readonly nodes: readonly string[] }): ReactElement {
  const [initial] = useState(() => commonScope(nodes));
  return (
    <NameDialog
      title={words.title({ nodes: nodesText(nodes) })}
      label={words.scope}
      initial={initial}
      placeholder="encoder/layer_1"
      note={words.effect}
      verb={words.move}
      perform={(scope) => documentActions.moveToScope(nodes, scope)}
    />
  );
}
