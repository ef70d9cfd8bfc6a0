import { Handle, Position } from "@xyflow/react";
import { memo, type ReactElement } from "react";
import { whyNotConnect } from "../document/edits/connect.js";
import { CONTROL_PORT_Y, portY } from "../document/node-size.js";
import { lookupOp, useGraph } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { inputEnd, outputEnd, type Port } from "../viewport/ports.js";
import { useCanvas } from "../viewport/view-store.js";
import type { GraphFlowNode } from "./flow-nodes.js";
import styles from "./node-ports.module.css";

const words = texts.canvas.nodePorts;

/**
 * React Flow reads the positions of ports from the DOM, where it finds them by their class, "source" or "target"; without
 * them the edges would disappear. Nothing here is visible.
 */
export const FarPorts = memo(function FarPorts({
  ports,
}: {
  ports: GraphFlowNode["data"]["ports"];
}): ReactElement {
  const mark = (id: string, type: "source" | "target", y: number) => (
    <i
      key={id}
      className={classNames(type, styles.farPort, type === "source" && styles.farOutput)}
      data-handleid={id}
      data-handlepos={type === "source" ? "right" : "left"}
      style={{ top: y }}
    />
  );
  return (
    <>
      {mark("control-in", "target", CONTROL_PORT_Y)}
      {mark("control-out", "source", CONTROL_PORT_Y)}
      {ports.inputs.map(({ id }, index) => mark(id, "target", portY(index)))}
      {ports.outputs.map(({ id }, index) => mark(id, "source", portY(index)))}
    </>
  );
});

/** The ports from and to which edges are dragged. */
export const NodePorts = memo(function NodePorts({
  id,
  data,
}: {
  id: string;
  data: GraphFlowNode["data"];
}): ReactElement {
  const { ports, controlIn, controlOut } = data;
  return (
    <>
      <PortHandle node={id} port={CONTROL_IN} side="in" y={CONTROL_PORT_Y} kind="control" used={controlIn} />
      <PortHandle
        node={id}
        port={CONTROL_OUT}
        side="out"
        y={CONTROL_PORT_Y}
        kind="control"
        used={controlOut}
      />
      {ports.inputs.map((port, index) => (
        <PortHandle key={port.id} node={id} port={port} side="in" y={portY(index)} kind={port.shape} />
      ))}
      {ports.outputs.map((port, index) => (
        <PortHandle key={port.id} node={id} port={port} side="out" y={portY(index)} kind={port.shape} />
      ))}
      {ports.grow ? (
        <PortHandle node={id} port={ports.grow} side="in" y={portY(ports.inputs.length)} kind="growing" />
      ) : null}
    </>
  );
});

const CONTROL_IN = { id: "control-in", label: words.runsAfter } as const;
const CONTROL_OUT = { id: "control-out", label: words.runsBefore } as const;

const KINDS = {
  circle: undefined,
  square: styles.square,
  diamond: styles.diamond,
  control: styles.control,
  growing: styles.growing,
} as const;

interface PortHandleProps {
  readonly node: string;
  readonly port: Pick<Port, "id" | "label">;
  readonly side: "in" | "out";
  readonly y: number;
  /** growing: an edge that ends on it adds another input. */
  readonly kind: keyof typeof KINDS;
  /** For a control port: an edge ends there, so it is always seen. */
  readonly used?: boolean;
}

const PortHandle = memo(function PortHandle(props: PortHandleProps): ReactElement {
  const { node, port, side, y, kind, used } = props;
  const refusal = usePortRefusal(node, port.id, side);
  const className = classNames(
    styles.port,
    side === "out" && styles.output,
    KINDS[kind],
    used && styles.used,
    refusal !== undefined && (refusal === "" ? styles.fitting : styles.unfitting),
  );
  return (
    <Handle
      id={port.id}
      type={side === "in" ? "target" : "source"}
      position={side === "in" ? Position.Left : Position.Right}
      {...(className === undefined ? {} : { className })}
      data-port=""
      style={{ top: y }}
      title={refusal ? `${port.label}: ${refusal}` : port.label}
    />
  );
});

/** While an edge is dragged: "" if it may end here, otherwise the reason why not. Undefined when none is dragged. */
function usePortRefusal(node: string, portId: string, side: "in" | "out"): string | undefined {
  const pulling = useCanvas((state) => state.pulling);
  const document = useGraph((state) => (pulling ? state.document : undefined));
  if (!pulling || !document) return undefined;
  if (pulling.type === "output") {
    if (side === "out") return pulling.end.node === node ? undefined : words.refused;
    return whyNotConnect(document, lookupOp, pulling.end, inputEnd(node, portId)) ?? "";
  }
  if (side === "in") return pulling.end.node === node ? undefined : words.refused;
  return whyNotConnect(document, lookupOp, outputEnd(node, portId), pulling.end) ?? "";
}
