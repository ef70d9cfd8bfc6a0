/** An argument or a result of the function that is shown: its type and its place among the others, which its calls follow. */
import { type ReactElement, useId } from "react";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { dataTypeOf, dtypeName, dtypes } from "../../worker-runtime/protocol/dtype.js";
import { borderCommands } from "../commands/function-commands.js";
import { RESULT } from "../document/body-nodes.js";
import { borderBeside } from "../document/edits/arguments.js";
import { parseInput } from "../document/tensor-names.js";
import { CommandIconButton } from "../parts/command-button.js";
import { PropertyRow } from "../parts/property-row.js";
import { documentActions, useGraph } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import textStyles from "../ui/text.module.css";
import { Choice } from "./attribute-section.js";
import styles from "./border-section.module.css";

const words = texts.inspector.borderSection;

export function BorderRows({ node }: { node: NodeDef }): ReactElement {
  const id = useId();
  const nodes = useGraph(({ document }) => document.nodes);
  const all = borderBeside({ nodes }, node.name);
  const position = all.findIndex(({ name }) => name === node.name) + 1;
  const value = node.attr.get("T")?.value;
  const dtype = value?.$case === "type" ? value.value : DataType.DT_INVALID;
  const known = dtypes.map(dataTypeOf);
  const choices = known.includes(dtype) ? known : [dtype, ...known];
  // The output that is connected to a result decides its type.
  const follows = node.op === RESULT && parseInput(node.input[0] ?? "").kind === "data";
  const name = (one: DataType) => (one === DataType.DT_INVALID ? words.callerDecides : dtypeName(one));
  return (
    <>
      <PropertyRow>
        <span id={id}>{words.type}</span>
        {follows || dtype === DataType.DT_INVALID ? (
          <span className={textStyles.monospace}>{name(dtype)}</span>
        ) : (
          <Choice
            labelledBy={id}
            value={String(dtype)}
            choices={choices.map((one) => [String(one), name(one)])}
            choose={(one) =>
              documentActions.setAttr(node.name, "T", { value: { $case: "type", value: Number(one) } })
            }
          />
        )}
      </PropertyRow>
      <PropertyRow>
        <span>{words.position}</span>
        <span className={styles.place}>
          {words.place({ position, count: all.length })}
          <span className={textStyles.grow} />
          <CommandIconButton command={borderCommands.forward} target={node} />
          <CommandIconButton command={borderCommands.back} target={node} />
        </span>
      </PropertyRow>
    </>
  );
}
