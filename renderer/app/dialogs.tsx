import type { ReactElement, ReactNode } from "react";
import { reportError } from "../actions/report-error.js";
import { AddMachineDialog, AddTasksDialog } from "../cluster-panel/add-dialogs.js";
import { LinksDialog } from "../cluster-panel/links-dialog.js";
import { ClusterTableDialog } from "../cluster-table/cluster-table-dialog.js";
import { PythonDialog } from "../cluster-table/python-dialog.js";
import { AboutDialog } from "../dialogs/about-dialog.js";
import { AccessDialog } from "../dialogs/access-dialog.js";
import { AssignDialog } from "../dialogs/assign-dialog.js";
import { ColocateDialog } from "../dialogs/colocate-dialog.js";
import { ConfirmDialog } from "../dialogs/confirm-dialog.js";
import { DeviceDialog } from "../dialogs/device-dialog.js";
import { ExamplesDialog } from "../dialogs/examples-dialog.js";
import { FileDialog } from "../dialogs/file-dialog.js";
import { GuidesDialog } from "../dialogs/guides/guides-dialog.js";
import { InstallDialog } from "../dialogs/install-dialog.js";
import { LicencesDialog } from "../dialogs/licences-dialog.js";
import { LogDialog } from "../dialogs/log-dialog.js";
import { MachineDialog } from "../dialogs/machine-dialog.js";
import { Palette } from "../dialogs/palette.js";
import { RenameFunctionDialog } from "../dialogs/rename-function-dialog.js";
import { ScopeDialog } from "../dialogs/scope-dialog.js";
import { SettingsDialog } from "../dialogs/settings-dialog.js";
import { ShortcutsDialog } from "../dialogs/shortcuts-dialog.js";
import { StepsDialog } from "../dialogs/steps-dialog.js";
import { FirewallDialog } from "../firewall/firewall-dialog.js";
import { PairingDialog } from "../pairing/pairing-dialog.js";
import { PanelFailure } from "../parts/panel-boundary.js";
import { attempt } from "../stores/app-store.js";
import { closeFirewall } from "../stores/firewall-store.js";
import { closePairing } from "../stores/pairing-store.js";
import { uiActions, useUi } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Dialog } from "../ui/dialog.js";
import { ErrorBoundary } from "../ui/error-boundary.js";
import { preloadable } from "../ui/preloadable.js";

const words = texts.app.dialogs;

// It brings what writes and colours files of other systems.
const ExportClusterDialog = preloadable(() => import("../cluster-table/export-cluster-dialog.js"));
const KubernetesDialog = preloadable(() => import("../kubernetes/kubernetes-dialog.js"));
const ScriptDialog = preloadable(() => import("../scripts/script-dialog.js"));
// It brings the definitions of all ops, which nothing else in the window needs.
const LayerDialog = preloadable(() => import("../dialogs/layer-dialog.js"));
const MakeTrainableDialog = preloadable(() => import("../dialogs/training/make-trainable-dialog.js"));
const ExportModelDialog = preloadable(() => import("../dialogs/export-model-dialog.js"));

/** The open dialogs: the window's own, then those that the application shows in every window. */
export default function Dialogs(): ReactElement {
  const dialog = useUi((state) => state.dialog);
  return (
    <>
      <DialogBoundary onClose={uiActions.close} resetOn={dialog}>
        <OwnDialog />
      </DialogBoundary>
      <DialogBoundary onClose={closeFirewall}>
        <FirewallDialog />
      </DialogBoundary>
      <DialogBoundary onClose={closePairing}>
        <PairingDialog />
      </DialogBoundary>
    </>
  );
}

function OwnDialog(): ReactElement | null {
  const dialog = useUi((state) => state.dialog);
  switch (dialog?.kind) {
    case undefined:
      return null;
    case "palette":
      return <Palette />;
    case "examples":
      return <ExamplesDialog />;
    case "layer":
      return <LayerDialog chosen={dialog.name} />;
    case "make-trainable":
      return <MakeTrainableDialog node={dialog.node} draft={dialog.draft} />;
    case "export-model":
      return <ExportModelDialog checkpoint={dialog.checkpoint} />;
    case "shortcuts":
      return <ShortcutsDialog />;
    case "about":
      return <AboutDialog />;
    case "licences":
      return <LicencesDialog />;
    case "log":
      return <LogDialog />;
    case "guides":
      return <GuidesDialog name={dialog.name} />;
    case "custom-steps":
      return <StepsDialog />;
    case "install":
      return <InstallDialog />;
    case "cluster-table":
      return <ClusterTableDialog file={dialog.file} key={dialog.file?.name} />;
    case "kubernetes":
      return <KubernetesDialog kubeconfig={dialog.kubeconfig} />;
    case "export-cluster":
      return <ExportClusterDialog onClose={uiActions.close} />;
    case "device":
      return <DeviceDialog nodes={dialog.nodes} />;
    case "colocate":
      return <ColocateDialog nodes={dialog.nodes} />;
    case "assign":
      return <AssignDialog variable={dialog.variable} />;
    case "scope":
      return <ScopeDialog nodes={dialog.nodes} />;
    case "rename-function":
      return <RenameFunctionDialog name={dialog.name} />;
    case "python":
      return <PythonDialog />;
    case "access":
      return <AccessDialog wanted={dialog.wanted} />;
    case "settings":
      return <SettingsDialog />;
    case "links":
      return <LinksDialog />;
    case "script":
      return <ScriptDialog key={dialog.path} {...dialog} />;
    case "add-machine":
      return <AddMachineDialog />;
    case "add-tasks":
      return <AddTasksDialog machineId={dialog.machineId} />;
    case "machine":
      return <MachineDialog machineId={dialog.machineId} />;
    case "confirm":
      return <ConfirmDialog {...dialog} />;
    case "file":
      return <FileDialog {...dialog} />;
  }
}

interface DialogBoundaryProps {
  readonly resetOn?: unknown;
  readonly children: ReactNode;
  onClose(): void | Promise<void>;
}

/** A dialog that fails to render shows an error instead, which can be closed. */
function DialogBoundary({ resetOn, children, onClose }: DialogBoundaryProps): ReactElement {
  return (
    <ErrorBoundary
      resetOn={resetOn}
      onError={(error, components) => reportError(words.dialog, error, components)}
      fallback={(error, retry) => (
        <Dialog title={words.somethingWentWrong} onClose={() => attempt(onClose)}>
          <PanelFailure name={words.thisDialog} error={error} onRetry={retry} />
        </Dialog>
      )}
    >
      {children}
    </ErrorBoundary>
  );
}
