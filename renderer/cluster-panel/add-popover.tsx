import { Popover } from "radix-ui";
import { type ReactElement, useState } from "react";
import { texts } from "../texts/texts.js";
import { PlainIconButton } from "../ui/icon-button.js";
import { PopoverPanel } from "../ui/popover-panel.js";
import { Segmented } from "../ui/segmented.js";
import { AddMachineForm, AddServerForm } from "./add-address-forms.js";
import styles from "./add-popover.module.css";
import { AddTasksForm } from "./add-tasks-form.js";

const words = texts.clusterPanel.addPopover;

const KINDS = [
  { id: "tasks", label: words.tabs.tasks },
  { id: "machine", label: words.tabs.machine },
  { id: "server", label: words.tabs.server },
] as const;
const LABEL = words.label;

type Kind = (typeof KINDS)[number]["id"];

/** The plus of the cluster panel: small forms for tasks, for a machine by address, for a server that runs already. */
export function AddPopover(): ReactElement {
  const [open, setOpen] = useState(false);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <PlainIconButton icon="plus" label={LABEL} title={LABEL} />
      </Popover.Trigger>
      <Popover.Portal>
        <PopoverPanel
          label={LABEL}
          className={styles.popover}
          align="start"
          side="bottom"
          sideOffset={4}
          collisionPadding={8}
        >
          <AddForms onDone={() => setOpen(false)} />
        </PopoverPanel>
      </Popover.Portal>
    </Popover.Root>
  );
}

function AddForms({ onDone }: { onDone(): void }): ReactElement {
  const [kind, setKind] = useState<Kind>("tasks");
  return (
    <>
      <div className={styles.kinds}>
        <Segmented
          label={words.whatToAdd}
          options={KINDS}
          selected={kind}
          size="wide"
          onSelect={(id) => setKind(id)}
        />
      </div>
      {kind === "tasks" ? <AddTasksForm onDone={onDone} /> : null}
      {kind === "machine" ? <AddMachineForm onDone={onDone} /> : null}
      {kind === "server" ? <AddServerForm onDone={onDone} /> : null}
    </>
  );
}
