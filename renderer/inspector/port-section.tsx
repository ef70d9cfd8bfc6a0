/** Inputs with their producers, outputs with their readers and whether they are fetched. */
import type { ReactElement } from "react";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { dtypeName } from "../../worker-runtime/protocol/dtype.js";
import { shapeText } from "../document/shapes.js";
import { growsAlone, signatureOf } from "../document/signature.js";
import { parseInput, tensorName } from "../document/tensor-names.js";
import { wiringOf } from "../document/wiring.js";
import { PortMark } from "../parts/port-mark.js";
import { Section, SectionHeading } from "../parts/section.js";
import { useChosenRun } from "../parts/use-run-plan.js";
import { documentActions, lookupOp, useGraph } from "../stores/document-store.js";
import { useShownFunction } from "../stores/function-bodies.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { PlainIconButton } from "../ui/icon-button.js";
import { SwitchBox } from "../ui/switch-box.js";
import textStyles from "../ui/text.module.css";
import { TextButton } from "../ui/text-button.js";
import { openEdgeMenu } from "../viewport/new-node-place.js";
import { type Port, portsOf } from "../viewport/ports.js";
import { revealNode } from "../viewport/view.js";
import styles from "./port-row.module.css";

const words = texts.inspector.portSection;

function choose(name: string): void {
  documentActions.select([name]);
  revealNode(name);
}

export function PortSection({ node }: { node: NodeDef }): ReactElement {
  const document = useGraph((state) => state.document);
  const outgoing = wiringOf(document.nodes).outgoing.get(node.name) ?? [];
  const used = outgoing.reduce((most, { output }) => Math.max(most, output + 1), 0);
  const { inputs, outputs } = portsOf(node, lookupOp, used);
  const controls = node.input.flatMap((text, index) => (text.startsWith("^") ? [{ text, index }] : []));
  return (
    <Section>
      <SectionHeading>{words.heading}</SectionHeading>
      {inputs.map((port, index) => (
        <Input key={port.id} node={node} port={port} index={index} />
      ))}
      {controls.map(({ text, index }) => (
        <div className={styles.row} key={text}>
          <PortMark shape="square" />
          <b className={styles.name}>{words.after}</b>
          <TextButton
            className={classNames(textStyles.truncated, styles.connection, styles.link)}
            onClick={() => choose(text.slice(1))}
          >
            {text.slice(1)}
          </TextButton>
          <Disconnect node={node.name} input={index} label={words.doNotRunAfter({ node: text.slice(1) })} />
        </div>
      ))}
      {inputs.length + controls.length > 0 && outputs.length > 0 ? (
        <div className={styles.separator} />
      ) : null}
      {outputs.map((port, index) => (
        <Output
          key={port.id}
          node={node}
          port={port}
          index={index}
          readers={outgoing.filter(({ output }) => output === index).map(({ to }) => to)}
        />
      ))}
      {outputs.length === 0 ? <Target node={node} /> : null}
    </Section>
  );
}

function typeText(dtype: DataType, shape: string): string {
  return `${dtype === DataType.DT_INVALID ? "?" : dtypeName(dtype)} ${shape}`.trim();
}

