import type { ReactElement } from "react";
import { nodesText } from "../document/edits/types.js";
import { findNodes } from "../document/find-nodes.js";
import { documentActions, useGraph } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { NameDialog } from "./name-dialog.js";

const words = texts.dialogs.colocateDialog;

/** Names that are offered while a name is typed. */
const MOST_OFFERED = 20;

/** Chooses the node whose device other nodes are to share. */
export function ColocateDialog({ nodes }: { readonly nodes: readonly string[] }): ReactElement {
  const all = useGraph((state) => state.document.nodes);
  const shapes = useGraph((state) => state.shapes);
  return (
    <NameDialog
      title={words.title({ nodes: nodesText(nodes) })}
      label={words.withNode}
      note={words.effect}
      verb={words.colocate}
      required
      offer={(typed) =>
        findNodes(all, shapes, typed)
          .filter(({ name }) => !nodes.includes(name))
          .slice(0, MOST_OFFERED)
          .map(({ name, op }) => ({ name, note: op }))
      }
      perform={(keeper) => documentActions.colocate(nodes, keeper)}
    />
  );
}
