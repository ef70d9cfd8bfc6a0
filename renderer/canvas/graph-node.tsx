/** One node of the graph. Its size is fixed; the results of a run are drawn inside it. */
import { Handle, type NodeProps, Position, type ReactFlowState, useStore } from "@xyflow/react";
import { type CSSProperties, memo, type ReactElement } from "react";
import { reportError } from "../actions/report-error.js";
import { whyNotConnect } from "../document/edits/connect.js";
import { CONTROL_PORT_Y, portY } from "../document/node-size.js";
import { useCluster } from "../stores/cluster-store.js";
import { lookupOp, useDocument } from "../stores/document-store.js";
import { useKernels } from "../stores/kernel-store.js";
import { isStriped, taskColourVar } from "../theme/task-colour.js";
import { ErrorBoundary } from "../ui/error-boundary.js";
import { Icon } from "../ui/icon.js";
import { inputEnd, outputEnd, type Port } from "../viewport/ports.js";
import { useCanvas } from "../viewport/view-store.js";
import type { GraphFlowNode } from "./flow-nodes.js";
import { useNodeStatus } from "./node-status.js";
import { FAR_ZOOM } from "./picture.js";

const isFar = (state: ReactFlowState) => state.transform[2] < FAR_ZOOM;

/** A node that fails to render does not affect the others or its own edges. */
export const GraphNode = memo(function GraphNode(props: NodeProps<GraphFlowNode>): ReactElement {
  const { id, data } = props;
  return (
    <ErrorBoundary
      resetOn={data}
      onError={(error, components) => reportError(`The node ${id}`, error, components)}
      fallback={(error, retry) => <FailedNode {...props} error={error} onRetry={retry} />}
    >
      <DrawnNode {...props} />
    </ErrorBoundary>
  );
});

function DrawnNode(props: NodeProps<GraphFlowNode>): ReactElement {
  return useStore(isFar) ? <FarNode {...props} /> : <NearNode {...props} />;
}

interface FailedNodeProps extends NodeProps<GraphFlowNode> {
  readonly error: unknown;
  onRetry(): void;
}

function FailedNode({ id, data, selected, error, onRetry }: FailedNodeProps): ReactElement {
  return (
    <div
      className={selected ? "node badn sel" : "node badn"}
      role="alert"
      title={`${id} could not be drawn: ${error instanceof Error ? error.message : String(error)}`}
    >
      <div className="nh">
        <b>{id}</b>
      </div>
      <div className="nb">
        <span className="stt2">
          <Icon name="close" size={12} />
          <span>not drawn</span>
        </span>
      </div>
      <div className="nv">
        <button type="button" className="lk nodrag" onClick={onRetry}>
          Try again
        </button>
      </div>
      <FarPorts ports={data.ports} />
    </div>
  );
}

function FarNode({ id, data, selected }: NodeProps<GraphFlowNode>): ReactElement {
  const { device } = data.node;
  const colour = useCluster((state) =>
    taskColourVar(device === "" ? undefined : state.taskForDevice(device)),
  );
  const wrong = useDocument((state) => state.problems.has(id));
  const warned = useKernels((state) => state.missing.nodes.has(id));
  const classes = ["node", "far"];
  if (device === "") classes.push("auto");
  if (selected) classes.push("sel");
  if (wrong) classes.push("badn");
  else if (warned) classes.push("warnn");
  return (
    <div
      className={classes.join(" ")}
      style={{ "--c": colour } as CSSProperties}
      title={`${id} (${data.node.op})`}
    >
      <b>{data.title}</b>
      <FarPorts ports={data.ports} />
    </div>
  );
}

/**
 * React Flow reads the positions of ports from the DOM; without them the edges would disappear. Nothing here is
 * visible.
 */
