import { type FormEvent, type ReactElement, useState } from "react";
import { attempt, useApp } from "../stores/app-store.js";
import { changeSettings, useSettings } from "../stores/settings-store.js";
import { uiActions } from "../stores/ui-store.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";

const LONGEST_NAME = 63;

/** What holds for this installation as a whole. */
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
        <div className="dlg-body settings-body">
          <label className="field">
            <span>Name of this machine</span>
            <input
              className="text-input"
              value={name}
              maxLength={LONGEST_NAME}
              placeholder={hostname}
              spellCheck={false}
              onChange={(event) => setName(event.target.value)}
            />
          </label>
          <p className="fg2">
            How other machines list it. Empty: its host name{hostname ? `, ${hostname}` : ""}.
          </p>
          <Choice
            label="Visible on this network"
            note="Other machines running Tensordeck find this one, and paired ones connect to it. Nothing but a hello answers a machine that is not paired."
            checked={visible}
            onChange={setVisible}
          />
          <Choice
            label="Let other machines start tasks that the network reaches"
            note="For paired machines with the role run: those of their open clusters, and TensorFlow's where it cannot be shut off. Everybody on the network can then use such a task without signing in, and so the files of your account. Switching this off stops them."
            checked={allowExposed}
            onChange={setAllowExposed}
          />
          <Choice
            label="Stop ps tasks with the last worker"
            note="When the last worker of a cluster leaves, its ps tasks stop too. Their variables are lost then."
            checked={stopPs}
            onChange={setStopPs}
          />
          <label className="field">
            <span>Folders that graphs may use</span>
            <textarea
              className="text-input mono"
              rows={2}
              value={folders}
              spellCheck={false}
              onChange={(event) => setFolders(event.target.value)}
            />
          </label>
          <p className="fg2">
            One whole path a line. Graphs on the portable engine read and write files here only, such as
            checkpoints; it holds for tasks started from now on. With TensorFlow's engine a graph can use
            every file of your account.
          </p>
        </div>
        <div className="dlg-foot">
          <span className="grow" />
          <Button onClick={uiActions.close}>Cancel</Button>
          <Button type="submit" variant="primary">
            Save
          </Button>
        </div>
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
    <label className="choice">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span>
        {label}
        <span className="choice-note">{note}</span>
      </span>
    </label>
  );
}
