import { type ReactElement, useState } from "react";
import type { ClusterState } from "../../main/api/cluster.js";
import {
  type PythonScriptInput,
  type PythonScriptKind,
  pythonScript,
  pythonScriptProblem,
} from "../../worker-runtime/cluster/python-scripts.js";
import { runningCluster } from "../cluster/running-cluster.js";
import { useCluster } from "../stores/cluster-store.js";
import { uiActions } from "../stores/ui-store.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { CopyButton } from "../ui/copy-button.js";
import { Dialog } from "../ui/dialog.js";
import { EmptyText } from "../ui/empty-text.js";
import { Segmented } from "../ui/segmented.js";
import textStyles from "../ui/text.module.css";
import styles from "./text-view.module.css";

const KINDS: readonly { readonly id: PythonScriptKind; readonly label: string; readonly text: string }[] = [
  {
    id: "session",
    label: "Session with ClusterSpec",
    text: "A TensorFlow 1 session that names the cluster's tasks itself. A task that is added later has to be written into it.",
  },
  {
    id: "gateway",
    label: "Session through the gateway",
    text: "Any script as it is: the gateway adds the cluster as it is at that moment, so the script stays the same while the cluster grows.",
  },
  {
    id: "tf-config",
    label: "TF_CONFIG",
    text: "What a script finds in its environment when it is one of the cluster's tasks.",
  },
  {
    id: "coordinator",
    label: "TensorFlow 2 coordinator",
    text: "ParameterServerStrategy: the script coordinates, ps tasks hold the variables, workers compute.",
  },
];

/** Scripts to copy that connect to the current cluster. */
export function PythonDialog(): ReactElement | null {
  const state = useCluster((store) => store.state);
  const [kind, setKind] = useState<PythonScriptKind>("session");
  if (!state) return null;
  const chosen = KINDS.find(({ id }) => id === kind);
  const input = inputOf(state);
  const problem = input ? pythonScriptProblem(kind, input) : "The cluster has no running task yet.";
  const text = input && !problem ? pythonScript(kind, input) : undefined;
  return (
    <Dialog
      title="Use from Python"
      width="wide"
      onClose={uiActions.close}
      footer={
        <>
          <span className={classNames(textStyles.muted, textStyles.grow)}>
            {state.access === "secure"
              ? "Runs on this machine and on every machine of the cluster: tunnels carry the connections."
              : "Runs on any machine that reaches the tasks."}
          </span>
          <Button variant="primary" onClick={uiActions.close}>
            Close
          </Button>
        </>
      }
    >
      <div className={styles.view}>
        <div className={styles.kinds}>
          <Segmented label="Kind of script" options={KINDS} selected={kind} onSelect={(id) => setKind(id)} />
          <span className={textStyles.grow} />
          {text ? <CopyButton text={text} /> : null}
        </div>
        <p>{chosen?.text}</p>
        {text ? <pre className={textStyles.monospace}>{text}</pre> : <EmptyText>{problem}</EmptyText>}
      </div>
    </Dialog>
  );
}

function inputOf(state: ClusterState): PythonScriptInput | undefined {
  const running = runningCluster(state);
  if (!running) return undefined;
  const { gateway } = state;
  return {
    cluster: running.spec,
    master: running.master,
    ...(gateway && !gateway.problem ? { gatewayTarget: gateway.target } : {}),
  };
}
