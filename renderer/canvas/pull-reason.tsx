/** Shows beside the pointer why the port under a dragged edge does not accept it. */
import { useConnection } from "@xyflow/react";
import type { ReactElement } from "react";
import { whyNotConnect } from "../document/edits/connect.js";
import { lookupOp, useGraph } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { inputEnd, outputEnd } from "../viewport/ports.js";
import { useCanvas } from "../viewport/view-store.js";
import styles from "./pull-reason.module.css";

const words = texts.canvas.pullReason;

export function PullReason(): ReactElement | null {
  const pulling = useCanvas((state) => state.pulling);
  return pulling ? <Reason /> : null;
}

function Reason(): ReactElement | null {
  const held = useCanvas((state) => state.pulling);
  const flow = useCanvas((state) => state.flow);
  const connection = useConnection();
  const { toHandle, to, isValid } = connection;
  if (!held || !toHandle?.id || isValid || !to || !flow) return null;
  if (toHandle.nodeId === held.end.node) return null;
  const { document: graph } = useGraph.getState();
  const reason =
    toHandle.type === (held.type === "output" ? "source" : "target")
      ? words.reason
      : held.type === "output"
        ? whyNotConnect(graph, lookupOp, held.end, inputEnd(toHandle.nodeId, toHandle.id))
        : whyNotConnect(graph, lookupOp, outputEnd(toHandle.nodeId, toHandle.id), held.end);
  if (!reason) return null;
  const frame = document.querySelector("[data-canvas]")?.getBoundingClientRect();
  const at = flow.flowToScreenPosition(to);
  return (
    <div
      className={styles.reason}
      role="status"
      style={{ left: at.x - (frame?.left ?? 0) + 14, top: at.y - (frame?.top ?? 0) + 14 }}
    >
      {reason}
    </div>
  );
}
