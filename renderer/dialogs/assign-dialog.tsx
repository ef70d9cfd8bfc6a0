import { type FormEvent, type ReactElement, useState } from "react";
import type { FeedValue } from "../../main/api/feeds.js";
import type { Problem } from "../../main/api/problem.js";
import { toProblem } from "../../main/api/wire.js";
import { shapeLabel } from "../../worker-runtime/graph/shape.js";
import { assignFromFile, assignVariable } from "../actions/variable-actions.js";
import { variablesOf } from "../document/variables.js";
import { ProblemView } from "../parts/problem-view.js";
import { attempt } from "../stores/app-store.js";
import { useDocument } from "../stores/document-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { Dialog, DialogBody, DialogFooter } from "../ui/dialog.js";
import { FieldLabel } from "../ui/field-label.js";
import textStyles from "../ui/text.module.css";
import { TextInput } from "../ui/text-input.js";

const words = texts.dialogs.assignDialog;

/** Assigns a value to a variable: typed in, or from a file on the application's machine. */
export function AssignDialog({ variable: name }: { readonly variable: string }): ReactElement {
  const variable = useDocument((state) =>
    variablesOf(state.document.nodes).find((candidate) => candidate.name === name),
  );
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const assign = async (value: FeedValue) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await assignVariable(name, value);
      uiActions.close();
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== "" && !busy) void assign({ kind: "literal", text });
  };
  const chooseFile = () => {
    uiActions.close();
    attempt(() => assignFromFile(name));
  };
  return (
    <Dialog title={words.title({ name })} onClose={uiActions.close}>
      <form onSubmit={submit} style={{ display: "contents" }}>
        <DialogBody>
          <FieldLabel>
            <span>{words.value}</span>
            <TextInput
              monospace
              value={text}
              placeholder={exampleOf(variable?.shape)}
              spellCheck={false}
              onChange={(event) => setText(event.target.value)}
            />
          </FieldLabel>
          <p className={textStyles.muted}>
            {variable?.dtype} {shapeLabel(variable?.shape)}
          </p>
          {problem ? <ProblemView problem={problem} /> : null}
        </DialogBody>
        <DialogFooter>
          <Button icon="folder" disabled={busy} onClick={chooseFile}>
            {words.chooseFile}
          </Button>
          <span className={textStyles.grow} />
          <Button onClick={uiActions.close}>{texts.common.cancel}</Button>
          <Button type="submit" variant="primary" disabled={busy || text.trim() === ""}>
            {words.assign}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

function exampleOf(shape: readonly number[] | undefined): string {
  if (shape === undefined || shape.length === 0) return "3";
  return shape.length === 1 ? "[1, 2, 3]" : "[[1, 2], [3, 4]]";
}
