/** The texts of a suggested placement. */
import type { StepSources } from "../placement/document-step.js";
import type { Suggestion } from "../stores/placement-store.js";
import { texts } from "../texts/texts.js";
import { listText } from "../ui/format.js";

const words = texts.placementPanel.suggestionText;

/** What the expected times are based on. */
export function sourceText(sources: StepSources, step: number | undefined): string {
  const { nodes, measuredNodes, unknownSizes, links, measuredLinks } = sources;
  const run = step === undefined ? words.tracedBeforeEdit : words.tracedStep({ step });
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
  const text = `${parts.join("; ")}.`;
  return unknownSizes === 0 ? text : `${text} ${words.unknownSizes({ count: unknownSizes })}`;
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
