/** The panel's small forms as dialogs, for menus and the palette. */
import type { ReactElement } from "react";
import { uiActions } from "../stores/ui-store.js";
import { Dialog } from "../ui/dialog.js";
import { AddMachineForm } from "./add-address-forms.js";
import { AddTasksForm } from "./add-tasks-form.js";

export function AddTasksDialog({ machineId }: { readonly machineId: string }): ReactElement {
  return (
    <Dialog title="Add tasks" icon="plus" onClose={uiActions.close}>
      <div className="dlg-body">
        <AddTasksForm machineId={machineId} onDone={uiActions.close} />
      </div>
    </Dialog>
  );
}

export function AddMachineDialog(): ReactElement {
  return (
    <Dialog title="Add a machine by address" icon="plus" onClose={uiActions.close}>
      <div className="dlg-body">
        <AddMachineForm onDone={uiActions.close} />
      </div>
    </Dialog>
  );
}
