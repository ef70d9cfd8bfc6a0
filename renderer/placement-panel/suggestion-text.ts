/** The texts of a suggested placement. */
import type { StepSources } from "../placement/document-step.js";
import type { Suggestion } from "../stores/placement-store.js";
import { countText, listText, numberText } from "../ui/format.js";

/** What the expected times are based on. */
export function sourceText(sources: StepSources, step: number | undefined): string {
  const { nodes, measuredNodes, unknownSizes, links, measuredLinks } = sources;
  const from = step === undefined ? "a traced run before the last edit" : `step ${numberText(step)}`;
  const parts = [
    measuredNodes === 0
      ? `Times of ${countText(nodes, "node")} estimated from shapes`
      : measuredNodes === nodes
        ? `Times of all ${countText(nodes, "node")} from ${from}`
        : `Times of ${numberText(measuredNodes)} of ${countText(nodes, "node")} from ${from}, others estimated`,
    measuredLinks === 0
      ? "connections assumed"
      : measuredLinks < links
        ? "some connections assumed"
        : "connections measured",
  ];
  const unknown =
    unknownSizes === 0
      ? ""
      : ` The size of ${countText(unknownSizes, "tensor")} is not known; a traced run tells it.`;
  return `${parts.join("; ")}.${unknown}`;
}

/** What else would be the case afterwards. */
export function warningsOf({ step, assignment, moves, skipped }: Suggestion): string[] {
  const { tasks, problem } = step;
  const used = new Set(assignment);
  const emptied = [...new Set(step.start)]
    .filter((task) => !used.has(task))
    .map((task) => tasks[task]?.engine.name ?? "");
  const down = [...used]
    .filter((task) => tasks[task]?.engine.isUp === false)
    .map((task) => tasks[task]?.engine.name ?? "");
  const warnings: string[] = [];
  if (emptied.length > 0) warnings.push(`${listText(emptied)} would run nothing of this step.`);
  if (down.length > 0) warnings.push(`${listText(down)} must be started before a run.`);
  if (skipped.size < moves.length) {
    warnings.push("Nodes of the step without a pin are pinned where they are, so that they stay there.");
  }
  if (problem.processorOf.some((processor, task) => processor !== task)) {
    warnings.push("Tasks that share the cores of a machine are expected to compute in turn.");
  }
  return warnings;
}
