import { ReactFlowProvider } from "@xyflow/react";
import type { ReactElement } from "react";
import { useActiveGraph } from "../stores/document-session.js";
import { GraphView } from "./graph-view.js";

/** The graph. Fills its parent. */
export function Canvas(): ReactElement {
  const { id } = useActiveGraph();
  return (
    <ReactFlowProvider key={id}>
      <GraphView />
    </ReactFlowProvider>
  );
}
