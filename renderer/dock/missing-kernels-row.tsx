import type { ReactElement } from "react";
import { wayOut } from "../actions/kernel-actions.js";
import { nodesText } from "../document/edits/types.js";
import type { MissingOnTask } from "../kernels/missing-kernels.js";
import { ProblemView } from "../parts/problem-view.js";
import { attempt } from "../stores/app-store.js";
import { useCluster } from "../stores/cluster-store.js";
import { documentActions } from "../stores/document-store.js";
import { useRuntime } from "../stores/runtime-store.js";
import { Button } from "../ui/button.js";
import { fitGraph } from "../viewport/view.js";

/** What one task has no kernel for, all nodes together, with the way out: what stands in a row of the list of problems. */
export function MissingKernelsRow({ missing }: { readonly missing: MissingOnTask }): ReactElement {
  // The suggested fix depends on the current cluster and machine.
  useCluster((state) => state.tasks.length);
  useRuntime((state) => state.state?.offer);
  const { task, nodes, problem } = missing;
  const action = wayOut(missing);
  return (
    <>
      <span className="fg2 ell">{task.name}</span>
      <ProblemView problem={problem} kind="notice">
        {action ? (
          <Button size="small" onClick={() => attempt(() => action.run())}>
            {action.label}
          </Button>
        ) : null}
        <Button
          size="small"
          variant="ghost"
          onClick={() => {
            documentActions.select(nodes);
            fitGraph(nodes);
          }}
        >
          Select {nodesText(nodes)}
        </Button>
      </ProblemView>
    </>
  );
}
