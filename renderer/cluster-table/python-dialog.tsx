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
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { CodeField } from "../ui/code-field.js";
import { Dialog } from "../ui/dialog.js";
import { EmptyText } from "../ui/empty-text.js";
import { Segmented } from "../ui/segmented.js";
import textStyles from "../ui/text.module.css";
import styles from "./text-view.module.css";

const words = texts.clusterTable.pythonDialog;

const KINDS: readonly { readonly id: PythonScriptKind; readonly label: string; readonly text: string }[] = [
  { id: "session", ...words.kinds.session },
  { id: "gateway", ...words.kinds.gateway },
  { id: "tf-config", label: "TF_CONFIG", ...words.kinds.tfConfig },
  { id: "coordinator", ...words.kinds.coordinator },
];

/** Scripts to copy that connect to the current cluster. */
export function PythonDialog(): ReactElement | null {
  const state = useCluster((store) => store.state);
  const [kind, setKind] = useState<PythonScriptKind>("session");
  if (!state) return null;
  const chosen = KINDS.find(({ id }) => id === kind);
  const input = inputOf(state);
  const problem = input ? pythonScriptProblem(kind, input) : words.noTask;
  const text = input && !problem ? pythonScript(kind, input) : undefined;
  return (
    <Dialog
      title={words.title}
      width="wide"
      onClose={uiActions.close}
      footer={
        <>
          <span className={classNames(textStyles.muted, textStyles.grow)}>
            {state.access === "secure" ? words.runsInCluster : words.runsAnywhere}
          </span>
          <Button variant="primary" onClick={uiActions.close}>
            {texts.common.close}
          </Button>
        </>
      }
    >
      <div className={styles.view}>
        <div className={styles.kinds}>
          <Segmented label={words.kind} options={KINDS} selected={kind} onSelect={(id) => setKind(id)} />
        </div>
        <p>{chosen?.text}</p>
        {text ? (
          <div className={styles.script}>
            <CodeField text={text} label={words.script} />
          </div>
        ) : (
          <EmptyText>{problem}</EmptyText>
        )}
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
