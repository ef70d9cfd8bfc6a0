/** The document's nodes in React Flow's form. Sizes and ports are set, so nothing has to be measured. */
import { type Node, type NodeHandle, Position } from "@xyflow/react";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { GraphDocument, Point } from "../document/model.js";
import { CONTROL_PORT_Y, nodeWidth, portY } from "../document/node-size.js";
import type { Scope } from "../document/scope-tree.js";
import type { OpLookup } from "../document/signature.js";
import { wiringOf } from "../document/wiring.js";
import { texts } from "../texts/texts.js";
import { usedOutputs } from "../viewport/graph-map.js";
import { nodeTitle, opTitle } from "../viewport/node-text.js";
import { type Ports, portsOf } from "../viewport/ports.js";

export interface GraphNodeData extends Record<string, unknown> {
  readonly node: NodeDef;
  readonly ports: Ports;
  readonly title: string;
  readonly controlIn: boolean;
  readonly controlOut: boolean;
}
export type GraphFlowNode = Node<GraphNodeData, "graph">;

export interface ScopeNodeData extends Record<string, unknown> {
  /** A closed scope, or the frame of an open one. Not types of React Flow, which measures a node whose type changes. */
  readonly kind: "box" | "frame";
  readonly scope: Scope;
}
export type ScopeFlowNode = Node<ScopeNodeData, "scope">;

/** A node of React Flow's. */
export type CanvasNode = GraphFlowNode | ScopeFlowNode;

export function isGraphNode(node: CanvasNode): node is GraphFlowNode {
  return node.type === "graph";
}

/** Its name for a screen reader, in place of React Flow's own word. */
const AS_NODE = { "aria-roledescription": texts.canvas.flowNodes.node };

/** Sizes of ports in pixels, as in the style sheet. */
const PORT_SIZE = 9;
const CONTROL_PORT_SIZE = 7;

/**
 * Unchanged nodes are the same objects as before, so React Flow and React skip them.
 *
 * @param shown the nodes that React Flow is to know; left out: all
 * @param origin the point of the graph that is zero for React Flow
 * @param titleOf what stands in the head of a node
 */
export function flowNodes(
  document: GraphDocument,
  lookup: OpLookup,
  selection: ReadonlySet<string>,
  before: ReadonlyMap<string, GraphFlowNode>,
  shown: Iterable<NodeDef> = document.nodes.values(),
  origin: Point = { x: 0, y: 0 },
  titleOf: (node: NodeDef) => string = nodeTitle,
): GraphFlowNode[] {
  const { outgoing, incoming } = wiringOf(document.nodes);
  const result: GraphFlowNode[] = [];
  for (const node of shown) {
    const place = document.layout.get(node.name) ?? { x: 0, y: 0 };
    const position = { x: place.x - origin.x, y: place.y - origin.y };
    const selected = selection.has(node.name);
    const known = before.get(node.name);
    const out = outgoing.get(node.name) ?? [];
    const controlOut = out.some(({ output }) => output < 0);
    const controlIn = (incoming.get(node.name) ?? []).some(({ output }) => output < 0);
    const ports = portsOf(node, lookup, usedOutputs(out));
    const title = titleOf(node);
    const sameData =
      known?.data.node === node &&
      known.data.title === title &&
      known.data.controlOut === controlOut &&
      known.data.controlIn === controlIn &&
      known.height === ports.height &&
      known.data.ports.outputs.length === ports.outputs.length &&
      known.data.ports.inputs.every((port, index) => port.dtype === ports.inputs[index]?.dtype) &&
      known.data.ports.inputs.length === ports.inputs.length;
    if (
      known &&
      sameData &&
      known.selected === selected &&
      known.position.x === position.x &&
      known.position.y === position.y
    ) {
      result.push(known);
      continue;
    }
    const data: GraphNodeData = sameData ? known.data : { node, ports, title, controlIn, controlOut };
    const width = nodeWidth(title, opTitle(node));
    result.push({
      id: node.name,
      type: "graph",
      position,
      selected,
      data,
      width,
      height: ports.height,
      measured: { width, height: ports.height },
      handles: handlesOf(ports, width),
      ariaLabel: `${node.name}, ${opTitle(node)}`,
      domAttributes: AS_NODE,
    });
  }
  return result;
}

function handlesOf(ports: Ports, width: number): NodeHandle[] {
  const handle = (type: "source" | "target", id: string, centre: number, size: number): NodeHandle => ({
    id,
    type,
    position: type === "target" ? Position.Left : Position.Right,
    x: (type === "target" ? 0 : width) - size / 2,
    y: centre - size / 2,
    width: size,
    height: size,
  });
  const handles = [
    handle("target", "control-in", CONTROL_PORT_Y, CONTROL_PORT_SIZE),
    handle("source", "control-out", CONTROL_PORT_Y, CONTROL_PORT_SIZE),
    ...ports.inputs.map(({ id }, index) => handle("target", id, portY(index), PORT_SIZE)),
    ...ports.outputs.map(({ id }, index) => handle("source", id, portY(index), PORT_SIZE)),
  ];
  if (ports.grow) handles.push(handle("target", "grow", portY(ports.inputs.length), PORT_SIZE));
  return handles;
}
