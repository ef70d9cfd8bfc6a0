import { type ReactElement, useState } from "react";
import { stepsCommands } from "../commands/run-commands.js";
import { useDocumentRun } from "../stores/run-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { FieldLabel } from "../ui/field-label.js";
import { TextInput } from "../ui/text-input.js";
import { FieldDialog } from "./field-dialog.js";

const words = texts.dialogs.stepsDialog;

const MOST_STEPS = 1_000_000;

export function StepsDialog(): ReactElement {
  const [text, setText] = useState(String(useDocumentRun.getState().manySteps));
  const steps = Number(text.replaceAll(/[\s,_]/g, ""));
  const valid = Number.isInteger(steps) && steps >= 1 && steps <= MOST_STEPS;
  const submit = () => {
    uiActions.close();
    stepsCommands.run.on(steps).run();
  };
  return (
    <FieldDialog
      title={words.title}
      refusal={valid ? undefined : words.wrong}
      verb={valid ? words.runSteps({ steps }) : words.run}
      icon="play"
      disabled={!valid}
      submit={submit}
    >
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
    </FieldDialog>
  );
}
