import { Popover } from "radix-ui";
import { type ReactElement, useState } from "react";
import { Icon } from "../ui/icon.js";
import { Segmented } from "../ui/segmented.js";
import { AddMachineForm, AddServerForm } from "./add-address-forms.js";
import { AddTasksForm } from "./add-tasks-form.js";

const KINDS = [
  { id: "tasks", label: "Tasks" },
  { id: "machine", label: "Machine" },
  { id: "server", label: "TF server" },
] as const;
type Kind = (typeof KINDS)[number]["id"];

/** The plus of the cluster panel: small forms for tasks, for a machine by address, for a server that runs already. */
export function AddPopover(): ReactElement {
  const [open, setOpen] = useState(false);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <button
          type="button"
          className="ib"
          aria-label="Add tasks or a machine"
          title="Add tasks or a machine"
        >
          <Icon name="plus" />
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="menu add-tasks"
          align="start"
          side="bottom"
          sideOffset={4}
          collisionPadding={8}
        >
          <AddForms onDone={() => setOpen(false)} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function AddForms({ onDone }: { onDone(): void }): ReactElement {
  const [kind, setKind] = useState<Kind>("tasks");
  return (
    <>
      <Segmented label="What to add" options={KINDS} selected={kind} onSelect={(id) => setKind(id)} />
      {kind === "tasks" ? <AddTasksForm onDone={onDone} /> : null}
      {kind === "machine" ? <AddMachineForm onDone={onDone} /> : null}
      {kind === "server" ? <AddServerForm onDone={onDone} /> : null}
    </>
  );
}