const FarPorts = memo(function FarPorts({ ports }: { ports: GraphFlowNode["data"]["ports"] }): ReactElement {
  const mark = (id: string, type: "source" | "target", y: number) => (
    <i
      key={id}
      className={`far-port ${type}`}
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

function NearNode({ id, data, selected }: NodeProps<GraphFlowNode>): ReactElement {
  const { node, ports, title } = data;
  const status = useNodeStatus(node);
  const task = useCluster((state) => (node.device === "" ? undefined : state.taskForDevice(node.device)));
  const classes = ["node"];
  if (node.device === "") classes.push("auto");
  if (selected) classes.push("sel");
  if (status.problem) classes.push("badn");
  else if (status.warning) classes.push("warnn");
  if (status.stale) classes.push("stale");
  return (
    <div
      className={classes.join(" ")}
      style={{ "--c": taskColourVar(task) } as CSSProperties}
      title={status.tooltip}
    >
      <div className="nh">
        <b>{title}</b>
        <span>{node.op}</span>
      </div>
      <div className="nb">
        <span className="chip">
          <i className={status.absent ? "absent" : task && isStriped(task) ? "striped" : undefined} />
          <span>{status.chip}</span>
        </span>
        <span className="tm">{status.device}</span>
      </div>
      <div className="nv">
        {status.problem ? (
          <span className="stt2">
            <Icon name="close" size={12} />
            <span>{status.problem}</span>
          </span>
        ) : status.warning && status.tone !== "result" ? (
          <span className="stt2 warn">
            <Icon name="warning" size={12} />
            <span>{status.warning}</span>
          </span>
        ) : (
          <span className={`val ${status.tone}${selected && status.hero ? " hero" : ""}`}>
            {status.value}
          </span>
        )}
        {status.problem ? null : <span className="tm">{status.time}</span>}
      </div>
      <Ports id={id} data={data} />
      {ports.grow ? <GrowPort id={id} port={ports.grow} index={ports.inputs.length} /> : null}
    </div>
  );
}

const Ports = memo(function Ports({ id, data }: { id: string; data: GraphFlowNode["data"] }): ReactElement {
  const { ports, controlIn, controlOut } = data;
  return (
    <>
      <PortHandle
        node={id}
        port={CONTROL_IN}
        side="in"
        y={CONTROL_PORT_Y}
        kind={controlIn ? "ctrl used" : "ctrl"}
      />
      <PortHandle
        node={id}
        port={CONTROL_OUT}
        side="out"
        y={CONTROL_PORT_Y}
        kind={controlOut ? "ctrl used" : "ctrl"}
      />
      {ports.inputs.map((port, index) => (
        <PortHandle key={port.id} node={id} port={port} side="in" y={portY(index)} kind={port.shape} />
      ))}
      {ports.outputs.map((port, index) => (
        <PortHandle key={port.id} node={id} port={port} side="out" y={portY(index)} kind={port.shape} />
      ))}
    </>
  );
});

const CONTROL_IN = { id: "control-in", label: "runs after" } as const;
const CONTROL_OUT = { id: "control-out", label: "runs before" } as const;

interface PortHandleProps {
  readonly node: string;
  readonly port: Pick<Port, "id" | "label">;
  readonly side: "in" | "out";
  readonly y: number;
  readonly kind: string;
}

const PortHandle = memo(function PortHandle({ node, port, side, y, kind }: PortHandleProps): ReactElement {
  const refusal = usePortRefusal(node, port.id, side);
  const state = refusal === undefined ? "" : refusal === "" ? " fits" : " unfit";
  return (
    <Handle
      id={port.id}
      type={side === "in" ? "target" : "source"}
      position={side === "in" ? Position.Left : Position.Right}
      className={`port ${side} ${kind}${state}`}
      style={{ top: y }}
      title={refusal ? `${port.label}: ${refusal}` : port.label}
    />
  );
});

function GrowPort({ id, port, index }: { id: string; port: Port; index: number }): ReactElement {
  return <PortHandle node={id} port={port} side="in" y={portY(index)} kind="grow" />;
}

/** While an edge is dragged: "" where it may end, the reason where it may not. Otherwise undefined. */
function usePortRefusal(node: string, portId: string, side: "in" | "out"): string | undefined {
  const pulling = useCanvas((state) => state.pulling);
  const document = useDocument((state) => (pulling ? state.document : undefined));
  if (!pulling || !document) return undefined;
  if (pulling.type === "output") {
    if (side === "out")
      return pulling.end.node === node ? undefined : "an edge goes from an output to an input.";
    return whyNotConnect(document, lookupOp, pulling.end, inputEnd(node, portId)) ?? "";
  }
  if (side === "in")
    return pulling.end.node === node ? undefined : "an edge goes from an output to an input.";
  return whyNotConnect(document, lookupOp, outputEnd(node, portId), pulling.end) ?? "";
}
