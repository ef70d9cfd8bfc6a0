import { type FormEvent, type ReactElement, useState } from "react";
import { stepsCommands } from "../commands/run-commands.js";
import { uiActions, useUi } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { Dialog, DialogBody, DialogFooter } from "../ui/dialog.js";
import { FieldLabel } from "../ui/field-label.js";
import textStyles from "../ui/text.module.css";
import { TextInput } from "../ui/text-input.js";

const words = texts.dialogs.stepsDialog;

const MOST_STEPS = 1_000_000;

export function StepsDialog(): ReactElement {
  const [text, setText] = useState(String(useUi.getState().manySteps));
  const steps = Number(text.replaceAll(/[\s,_]/g, ""));
  const valid = Number.isInteger(steps) && steps >= 1 && steps <= MOST_STEPS;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!valid) return;
    uiActions.close();
    stepsCommands.run.on(steps).run();
  };
  return (
    <Dialog title={words.title} onClose={uiActions.close}>
      <form onSubmit={submit} style={{ display: "contents" }}>
        <DialogBody>
          <FieldLabel>
            <span>{words.steps}</span>
            <TextInput
              inputMode="numeric"
              value={text}
              onChange={(event) => setText(event.target.value)}
              onFocus={(event) => event.target.select()}
              aria-invalid={!valid}
            />
          </FieldLabel>
          {valid ? null : (
            <p className={textStyles.error} role="alert">
              {words.wrong}
            </p>
          )}
        </DialogBody>
        <DialogFooter>
          <span className={textStyles.grow} />
          <Button onClick={uiActions.close}>{texts.common.cancel}</Button>
          <Button type="submit" variant="primary" icon="play" disabled={!valid}>
            {valid ? words.runSteps({ steps }) : words.run}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
