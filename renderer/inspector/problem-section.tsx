import type { ReactElement } from "react";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { NodeProblems, useNodeTrouble } from "../parts/node-problems.js";
import { Section } from "../parts/section.js";

/** The problem that keeps the node from running, why, and what to do. */
export function ProblemSection({ node }: { node: NodeDef }): ReactElement | null {
  const trouble = useNodeTrouble(node);
  return trouble ? (
    <Section>
      <NodeProblems node={node} trouble={trouble} />
    </Section>
  ) : null;
}
