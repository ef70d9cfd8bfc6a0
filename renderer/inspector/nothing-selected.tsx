import type { ReactElement } from "react";
import { runCommands } from "../commands/run-commands.js";
import { parseTensorName } from "../document/tensor-names.js";
import { CommandButton } from "../parts/command-button.js";
import { Section } from "../parts/section.js";
import { useRunPlan } from "../parts/use-run-plan.js";
import { documentActions, useGraph } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import textStyles from "../ui/text.module.css";
import { revealNode } from "../viewport/view.js";
import { InspectorHead } from "./inspector-head.js";
import styles from "./nothing-selected.module.css";

const words = texts.inspector.nothingSelected;

export function NothingSelected(): ReactElement {
  const nodes = useGraph((state) => state.document.nodes);
  const plan = useRunPlan();
  const [fetch] = plan?.fetches ?? [];
  const wanted = fetch === undefined ? undefined : parseTensorName(fetch).node;
  // A plan may be of the state before the newest edit.
  const name = wanted !== undefined && nodes.has(wanted) ? wanted : nodes.keys().next().value;
  return (
    <>
      <InspectorHead>
        <b>{words.heading}</b>
      </InspectorHead>
      <Section last className={styles.section}>
        <p>{words.hint}</p>
        {name === undefined ? null : (
          <Button
            className={styles.selectOne}
            title={name}
            onClick={() => {
              documentActions.select([name]);
              revealNode(name);
            }}
          >
            <span className={textStyles.truncated}>{words.select({ node: name })}</span>
          </Button>
        )}
        <CommandButton command={runCommands.choose} />
      </Section>
    </>
  );
}
