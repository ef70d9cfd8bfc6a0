/** Inputs with what they read, outputs with who reads them and whether they are fetched. */
import type { ReactElement } from "react";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { dtypeName } from "../../worker-runtime/protocol/dtype.js";
import { chosenRun } from "../document/run-inputs.js";
import { shapeText } from "../document/shapes.js";
import { growsAlone, signatureOf } from "../document/signature.js";
import { parseInput, tensorName } from "../document/tensor-names.js";
import { wiringOf } from "../document/wiring.js";
import { documentActions, lookupOp, useDocument } from "../stores/document-store.js";
import { Icon } from "../ui/icon.js";
import { openEdgeMenu } from "../viewport/new-node-place.js";
import { type Port, portsOf } from "../viewport/ports.js";
import { revealNode } from "../viewport/view.js";

function choose(name: string): void {
  documentActions.select([name]);
  revealNode(name);
}

export function PortSection({ node }: { node: NodeDef }): ReactElement {
  const document = useDocument((state) => state.document);
  const outgoing = wiringOf(document.nodes).outgoing.get(node.name) ?? [];
  const used = outgoing.reduce((most, { output }) => Math.max(most, output + 1), 0);
  const { inputs, outputs } = portsOf(node, lookupOp, used);
  const controls = node.input.flatMap((text, index) => (text.startsWith("^") ? [{ text, index }] : []));
  return (
    <div className="sec">
      <h3>Inputs and outputs</h3>
      {inputs.map((port, index) => (
        <Input key={port.id} node={node} port={port} index={index} />
      ))}
      {controls.map(({ text, index }) => (
        <div className="io" key={text}>
          <i className="pd square" />
          <b>after</b>
          <button type="button" className="lk ell" onClick={() => choose(text.slice(1))}>
            {text.slice(1)}
          </button>
          <Disconnect node={node.name} input={index} label={`Do not run after ${text.slice(1)}`} />
        </div>
      ))}
      {inputs.length + controls.length > 0 && outputs.length > 0 ? <div className="ios" /> : null}
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
    </div>
  );
}

function typeText(dtype: DataType, shape: string): string {
  return `${dtype === DataType.DT_INVALID ? "?" : dtypeName(dtype)} ${shape}`.trim();
}

function Input({ node, port, index }: { node: NodeDef; port: Port; index: number }): ReactElement {
  const reference = parseInput(node.input[index] ?? "");
  const shape = useDocument((state) =>
    reference.kind === "data" ? shapeText(state.shapes.outputs.get(reference.node)?.[reference.output]) : "",
  );
  const signature = signatureOf(node, lookupOp);
  const slot = signature?.inputs[index];
  const removable = signature && slot && growsAlone(signature.opDef, slot.arg);
  return (
    <div className="io">
      <i className={`pd ${port.shape}`} />
      <b className="ell">{port.label}</b>
      {reference.kind === "data" ? (
        <button type="button" className="lk ell" onClick={() => choose(reference.node)}>
          {tensorName(reference.node, reference.output)}
        </button>
      ) : (
        <button
          type="button"
          className="lk ell er"
          title={`Connect ${port.label}…`}
          aria-label={`${port.label} is not connected. Connect it`}
          onClick={() => openEdgeMenu({ type: "input", end: { node: node.name, input: index } })}
        >
          not connected
        </button>
      )}
      <span className="mono">{typeText(port.dtype, shape)}</span>
      {reference.kind === "data" ? (
        <Disconnect node={node.name} input={index} label={`Disconnect ${port.label}`} />
      ) : removable ? (
        <button
          type="button"
          className="ib small"
          aria-label={`Remove ${port.label}`}
          title={`Remove ${port.label}`}
          onClick={() => documentActions.removeSlot(node.name, index)}
        >
          <Icon name="trash" size={12} />
        </button>
      ) : (
        <span className="small" />
      )}
    </div>
  );
}

function Disconnect({ node, input, label }: { node: string; input: number; label: string }): ReactElement {
  return (
    <button
      type="button"
      className="ib small"
      aria-label={label}
      title={label}
      onClick={() => documentActions.disconnect([{ node, input }])}
    >
      <Icon name="close" size={12} />
    </button>
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
  const shape = useDocument((state) => shapeText(state.shapes.outputs.get(node.name)?.[index]));
  const fetched = useDocument((state) => chosenRun(state.document, lookupOp).fetches.includes(name));
  const [first] = readers;
  return (
    <>
      <div className="io">
        <i className={`pd o ${port.shape}`} />
        <b className="ell">{port.label}</b>
        {first !== undefined && readers.length === 1 ? (
          <button type="button" className="lk ell" onClick={() => choose(first)}>
            {first}
          </button>
        ) : readers.length === 0 ? (
          <button
            type="button"
            className="lk ell"
            title={`Connect ${port.label}…`}
            aria-label={`${port.label}: nobody reads it. Connect it`}
            onClick={() => openEdgeMenu({ type: "output", end: { node: node.name, output: index } })}
          >
            nobody reads it
          </button>
        ) : (
          <span className="ell" title={readers.join("\n")}>
            {readers.length} readers
          </span>
        )}
        <span className="mono">{typeText(port.dtype, shape)}</span>
        <span className="small" />
      </div>
      <label className="io fetch">
        <span className="ell">Fetch {name}</span>
        <input
          type="checkbox"
          role="switch"
          className="switch"
          checked={fetched}
          aria-checked={fetched}
          onChange={() => documentActions.toggleFetch(name)}
        />
      </label>
    </>
  );
}

/** An op without outputs can only be run for its effect. */
function Target({ node }: { node: NodeDef }): ReactElement {
  const on = useDocument((state) => chosenRun(state.document, lookupOp).targets.includes(node.name));
  return (
    <label className="io fetch">
      <span className="ell">Run {node.name} in every step</span>
      <input
        type="checkbox"
        role="switch"
        className="switch"
        checked={on}
        aria-checked={on}
        onChange={() => documentActions.toggleTarget(node.name)}
      />
    </label>
  );
}
