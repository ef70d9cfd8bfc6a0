import type { ReactElement } from "react";
import { taskNameOfDevice } from "../cluster/task-name.js";
import type { AnyCommand } from "../commands/command.js";
import { outOfFunctionCommands } from "../commands/function-commands.js";
import { nodesCommands } from "../commands/node-commands.js";
import { runCommands } from "../commands/run-commands.js";
import { parseTensorName } from "../document/tensor-names.js";
import { useRunPlan } from "../parts/use-run-plan.js";
import { useGraph } from "../stores/document-store.js";
import { useShownFunction } from "../stores/function-bodies.js";
import { isActive, useGraphRun } from "../stores/run-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { listText } from "../ui/format.js";
import { shortcutText } from "../ui/shortcut.js";
import styles from "./hint.module.css";

const words = texts.canvas.hint;

/** One line at the bottom: why the last edit was refused, otherwise what to do next. */
export function Hint(): ReactElement | null {
  const refusal = useGraph((state) => state.refusal);
  const revision = useGraph((state) => state.revision);
  const hasProblems = useGraph((state) => state.problems.size > 0);
  const run = useGraphRun((state) => state.latest);
  const fresh = useGraphRun((state) => state.runRevision === revision);
  const plan = useRunPlan();
  const shownFunction = useShownFunction();
  if (refusal) {
    return (
      <div className={classNames(styles.hint, styles.refusal)} role="status">
        {refusal}
      </div>
    );
  }
  if (shownFunction !== undefined) {
    return (
      <div className={styles.hint}>
        {words.editsOfFunction({ name: shownFunction })}
        <Keys of={outOfFunctionCommands.leave} />
      </div>
    );
  }
  if (isActive(run)) return null;
  if (run === undefined) {
    if (hasProblems || plan === undefined) return null;
    const { blocker, fetches } = plan;
    return blocker ? (
      <div className={styles.hint}>{blocker.remedy ?? blocker.message}</div>
    ) : (
      <div className={styles.hint}>
        {words.pressRun({ wanted: wantedText(fetches) })}
        <Keys of={runCommands.once} />
      </div>
    );
  }
  if (run.withoutSavedValues && run.state === "done") {
    return (
      <div className={classNames(styles.hint, styles.refusal)} role="status">
        {words.withoutValues}
      </div>
    );
  }
  const devices = new Set(run.nodes.map(({ device }) => device));
  const tasks = new Set([...devices].flatMap((device) => taskNameOfDevice(device) ?? [])).size;
  const ran = fresh && run.state === "done" && tasks > 0;
  return (
    <div className={styles.hint}>
      {ran ? words.ranAndPinNow({ count: tasks }) : words.pinNow}
      <Keys of={nodesCommands.pin} />
    </div>
  );
}

function Keys({ of: { shortcut } }: { readonly of: AnyCommand }): ReactElement | null {
  return shortcut === undefined ? null : <kbd>{shortcutText(shortcut)}</kbd>;
}

/** "z", "z and w", "3 results". */
function wantedText(fetches: readonly string[]): string {
  const names = fetches.map((name) => parseTensorName(name).node);
  if (names.length === 0) return words.theGraph;
  return names.length <= 2 ? listText(names) : words.results({ count: names.length });
}
