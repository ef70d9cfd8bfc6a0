import { type FormEvent, type ReactElement, useId, useMemo, useState } from "react";
import type { ModelFormat } from "../../main/api/models.js";
import { exportModel } from "../actions/model-actions.js";
import { crumbsOf } from "../actions/paths.js";
import { firstOutputs, modelTensors, readTensors } from "../document/model-choice.js";
import { completions } from "../document/runnable-names.js";
import { variablesOf } from "../document/variables.js";
import { attempt } from "../stores/app-store.js";
import { lookupOp, useDocument } from "../stores/document-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { Dialog, DialogBody, DialogFooter } from "../ui/dialog.js";
import { FieldLabel } from "../ui/field-label.js";
import textStyles from "../ui/text.module.css";
import { SelectInput, TextInput } from "../ui/text-input.js";
import styles from "./export-model-dialog.module.css";

const words = texts.dialogs.exportModel;

const FORMATS: readonly ModelFormat[] = ["saved_model", "frozen"];

/** Chooses what a model takes and gives, and whose values it has; then exports it. */
export default function ExportModelDialog({
  checkpoint,
}: {
  readonly checkpoint?: string | undefined;
}): ReactElement {
  const document = useDocument((state) => state.document);
  const shapes = useDocument((state) => state.shapes);
  const selection = useDocument((state) => state.selection);
  const saved = useDocumentRun((state) => state.latest?.checkpoints?.saved) ?? [];
  const [format, setFormat] = useState<ModelFormat>("saved_model");
  const [outputs, setOutputs] = useState(() =>
    firstOutputs(document, lookupOp, shapes, selection).join(", "),
  );
  const [more, setMore] = useState("");
  const [prefix, setPrefix] = useState(checkpoint ?? "");
  const hasVariables = useMemo(() => variablesOf(document.nodes).length > 0, [document.nodes]);
  const chosen = useMemo(() => {
    const [out, further] = [outputs, more].map((text) => readTensors(document, lookupOp, text));
    if (!out || !further) return { problem: words.noOutput };
    for (const read of [out, further])
      if ("unknown" in read) return { problem: words.unknown({ name: read.unknown }) };
    if (!Array.isArray(out) || !Array.isArray(further) || out.length === 0)
      return { problem: words.noOutput };
    return { tensors: modelTensors(document, out, further) };
  }, [document, outputs, more]);
  const { tensors, problem } = chosen;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!tensors) return;
    uiActions.close();
    attempt(() => exportModel({ ...tensors, format, checkpoint: prefix === "" ? undefined : prefix }));
  };
  return (
    <Dialog title={words.title} icon="download" width="wide" onClose={uiActions.close}>
      <form onSubmit={submit} style={{ display: "contents" }}>
        <DialogBody className={styles.body}>
          <fieldset className={styles.formats}>
            <legend className={textStyles.spokenOnly}>{words.format}</legend>
            {FORMATS.map((one) => (
              <label key={one}>
                <input type="radio" name="format" checked={one === format} onChange={() => setFormat(one)} />
                <span>
                  <b>{words.formats[one].name}</b>
                  <span className={textStyles.muted}>{words.formats[one].what}</span>
                </span>
              </label>
            ))}
          </fieldset>
          <TensorField label={words.outputs} value={outputs} onChange={setOutputs} />
          <TensorField
            label={words.inputs}
            value={more}
            placeholder={words.inputsPlaceholder}
            onChange={setMore}
          />
          {hasVariables ? (
            <FieldLabel>
              <span>{words.values}</span>
              <SelectInput value={prefix} onChange={({ target }) => setPrefix(target.value)}>
                <option value="">{words.live}</option>
                {saved.map((one) => (
                  <option key={one.prefix} value={one.prefix}>
                    {words.checkpoint({ name: crumbsOf(one.prefix).at(-1)?.name ?? "", step: one.step })}
                  </option>
                ))}
              </SelectInput>
            </FieldLabel>
          ) : null}
          {problem === undefined ? null : (
            <p className={textStyles.error} role="alert">
              {problem}
            </p>
          )}
          {tensors ? <Signature {...tensors} /> : null}
        </DialogBody>
        <DialogFooter>
          <span className={textStyles.grow} />
          <Button onClick={uiActions.close}>{texts.common.cancel}</Button>
          <Button type="submit" variant="primary" disabled={!tensors}>
            {words.export}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

/** How a program calls the model. */
function Signature({
  inputs,
  outputs,
}: {
  readonly inputs: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, string>>;
}): ReactElement {
  const rows = [
    ...Object.entries(inputs).map(([name, tensor]) => ({ kind: words.input, name, tensor })),
    ...Object.entries(outputs).map(([name, tensor]) => ({ kind: words.output, name, tensor })),
  ];
  return (
    <ul className={styles.signature} aria-label={words.signature}>
      {rows.map(({ kind, name, tensor }) => (
        <li key={`${kind} ${name}`}>
          <span className={textStyles.muted}>{kind}</span>
          <b>{name}</b>
          <code>{tensor}</code>
        </li>
      ))}
    </ul>
  );
}

interface TensorFieldProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  onChange(text: string): void;
}

/** Names of tensors with commas between; the last one is completed. */
function TensorField({ label, value, placeholder, onChange }: TensorFieldProps): ReactElement {
  const document = useDocument((state) => state.document);
  const listId = useId();
  const before = value.slice(0, value.lastIndexOf(",") + 1);
  const names = completions(document, lookupOp, value.slice(before.length));
  return (
    <FieldLabel>
      <span>{label}</span>
      <TextInput
        monospace
        value={value}
        placeholder={placeholder}
        list={listId}
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={listId}>
        {names.map((name) => (
          <option key={name} value={before === "" ? name : `${before} ${name}`} />
        ))}
      </datalist>
    </FieldLabel>
  );
}
