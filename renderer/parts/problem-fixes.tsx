import { type ReactElement, useMemo } from "react";
import { DTYPES_DIFFER, type NodeProblem, SHAPES_DIFFER } from "../document/problems.js";
import { shapeFixes } from "../document/shape-fixes.js";
import { documentActions, lookupOp, useGraph } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { goToNodeIn } from "../viewport/travel.js";

const words = texts.parts.problemFixes;

/** Buttons that each fix a problem of the graph with one undoable edit; nothing for problems without a fix. */
export function ProblemFixes({ problem }: { readonly problem: NodeProblem }): ReactElement | null {
  const { input, node, short, within } = problem;
  if (within) return <ProblemJump within={within} />;
  if (short === SHAPES_DIFFER) return <ShapeFixes node={node} />;
  if (short !== DTYPES_DIFFER || input === undefined) return null;
  return (
    <Button size="small" onClick={() => documentActions.insertCast(node, input)}>
      {words.insertCast}
    </Button>
  );
}

/** A button that leads to the node of a function where a problem of its call is. */
export function ProblemJump({
  within,
}: {
  readonly within: NonNullable<NodeProblem["within"]>;
}): ReactElement {
  return (
    <Button size="small" onClick={() => goToNodeIn(within.function, within.node)}>
      {texts.functionCalls.openAt(within)}
    </Button>
  );
}

function ShapeFixes({ node }: { readonly node: string }): ReactElement {
  const nodes = useGraph((state) => state.document.nodes);
  const shapes = useGraph((state) => state.shapes);
  const fixes = useMemo(() => {
    const consumer = nodes.get(node);
    return consumer ? shapeFixes(consumer, nodes, lookupOp, shapes) : [];
  }, [node, nodes, shapes]);
  return (
    <>
      {fixes.map((fix) => (
        <Button key={fix.label} size="small" onClick={() => documentActions.fixShape(node, fix)}>
          {fix.label}
        </Button>
      ))}
    </>
  );
}
