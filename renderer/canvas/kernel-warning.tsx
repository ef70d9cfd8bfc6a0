/** The nodes that their task has no kernel for, counted above the graph. They do not prevent a run. */
import type { ReactElement } from "react";
import { graphCommands } from "../commands/graph-commands.js";
import { viewCommands } from "../commands/view-commands.js";
import { CommandLink } from "../parts/command-button.js";
import { useGraph } from "../stores/document-store.js";
import { useGraphKernels } from "../stores/kernel-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { Icon } from "../ui/icon.js";
import textStyles from "../ui/text.module.css";
import barStyles from "./overlay-bar.module.css";

const words = texts.canvas.kernelWarning;

export function KernelWarning(): ReactElement | null {
  const count = useGraphKernels((state) => state.missing.nodes.size);
  const tasks = useGraphKernels((state) => state.missing.tasks);
  const hasProblems = useGraph((state) => state.problems.size > 0);
  const [only, ...others] = tasks;
  if (!only) return null;
  const where = others.length === 0 ? only.task.name : words.tasks({ count: tasks.length });
  return (
    <div
      className={classNames(
        barStyles.bar,
        barStyles.topRight,
        barStyles.warning,
        hasProblems && barStyles.belowTopRight,
      )}
      role="status"
    >
      <Icon name="warning" />
      <span className={textStyles.truncated} title={tasks.map(({ problem }) => problem.message).join("\n")}>
        {words.noKernel({ count, where })}
      </span>
      <CommandLink command={graphCommands.nextWithoutKernel} />
      <CommandLink command={viewCommands.problems} />
    </div>
  );
}
