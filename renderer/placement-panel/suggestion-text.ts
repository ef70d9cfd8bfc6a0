/** The texts of a suggested placement. */
import type { StepSources } from "../placement/document-step.js";
import { type MeasuredStep, movedVariables, type Suggestion } from "../stores/placement-store.js";
import { texts } from "../texts/texts.js";
import { listText, stepText } from "../ui/format.js";

const words = texts.placementPanel.suggestionText;

/** The basis of the expected times. */
export function sourceText(sources: StepSources, measured: MeasuredStep | undefined): string {
  const { nodes, measuredNodes, unknownSizes, links, measuredLinks } = sources;
  const run = measured ? stepText(measured.step, measured.hasSetUp) : words.tracedBeforeEdit;
  const parts = [
    measuredNodes === 0
      ? words.allEstimated({ nodes })
      : measuredNodes === nodes
        ? words.allMeasured({ nodes, run })
        : words.someMeasured({ measured: measuredNodes, nodes, run }),
    measuredLinks === 0
      ? words.connections.none
      : measuredLinks < links
        ? words.connections.some
        : words.connections.all,
  ];
  const isTraced = measuredNodes > 0;
  return [
    `${parts.join("; ")}.`,
    ...(isTraced && measured?.hasSetUp ? [words.withSetUp] : []),
    ...(unknownSizes === 0
      ? []
      : [(isTraced ? words.unknownSizesAfterTrace : words.unknownSizes)({ count: unknownSizes })]),
  ].join(" ");
}

/** Other consequences of the suggestion. */
export function warningsOf(suggestion: Suggestion): string[] {
  const { step, assignment, moves, skipped } = suggestion;
  const { tasks, problem } = step;
  const used = new Set(assignment);
  const emptied = [...new Set(step.start)]
    .filter((task) => !used.has(task))
    .map((task) => tasks[task]?.engine.name ?? "");
  const down = [...used]
    .filter((task) => tasks[task]?.engine.isUp === false)
    .map((task) => tasks[task]?.engine.name ?? "");
  const count = movedVariables(suggestion).length;
  const warnings: string[] = [];
  if (count > 0) warnings.push(words.variables({ count }));
  if (emptied.length > 0) warnings.push(words.emptied({ tasks: listText(emptied) }));
  if (down.length > 0) warnings.push(words.down({ tasks: listText(down) }));
  if (skipped.size < moves.length) {
    warnings.push(words.pinsAll);
  }
  if (problem.processorOf.some((processor, task) => processor !== task)) {
    warnings.push(words.sharedCores);
  }
  return warnings;
}
