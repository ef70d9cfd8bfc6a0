import { type ReactElement, useEffect, useState } from "react";
import { attempt } from "../stores/app-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Dialog, DialogBody } from "../ui/dialog.js";
import { SearchField } from "../ui/search-field.js";
import { Spinner } from "../ui/spinner.js";
import textStyles from "../ui/text.module.css";
import styles from "./licences-dialog.module.css";

const words = texts.dialogs.licencesDialog;

/** One package, as build/lib/licences.mjs writes it beside the page. */
interface Licence {
  readonly name: string;
  readonly version: string;
  /** As its package says: an SPDX expression, usually. */
  readonly licence: string;
  /** Its terms; "" where the package has only the above. */
  readonly text: string;
}

/** The terms of all that Tensordeck contains. */
export function LicencesDialog(): ReactElement {
  const [licences, setLicences] = useState<readonly Licence[]>();
  const [wanted, setWanted] = useState("");
  useEffect(() => attempt(async () => setLicences(await readLicences())), []);
  const part = wanted.trim().toLowerCase();
  const shown = licences?.filter(({ name, licence }) => `${name} ${licence}`.toLowerCase().includes(part));
  return (
    <Dialog title={words.title} width="wide" onClose={uiActions.close}>
      <DialogBody className={styles.licences}>
        <p>{words.own}</p>
        <SearchField size="filling">
          <input
            type="search"
            aria-label={words.find}
            placeholder={words.find}
            value={wanted}
            onChange={({ target }) => setWanted(target.value)}
          />
          <span className={textStyles.muted}>{words.count({ count: shown?.length ?? 0 })}</span>
        </SearchField>
        {shown === undefined ? <Spinner /> : null}
        <ul>
          {shown?.map((one) => (
            <li key={`${one.name} ${one.version}`}>
              <OneLicence {...one} />
            </li>
          ))}
        </ul>
      </DialogBody>
    </Dialog>
  );
}

function OneLicence({ name, version, licence, text }: Licence): ReactElement {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span className={textStyles.grow}>
          {name} <span className={textStyles.muted}>{version}</span>
        </span>
        <span className={textStyles.muted}>{licence}</span>
      </summary>
      {/* A hundred texts at once would delay the dialog. */}
      {open ? <pre>{text === "" ? words.noText({ licence }) : text}</pre> : null}
    </details>
  );
}

async function readLicences(): Promise<readonly Licence[]> {
  const response = await fetch("./licences.json");
  if (!response.ok) throw new Error(words.unreadable({ status: String(response.status) }));
  return (await response.json()) as readonly Licence[];
}
