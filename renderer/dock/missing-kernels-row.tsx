import type { ReactElement } from "react";
import { wayOutCommands } from "../commands/kernel-commands.js";
import { nodesText } from "../document/edits/types.js";
import type { MissingOnTask } from "../kernels/missing-kernels.js";
import { CommandButton } from "../parts/command-button.js";
import { ProblemView } from "../parts/problem-view.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import textStyles from "../ui/text.module.css";
import { selectInGraph } from "../viewport/travel.js";
import { fitGraph } from "../viewport/view.js";

const words = texts.dock.missingKernelsRow;

/** A row of the list of problems: all nodes that one task has no kernel for, with the remedy. */
export function MissingKernelsRow({ missing }: { readonly missing: MissingOnTask }): ReactElement {
  const { task, nodes, problem } = missing;
  return (
    <>
      <span className={classNames(textStyles.muted, textStyles.truncated)}>{task.name}</span>
      <ProblemView problem={problem} kind="notice">
        <CommandButton command={wayOutCommands.best} target={missing} size="small" />
        <Button
          size="small"
          variant="ghost"
          onClick={() => {
            selectInGraph(nodes);
            fitGraph(nodes);
          }}
        >
          {words.selectNodes({ nodes: nodesText(nodes) })}
        </Button>
      </ProblemView>
    </>
  );
}
