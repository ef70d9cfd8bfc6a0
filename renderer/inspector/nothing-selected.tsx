import type { ReactElement } from "react";
import { runCommands } from "../commands/run-commands.js";
import { chosenRun } from "../document/run-inputs.js";
import { parseTensorName } from "../document/tensor-names.js";
import { CommandButton } from "../parts/command-button.js";
import { Section } from "../parts/section.js";
import { documentActions, lookupOp, useDocument } from "../stores/document-store.js";
import { useOps } from "../stores/ops-store.js";
import { Button } from "../ui/button.js";
import textStyles from "../ui/text.module.css";
import { revealNode } from "../viewport/view.js";
import { InspectorHead } from "./inspector-head.js";
import styles from "./nothing-selected.module.css";

export function NothingSelected(): ReactElement {
  const document = useDocument((state) => state.document);
  // Until the op list is there, outputs are not known.
  useOps((state) => state.ops);
  const [fetch] = chosenRun(document, lookupOp).fetches;
  const name = fetch === undefined ? document.nodes.keys().next().value : parseTensorName(fetch).node;
  return (
    <>
      <InspectorHead>
        <b>Nothing selected</b>
      </InspectorHead>
      <Section last className={styles.section}>
        <p>Select a node to see its inputs, device and last value.</p>
        {name === undefined ? null : (
          <Button
            className={styles.selectOne}
            title={name}
            onClick={() => {
              documentActions.select([name]);
              revealNode(name);
            }}
          >
            <span className={textStyles.truncated}>Select {name}</span>
          </Button>
        )}
        <CommandButton command={runCommands.choose} />
      </Section>
    </>
  );
}
