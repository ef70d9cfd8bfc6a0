/** The nodes that their task has no kernel for, counted above the graph. They do not keep anything from being run. */
import type { ReactElement } from "react";
import { showNextWithoutKernel } from "../commands/graph-commands.js";
import { useDocument } from "../stores/document-store.js";
import { useKernels } from "../stores/kernel-store.js";
import { uiActions } from "../stores/ui-store.js";
import { countText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";

export function KernelWarning(): ReactElement | null {
  const count = useKernels((state) => state.missing.nodes.size);
  const tasks = useKernels((state) => state.missing.tasks);
  const hasProblems = useDocument((state) => state.problems.size > 0);
  const [only, ...others] = tasks;
  if (!only) return null;
  const where = others.length === 0 ? only.task.name : countText(tasks.length, "task");
  return (
    <div className={`ctl tr0 warn${hasProblems ? " below" : ""}`} role="status">
      <Icon name="warning" />
      <span className="ell" title={tasks.map(({ problem }) => problem.message).join("\n")}>
        {`${countText(count, "node")} ${count === 1 ? "has" : "have"} no kernel on ${where}`}
      </span>
      <button type="button" className="lk" onClick={showNextWithoutKernel}>
        {count === 1 ? "Show" : "Next"}
      </button>
      <button type="button" className="lk" onClick={() => uiActions.showDock("problems")}>
        What to do
      </button>
    </div>
  );
}
