import { type FormEvent, type ReactElement, useState } from "react";
import { attempt, useApp } from "../stores/app-store.js";
import { changeSettings, useSettings } from "../stores/settings-store.js";
import { uiActions } from "../stores/ui-store.js";
import { changeLanguage, keptLanguage, languageChoices } from "../texts/language.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { Dialog, DialogBody, DialogFooter } from "../ui/dialog.js";
import { FieldLabel } from "../ui/field-label.js";
import textStyles from "../ui/text.module.css";
import { SelectInput, TextArea, TextInput } from "../ui/text-input.js";
import styles from "./settings-dialog.module.css";

const words = texts.dialogs.settingsDialog;

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
  const [language, setLanguage] = useState(keptLanguage);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    uiActions.close();
    const graphFolders = folders
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
    attempt(async () => {
      await changeSettings({
        machineName: name.trim(),
        visible,
        stopPsWithLastWorker: stopPs,
        allowExposedTasks: allowExposed,
        graphFolders,
      });
      if (language !== keptLanguage()) changeLanguage(language);
    });
  };
  return (
    <Dialog title={words.title} onClose={uiActions.close}>
      <form onSubmit={submit} style={{ display: "contents" }}>
        <DialogBody className={styles.settings}>
          <FieldLabel>
            <span>{words.name.label}</span>
            <TextInput
              value={name}
              maxLength={LONGEST_NAME}
              placeholder={hostname}
              spellCheck={false}
              onChange={(event) => setName(event.target.value)}
            />
          </FieldLabel>
          <p className={textStyles.muted}>
            {hostname ? words.name.noteWithHost({ hostname }) : words.name.note}
          </p>
          <Choice
            label={words.visible.label}
            note={words.visible.note}
            checked={visible}
            onChange={setVisible}
          />
          <Choice
            label={words.exposed.label}
            note={words.exposed.note}
            checked={allowExposed}
            onChange={setAllowExposed}
          />
          <Choice label={words.stopPs.label} note={words.stopPs.note} checked={stopPs} onChange={setStopPs} />
          <FieldLabel>
            <span>{words.folders.label}</span>
            <TextArea
              monospace
              rows={2}
              value={folders}
              spellCheck={false}
              onChange={(event) => setFolders(event.target.value)}
            />
          </FieldLabel>
          <p className={textStyles.muted}>{words.folders.note}</p>
          <LanguageField value={language} onChange={setLanguage} />
        </DialogBody>
        <DialogFooter>
          <span className={textStyles.grow} />
          <Button onClick={uiActions.close}>{texts.common.cancel}</Button>
          <Button type="submit" variant="primary">
            {words.save}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

interface LanguageFieldProps {
  /** The tag of a language; undefined: the system's. */
  readonly value: string | undefined;
  onChange(tag: string | undefined): void;
}

/** Nothing while the window has only one language. */
function LanguageField({ value, onChange }: LanguageFieldProps): ReactElement | null {
  const choices = languageChoices();
  if (choices.length < 2) return null;
  return (
    <FieldLabel>
      <span>{words.language.label}</span>
      <SelectInput value={value ?? ""} onChange={({ target }) => onChange(target.value || undefined)}>
        <option value="">{words.language.system}</option>
        {choices.map(([tag, ownName]) => (
          <option key={tag} value={tag} lang={tag}>
            {ownName}
          </option>
        ))}
      </SelectInput>
    </FieldLabel>
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
