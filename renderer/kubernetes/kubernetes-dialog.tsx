import type { ReactElement } from "react";
import { clusterCommands, kubernetesCommands } from "../commands/cluster-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { ProblemView } from "../parts/problem-view.js";
import { useKubernetes } from "../stores/kubernetes-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { Dialog, DialogBody } from "../ui/dialog.js";
import { EmptyText } from "../ui/empty-text.js";
import textStyles from "../ui/text.module.css";
import { ClusterView } from "./cluster-view.js";
import { ConnectForm } from "./connect-form.js";

const words = texts.kubernetes.kubernetesDialog;

/** The connection to a namespace of Kubernetes, and the clusters there. */
export default function KubernetesDialog({
  kubeconfig,
}: {
  readonly kubeconfig?: string | undefined;
}): ReactElement {
  const { connection, clusters, problem, measuresLoad = true } = useKubernetes();
  if (connection === undefined) {
    return (
      <Dialog title={words.title} onClose={uiActions.close}>
        <ConnectForm key={kubeconfig} given={kubeconfig} />
      </Dialog>
    );
  }
  return (
    <Dialog
      title={words.title}
      width="table"
      onClose={uiActions.close}
      footer={
        <>
          <span className={textStyles.grow}>{words.connected(connection)}</span>
          <CommandButton command={kubernetesCommands.disconnect} />
          <Button onClick={() => void clusterCommands.export.now().run()}>{words.export}</Button>
          <Button variant="primary" onClick={uiActions.close}>
            {texts.common.close}
          </Button>
        </>
      }
    >
      <DialogBody>
        {problem ? <ProblemView problem={problem} kind="notice" /> : null}
        {clusters.map((cluster) => (
          <ClusterView key={cluster.name} cluster={cluster} />
        ))}
        {clusters.length === 0 ? <EmptyText>{words.noCluster}</EmptyText> : null}
        {clusters.length > 0 && !measuresLoad ? <p className={textStyles.muted}>{words.noLoad}</p> : null}
      </DialogBody>
    </Dialog>
  );
}
