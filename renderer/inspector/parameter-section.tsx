import type { ReactElement } from "react";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { weightCommands } from "../commands/scope-commands.js";
import { signatureOf } from "../document/signature.js";
import { CommandLink } from "../parts/command-button.js";
import { Section, SectionHeading } from "../parts/section.js";
import { lookupOp } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { TextButton } from "../ui/text-button.js";
import { goToNode } from "../viewport/travel.js";
import { useParameters } from "../viewport/use-parameters.js";
import styles from "./port-row.module.css";

const words = texts.inspector.parameterSection;

/** The weights that are folded into the node; each leads to its own node. */
export function ParameterSection({ node }: { readonly node: NodeDef }): ReactElement | null {
  const parameters = useParameters(node.name);
  if (parameters.length === 0) return null;
  const slots = signatureOf(node, lookupOp)?.inputs;
  return (
    <Section>
      <SectionHeading>{words.heading}</SectionHeading>
      {parameters.map(({ node: weight, input, shape }) => (
        <div key={`${weight.name} ${input}`} className={styles.row}>
          <span className={styles.name}>{slots?.[input]?.label ?? String(input)}</span>
          <TextButton
            className={styles.connection}
            title={words.goTo({ node: weight.name })}
            onClick={() => goToNode(weight.name)}
          >
            {weight.name.slice(weight.name.lastIndexOf("/") + 1)}
          </TextButton>
          <code>{shape}</code>
        </div>
      ))}
      <CommandLink command={weightCommands.toggle} target={[node.name]} />
    </Section>
  );
}
