import { type FormEvent, type ReactElement, useState } from "react";
import {
  fieldProblem,
  initialValues,
  LAYERS,
  type LayerField,
  type LayerSpec,
  type LayerValue,
  makeLayer,
} from "../../worker-runtime/graph/layers/index.js";
import type { LayerName } from "../../worker-runtime/graph/layers/layer-names.js";
import { shapeLabel } from "../../worker-runtime/graph/shape.js";
import { layerSource } from "../document/layer-source.js";
import { documentActions, lookupOp, useGraph } from "../stores/document-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { Dialog, DialogBody, DialogFooter } from "../ui/dialog.js";
import { FieldLabel } from "../ui/field-label.js";
import { bold } from "../ui/rich-parts.js";
import textStyles from "../ui/text.module.css";
import { SelectInput, TextInput } from "../ui/text-input.js";
import styles from "./layer-dialog.module.css";

const words = texts.dialogs.layerDialog;

/** Chooses a layer and its settings; it takes the result of what is selected, unless it is a source of data. */
export default function LayerDialog({
  chosen = "Dense",
}: {
  readonly chosen?: LayerName | undefined;
}): ReactElement {
  const [name, setName] = useState<string>(chosen);
  const spec = LAYERS.find((one) => one.name === name);
  return (
    <Dialog title={words.title} onClose={uiActions.close}>
      {spec ? <LayerForm key={name} spec={spec} onChoose={setName} /> : null}
    </Dialog>
  );
}

/** The typed text, until it is a number. */
type Typed = Readonly<Record<string, LayerValue>>;

function LayerForm({
  spec,
  onChoose,
}: {
  readonly spec: LayerSpec;
  onChoose(name: string): void;
}): ReactElement {
  const [typed, setTyped] = useState<Typed>(() => initialValues(spec));
  const [refusal, setRefusal] = useState<string>();
  const document = useGraph((state) => state.document);
  const shapes = useGraph((state) => state.shapes);
  const selection = useGraph((state) => state.selection);
  const isSource = spec.takes === "nothing";
  const source = layerSource(document, lookupOp, shapes, selection);
  const taken = source && { tensor: source.tensor, dtype: source.dtype, b: bold };
  const values = Object.fromEntries(spec.fields.map((field) => [field.name, valueIn(field, typed)]));
  const problem =
    spec.fields.map((field) => fieldProblem(field, values[field.name])).find(Boolean) ?? refusal;
  const set = (field: string, value: LayerValue) => {
    setTyped((before) => ({ ...before, [field]: value }));
    setRefusal(undefined);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!source && !isSource) return;
    const make = (scope: string) => makeLayer(spec, values, source, scope).nodes;
    if (documentActions.addLayer(spec.name, make)) uiActions.close();
    else setRefusal(documentActions.takeRefusal());
  };
  return (
    <form onSubmit={submit} style={{ display: "contents" }}>
      <DialogBody>
        <FieldLabel>
          <span>{words.layer}</span>
          <SelectInput value={spec.name} onChange={({ target: { value } }) => onChoose(value)}>
            {LAYERS.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </SelectInput>
        </FieldLabel>
        <p className={classNames(textStyles.muted, styles.description)}>{spec.description}</p>
        <div className={styles.fields}>
          {spec.fields.map((field) => (
            <FieldLabel key={field.name}>
              <span>{field.label}</span>
              <Control field={field} value={typed[field.name]} onChange={(value) => set(field.name, value)} />
            </FieldLabel>
          ))}
        </div>
        {taken && !isSource ? (
          <p className={textStyles.muted}>
            {source.shape
              ? words.takes({ ...taken, shape: shapeLabel(source.shape) })
              : words.takesUnknownShape(taken)}
          </p>
        ) : null}
        {problem || !(source || isSource) ? (
          <p className={textStyles.error} role="alert">
            {problem ?? words.noSource}
          </p>
        ) : null}
      </DialogBody>
      <DialogFooter>
        <span className={textStyles.grow} />
        <Button onClick={uiActions.close}>{texts.common.cancel}</Button>
        <Button type="submit" variant="primary" disabled={problem !== undefined || !(source || isSource)}>
          {words.add}
        </Button>
      </DialogFooter>
    </form>
  );
}

function valueIn(field: LayerField, typed: Typed): LayerValue {
  const value = typed[field.name] ?? field.initial;
  if (field.kind !== "int" && field.kind !== "number") return value;
  if (typeof value === "number") return value;
  const text = String(value).trim();
  return text === "" ? Number.NaN : Number(text);
}

interface ControlProps {
  readonly field: LayerField;
  readonly value: LayerValue | undefined;
  onChange(value: LayerValue): void;
}

function Control({ field, value, onChange }: ControlProps): ReactElement {
  if (field.kind === "flag") {
    return <input type="checkbox" checked={value === true} onChange={() => onChange(value !== true)} />;
  }
  if (field.kind === "choice") {
    return (
      <SelectInput value={String(value)} onChange={({ target }) => onChange(target.value)}>
        {field.choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </SelectInput>
    );
  }
  if (field.kind === "text") {
    return (
      <TextInput
        value={String(value)}
        placeholder={field.hint}
        onChange={({ target }) => onChange(target.value)}
      />
    );
  }
  return (
    <TextInput
      inputMode={field.kind === "int" ? "numeric" : "decimal"}
      value={String(value)}
      onChange={({ target }) => onChange(target.value)}
      onFocus={({ target }) => target.select()}
    />
  );
}
