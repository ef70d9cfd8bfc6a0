/** The panel's small forms as dialogs, for menus and the palette. */
import type { ReactElement } from "react";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Dialog, DialogBody } from "../ui/dialog.js";
import { AddMachineForm } from "./add-address-forms.js";
import { AddTasksForm } from "./add-tasks-form.js";

const words = texts.clusterPanel.addDialogs;

export function AddTasksDialog({ machineId }: { readonly machineId: string }): ReactElement {
  return (
    <Dialog title={words.addTasks} icon="plus" onClose={uiActions.close}>
      <DialogBody>
        <AddTasksForm machineId={machineId} onDone={uiActions.close} />
      </DialogBody>
    </Dialog>
  );
}

export function AddMachineDialog(): ReactElement {
  return (
    <Dialog title={words.addMachineByAddress} icon="plus" onClose={uiActions.close}>
      <DialogBody>
        <AddMachineForm onDone={uiActions.close} />
      </DialogBody>
    </Dialog>
  );
}
