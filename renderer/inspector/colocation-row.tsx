import type { ReactElement } from "react";
import { colocatedNodes } from "../../worker-runtime/graph/colocation-groups.js";
import { nodesCommands } from "../commands/node-commands.js";
import { CommandLink } from "../parts/command-button.js";
import { PropertyRow } from "../parts/property-row.js";
import { documentActions, useGraph } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { TextButton } from "../ui/text-button.js";
import styles from "./colocation-row.module.css";

const words = texts.inspector.colocationRow;

/** The nodes whose device is shared, and other ways to place them than by a task. */
export function ColocationRow({ names }: { readonly names: readonly string[] }): ReactElement {
  const nodes = useGraph((state) => state.document.nodes);
  const keepers = [
    ...new Set(names.flatMap((name) => colocatedNodes(nodes.get(name)?.attr ?? new Map()))),
  ].filter((keeper) => !names.includes(keeper));
  return (
    <PropertyRow>
      <span>{words.with}</span>
      <span className={styles.choices}>
        {keepers.map((keeper) => (
          <TextButton
            key={keeper}
            aria-label={words.select({ node: keeper })}
            onClick={() => documentActions.select([keeper])}
          >
            {keeper}
          </TextButton>
        ))}
        <CommandLink command={nodesCommands.colocate} target={names} />
        <CommandLink command={nodesCommands.separate} target={names} />
        <CommandLink command={nodesCommands.device} target={names} />
      </span>
    </PropertyRow>
  );
}
