/** The fields of the panel's small forms: a label, a control, and the error message for its value. */

import { type InputHTMLAttributes, type ReactElement, useId } from "react";
import { FieldLabel } from "../ui/field-label.js";
import textStyles from "../ui/text.module.css";
import { SelectInput, TextInput } from "../ui/text-input.js";
import styles from "./form-fields.module.css";

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange" | "value"> {
  readonly label: string;
  readonly value: string;
  readonly error?: string | undefined;
  onChange(value: string): void;
}

export function Field({ label, value, error, onChange, ...rest }: FieldProps): ReactElement {
  const errorId = useId();
  return (
    <div className={styles.frame}>
      <FieldLabel>
        <span>{label}</span>
        <TextInput
          value={value}
          spellCheck={false}
          autoComplete="off"
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : errorId}
          onChange={(event) => onChange(event.target.value)}
          {...rest}
        />
      </FieldLabel>
      {error === undefined ? null : (
        <p className={textStyles.error} role="alert" id={errorId}>
          {error}
        </p>
      )}
    </div>
  );
}

interface SelectFieldProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  onChange(value: string): void;
}

export function SelectField({ label, value, options, onChange }: SelectFieldProps): ReactElement {
  return (
    <FieldLabel>
      <span>{label}</span>
      <SelectInput value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </SelectInput>
    </FieldLabel>
  );
}
