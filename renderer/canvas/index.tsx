import { ReactFlowProvider } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import type { ReactElement } from "react";
import { useActiveSession } from "../stores/document-session.js";
import "./canvas.css";
import "../parts/graph-marks.css";
import { GraphView } from "./graph-view.js";

/** The graph. Fills its parent. */
export function Canvas(): ReactElement {
  const { id } = useActiveSession();
  return (
    <ReactFlowProvider key={id}>
      <GraphView />
    </ReactFlowProvider>
  );
}
