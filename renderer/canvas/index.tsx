import { ReactFlowProvider } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import type { ReactElement } from "react";
import "./canvas.css";
import "../parts/graph-marks.css";
import { GraphView } from "./graph-view.js";

/** The graph. Fills its parent. */
export function Canvas(): ReactElement {
  return (
    <ReactFlowProvider>
      <GraphView />
    </ReactFlowProvider>
  );
}
