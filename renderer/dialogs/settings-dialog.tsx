import { type FormEvent, type ReactElement, useState } from "react";
import { attempt, useApp } from "../stores/app-store.js";
import { changeSettings, useSettings } from "../stores/settings-store.js";
import { uiActions } from "../stores/ui-store.js";
import { Button } from "../ui/button.js";
import { Dialog, DialogBody, DialogFooter } from "../ui/dialog.js";
import { FieldLabel } from "../ui/field-label.js";
import textStyles from "../ui/text.module.css";
import { TextArea, TextInput } from "../ui/text-input.js";
import styles from "./settings-dialog.module.css";

const LONGEST_NAME = 63;

/** The settings of this installation. */
export function SettingsDialog(): ReactElement {
  const settings = useSettings((store) => store.settings);
  const hostname = useApp((store) => store.info?.hostname ?? "");
  const [name, setName] = useState(settings.machineName);
  const [visible, setVisible] = useState(settings.visible);
  const [stopPs, setStopPs] = useState(settings.stopPsWithLastWorker);
  const [allowExposed, setAllowExposed] = useState(settings.allowExposedTasks);
  const [folders, setFolders] = useState(settings.graphFolders.join("\n"));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    uiActions.close();
    const graphFolders = folders
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
    attempt(() =>
      changeSettings({
        machineName: name.trim(),
        visible,
        stopPsWithLastWorker: stopPs,
        allowExposedTasks: allowExposed,
        graphFolders,
      }),
    );
  };
  return (
    <Dialog title="Settings" onClose={uiActions.close}>
      <form onSubmit={submit} style={{ display: "contents" }}>
        <DialogBody className={styles.settings}>
          <FieldLabel>
            <span>Name of this machine</span>
            <TextInput
              value={name}
              maxLength={LONGEST_NAME}
              placeholder={hostname}
              spellCheck={false}
              onChange={(event) => setName(event.target.value)}
            />
          </FieldLabel>
          <p className={textStyles.muted}>
            How other machines list it. Empty: its host name{hostname ? `, ${hostname}` : ""}.
          </p>
          <Choice
            label="Visible on this network"
            note="Other machines running Tensordeck find this one, and paired ones connect to it. An unpaired machine gets no answer except to a pairing request."
            checked={visible}
            onChange={setVisible}
          />
          <Choice
            label="Let other machines start tasks that the network reaches"
            note="For paired machines with the role run: tasks of their open clusters, and TensorFlow tasks that cannot be isolated. Anyone on the network can then use such a task, and thus the files of your account, without signing in. Switching this off stops them."
            checked={allowExposed}
            onChange={setAllowExposed}
          />
          <Choice
            label="Stop ps tasks with the last worker"
            note="When the last worker of a cluster leaves, its ps tasks stop too, and their variables are lost."
            checked={stopPs}
            onChange={setStopPs}
          />
          <FieldLabel>
            <span>Folders that graphs may use</span>
            <TextArea
              monospace
              rows={2}
              value={folders}
              spellCheck={false}
              onChange={(event) => setFolders(event.target.value)}
            />
          </FieldLabel>
          <p className={textStyles.muted}>
            One full path per line. Graphs on the portable engine can read and write files, such as
            checkpoints, only here; this applies to tasks started from now on. With TensorFlow's engine a
            graph can use every file of your account.
          </p>
        </DialogBody>
        <DialogFooter>
          <span className={textStyles.grow} />
          <Button onClick={uiActions.close}>Cancel</Button>
          <Button type="submit" variant="primary">
            Save
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly note: string;
  readonly checked: boolean;
  onChange(checked: boolean): void;
}

function Choice({ label, note, checked, onChange }: ChoiceProps): ReactElement {
  return (
    <label className={styles.choice}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span>
        {label}
        <span className={styles.note}>{note}</span>
      </span>
    </label>
  );
}
