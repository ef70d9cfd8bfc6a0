import type { ReactElement } from "react";
import { nodesCommands } from "../commands/node-commands.js";
import { nodesText } from "../document/edits/types.js";
import { CommandButton } from "../parts/command-button.js";
import { ProblemView } from "../parts/problem-view.js";
import type { PinProblem } from "../placement/pin-problems.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import textStyles from "../ui/text.module.css";
import { selectInGraph } from "../viewport/travel.js";
import { fitGraph } from "../viewport/view.js";

const words = texts.dock.pinProblemRow;

/** A row of the list of problems: nodes that cannot be where they are pinned. */
export function PinProblemRow({ found }: { readonly found: PinProblem }): ReactElement {
  const { where, nodes, problem } = found;
  return (
    <>
      <span className={classNames(textStyles.muted, textStyles.truncated)}>{where}</span>
      <ProblemView problem={problem} kind="notice">
        <CommandButton command={nodesCommands.unpin} target={nodes} text="named" size="small" />
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
