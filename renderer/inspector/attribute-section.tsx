/** The node's attributes, each with a control that suits its type. */
import { type ReactElement, useId } from "react";
import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { OpDef, OpDef_AttrDef } from "../../protos/generated/tensorflow/op_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { dataTypeOf, dtypeName, dtypes } from "../../worker-runtime/protocol/dtype.js";
import { attrText, parseAttr } from "../document/attr-text.js";
import { argumentHelp } from "../document/op-help.js";
import { allowedTypes, attrOrDefault, dataInputs, signatureOf } from "../document/signature.js";
import { parseInput } from "../document/tensor-names.js";
import { textOfTensor } from "../document/values.js";
import { SelectFrame } from "../parts/input-frame.js";
import { PropertyRow } from "../parts/property-row.js";
import { Section, SectionHeading } from "../parts/section.js";
import { TextField } from "../parts/text-field.js";
import { documentActions, lookupOp, useGraph } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import textStyles from "../ui/text.module.css";
import styles from "./attribute-section.module.css";

const words = texts.inspector.attributeSection;

export function AttributeSection({ node }: { node: NodeDef }): ReactElement | null {
  // Functions of the graph and the engine's op list determine the attributes.
  useGraph((state) => state.problems);
  const opDef = lookupOp(node.op);
  const defined = new Set(opDef?.attr.map(({ name }) => name));
  const others = [...node.attr].filter(([name]) => !defined.has(name));
  if ((opDef?.attr.length ?? 0) + others.length === 0) return null;
  return (
    <Section>
      <SectionHeading>{words.heading}</SectionHeading>
      {opDef?.attr.map((definition) => (
        <Attribute key={definition.name} node={node} opDef={opDef} definition={definition} />
      ))}
      {others.map(([name, value]) => (
        <PropertyRow wideName key={name}>
          <span className={textStyles.truncated} title={name}>
            {name}
          </span>
          <span className={classNames(textStyles.monospace, textStyles.truncated)} title={attrText(value)}>
            {attrText(value)}
          </span>
        </PropertyRow>
      ))}
    </Section>
  );
}

interface AttributeProps {
  readonly node: NodeDef;
  readonly opDef: OpDef;
  readonly definition: OpDef_AttrDef;
}

function Attribute({ node, opDef, definition }: AttributeProps): ReactElement {
  const id = useId();
  const value = attrOrDefault(node, opDef, definition.name);
  return (
    <PropertyRow wideName>
      <span
        id={id}
        className={textStyles.truncated}
        title={argumentHelp(definition.name) ?? `${definition.name}: ${definition.type}`}
      >
        {definition.name}
      </span>
      <Control node={node} opDef={opDef} definition={definition} value={value} labelledBy={id} />
    </PropertyRow>
  );
}

interface ControlProps extends AttributeProps {
  readonly value: AttrValue | undefined;
  readonly labelledBy: string;
}

function Control({ node, opDef, definition, value, labelledBy }: ControlProps): ReactElement {
  const { name, type } = definition;
  const set = (next: AttrValue) => documentActions.setAttr(node.name, name, next);
  if (type === "type") {
    if (followsInputs(node, opDef, name)) {
      return (
        <span className={textStyles.monospace} title={words.inferred}>
          {attrText(value)}
        </span>
      );
    }
    const types = allowedTypes(opDef, name) ?? dtypes.map(dataTypeOf);
    const current = value?.value?.$case === "type" ? value.value.value : DataType.DT_INVALID;
    const choices = types.includes(current) ? types : [current, ...types];
    return (
      <Choice
        labelledBy={labelledBy}
        value={String(current)}
        choices={choices.map((one) => [
          String(one),
          one === DataType.DT_INVALID ? words.notSet : dtypeName(one),
        ])}
        choose={(one) => set({ value: { $case: "type", value: Number(one) as DataType } })}
      />
    );
  }
  if (type === "bool") {
    return (
      <input
        type="checkbox"
        className={styles.checkbox}
        aria-labelledby={labelledBy}
        checked={value?.value?.$case === "b" && value.value.value}
        onChange={(event) => set({ value: { $case: "b", value: event.target.checked } })}
      />
    );
  }
  const allowed = definition.allowedValues?.value;
  if (type === "string" && allowed?.$case === "list" && allowed.value.s.length > 0) {
    const choices = allowed.value.s.map((bytes) => new TextDecoder().decode(bytes));
    return (
      <Choice
        labelledBy={labelledBy}
        value={attrText(value)}
        choices={choices.map((one) => [one, one])}
        choose={(one) => set(parseAttr("string", one))}
      />
    );
  }
  const large = value?.value?.$case === "tensor" && textOfTensor(value.value.value) === undefined;
  if (large || type === "list(func)" || type === "list(tensor)") {
    return <span className={classNames(textStyles.monospace, textStyles.truncated)}>{attrText(value)}</span>;
  }
  return (
    <TextField
      value={attrText(value)}
      labelledBy={labelledBy}
      placeholder={type}
      multiline={type === "tensor"}
      commit={(text) => {
        const next = parseAttr(type, text, value);
        checkMinimum(definition, next);
        return set(next) ? undefined : documentActions.takeRefusal();
      }}
    />
  );
}

function checkMinimum({ name, hasMinimum, minimum }: OpDef_AttrDef, { value }: AttrValue): void {
  if (!hasMinimum) return;
  if (value?.$case === "i" && value.value < minimum)
    throw new Error(`${name} has to be at least ${minimum}.`);
}

/** True if a connected input determines the type. */
function followsInputs(node: NodeDef, opDef: OpDef, attr: string): boolean {
  const texts = dataInputs(node);
  return (
    signatureOf(node, () => opDef)?.inputs.some(
      ({ arg, index }) => arg.typeAttr === attr && parseInput(texts[index] ?? "").kind === "data",
    ) ?? false
  );
}

interface ChoiceProps {
  readonly labelledBy: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
  choose(value: string): void;
}

/** A list of values to choose from. */
export function Choice({ labelledBy, value, choices, choose }: ChoiceProps): ReactElement {
  return (
    <SelectFrame monospace>
      <select aria-labelledby={labelledBy} value={value} onChange={(event) => choose(event.target.value)}>
        {choices.map(([one, label]) => (
          <option key={one} value={one}>
            {label}
          </option>
        ))}
      </select>
    </SelectFrame>
  );
}