function Input({ node, port, index }: { node: NodeDef; port: Port; index: number }): ReactElement {
  const reference = parseInput(node.input[index] ?? "");
  const shape = useGraph((state) =>
    reference.kind === "data" ? shapeText(state.shapes.outputs.get(reference.node)?.[reference.output]) : "",
  );
  const signature = signatureOf(node, lookupOp);
  const slot = signature?.inputs[index];
  const removable = signature && slot && growsAlone(signature.opDef, slot.arg);
  return (
    <div className={styles.row}>
      <PortMark shape={port.shape} />
      <b className={classNames(textStyles.truncated, styles.name)}>{port.label}</b>
      {reference.kind === "data" ? (
        <TextButton
          className={classNames(textStyles.truncated, styles.connection, styles.link)}
          onClick={() => choose(reference.node)}
        >
          {tensorName(reference.node, reference.output)}
        </TextButton>
      ) : (
        <TextButton
          className={classNames(textStyles.truncated, styles.connection, styles.link, styles.missing)}
          title={words.connect({ port: port.label })}
          aria-label={words.connectInput({ port: port.label })}
          onClick={() => openEdgeMenu({ type: "input", end: { node: node.name, input: index } })}
        >
          {words.notConnected}
        </TextButton>
      )}
      <span className={classNames(textStyles.monospace, styles.type)}>{typeText(port.dtype, shape)}</span>
      {reference.kind === "data" ? (
        <Disconnect node={node.name} input={index} label={words.disconnect({ port: port.label })} />
      ) : removable ? (
        <PlainIconButton
          icon="trash"
          iconSize={12}
          small
          className={styles.disconnect}
          label={words.remove({ port: port.label })}
          title={words.remove({ port: port.label })}
          onClick={() => documentActions.removeSlot(node.name, index)}
        />
      ) : (
        <span className={styles.noButton} />
      )}
    </div>
  );
}

function Disconnect({ node, input, label }: { node: string; input: number; label: string }): ReactElement {
  return (
    <PlainIconButton
      icon="close"
      iconSize={12}
      small
      className={styles.disconnect}
      label={label}
      title={label}
      onClick={() => documentActions.disconnect([{ node, input }])}
    />
  );
}

interface OutputProps {
  readonly node: NodeDef;
  readonly port: Port;
  readonly index: number;
  readonly readers: readonly string[];
}

function Output({ node, port, index, readers }: OutputProps): ReactElement {
  const name = tensorName(node.name, index);
  const shape = useGraph((state) => shapeText(state.shapes.outputs.get(node.name)?.[index]));
  const fetched = useChosenRun()?.fetches.includes(name) ?? false;
  const [first] = readers;
  const isWithin = useShownFunction() !== undefined;
  return (
    <>
      <div className={styles.row}>
        <PortMark shape={port.shape} output />
        <b className={classNames(textStyles.truncated, styles.name)}>{port.label}</b>
        {first !== undefined && readers.length === 1 ? (
          <TextButton
            className={classNames(textStyles.truncated, styles.connection, styles.link)}
            onClick={() => choose(first)}
          >
            {first}
          </TextButton>
        ) : readers.length === 0 ? (
          <TextButton
            className={classNames(textStyles.truncated, styles.connection, styles.link)}
            title={words.connect({ port: port.label })}
            aria-label={words.connectOutput({ port: port.label })}
            onClick={() => openEdgeMenu({ type: "output", end: { node: node.name, output: index } })}
          >
            {words.unread}
          </TextButton>
        ) : (
          <span className={classNames(textStyles.truncated, styles.connection)} title={readers.join("\n")}>
            {words.readers({ count: readers.length })}
          </span>
        )}
        <span className={classNames(textStyles.monospace, styles.type)}>{typeText(port.dtype, shape)}</span>
        <span className={styles.noButton} />
      </div>
      {isWithin ? null : (
        <label className={classNames(styles.row, styles.choice)}>
          <span className={classNames(textStyles.truncated, styles.connection)}>
            {words.fetch({ tensor: name })}
          </span>
          <SwitchBox checked={fetched} onChange={() => documentActions.toggleFetch(name)} />
        </label>
      )}
    </>
  );
}

/** An op without outputs can only be run for its effect. */
function Target({ node }: { node: NodeDef }): ReactElement | null {
  const on = useChosenRun()?.targets.includes(node.name) ?? false;
  if (useShownFunction() !== undefined) return null;
  return (
    <label className={classNames(styles.row, styles.choice)}>
      <span className={classNames(textStyles.truncated, styles.connection)}>
        {words.runInEveryStep({ node: node.name })}
      </span>
      <SwitchBox checked={on} onChange={() => documentActions.toggleTarget(node.name)} />
    </label>
  );
}
