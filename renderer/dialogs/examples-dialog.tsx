import type { ReactElement } from "react";
import { exampleCommands } from "../commands/file-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { machinesOf, useCluster } from "../stores/cluster-store.js";
import { chooseForExamples, machinesForExamples, useExamples } from "../stores/example-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Dialog, DialogBody } from "../ui/dialog.js";
import { EmptyText } from "../ui/empty-text.js";
import textStyles from "../ui/text.module.css";
import { ExamplePicture } from "./example-picture.js";
import styles from "./examples-dialog.module.css";

const words = texts.dialogs.examplesDialog;

/** The graphs that come with Tensordeck, each with a picture, to be opened or run at once. */
export function ExamplesDialog(): ReactElement {
  const examples = useExamples((state) => state.examples);
  return (
    <Dialog title={words.title} width="table" onClose={uiActions.close}>
      <DialogBody>
        <MachineChoice />
        {examples.length === 0 ? <EmptyText>{words.notRead}</EmptyText> : null}
        <ul className={styles.cards}>
          {examples.map((example) => (
            <li key={example.id} className={styles.card}>
              <ExamplePicture example={example} />
              <div className={styles.text}>
                <b>{example.title}</b>
                <p className={textStyles.muted}>{example.description}</p>
                <div className={styles.buttons}>
                  <CommandButton
                    command={exampleCommands.run}
                    target={example}
                    icon
                    variant="primary"
                    spoken="named"
                  />
                  <CommandButton
                    command={exampleCommands.open}
                    target={example}
                    before={uiActions.close}
                    spoken="named"
                  >
                    {() => words.open}
                  </CommandButton>
                </div>
              </div>
            </li>
          ))}
        </ul>
      </DialogBody>
    </Dialog>
  );
}

/** Where workers that an example lacks are started, if there is a choice. */
function MachineChoice(): ReactElement | null {
  const machines = useCluster((state) => machinesOf(state));
  const spared = useExamples((state) => state.spared);
  const usable = machinesForExamples(machines);
  if (usable.length < 2) return null;
  const chosen = usable.filter(({ id }) => !spared.has(id));
  return (
    <fieldset className={styles.machines}>
      <legend>{words.machines}</legend>
      {usable.map(({ id, name, kind }) => (
        <label key={id}>
          <input
            type="checkbox"
            checked={!spared.has(id)}
            // One at least has to be left.
            disabled={chosen.length === 1 && chosen[0]?.id === id}
            onChange={(event) => chooseForExamples(id, event.target.checked)}
          />
          {name}
          {kind === "this" ? <span className={textStyles.muted}>{words.thisMachine}</span> : null}
        </label>
      ))}
    </fieldset>
  );
}
