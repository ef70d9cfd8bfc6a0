/** The fields of the panel's small forms: a label, a control, and what is wrong with what was written. */
import "./add-forms.css";
import { type InputHTMLAttributes, type ReactElement, useId } from "react";

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange" | "value"> {
  readonly label: string;
  readonly value: string;
  readonly error?: string | undefined;
  onChange(value: string): void;
}

export function Field({ label, value, error, onChange, ...rest }: FieldProps): ReactElement {
  const errorId = useId();
  return (
    <div className="field-frame">
      <label className="field">
        <span>{label}</span>
        <input
          className="text-input"
          value={value}
          spellCheck={false}
          autoComplete="off"
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : errorId}
          onChange={(event) => onChange(event.target.value)}
          {...rest}
        />
      </label>
      {error === undefined ? null : (
        <p className="field-error" role="alert" id={errorId}>
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
    <label className="field">
      <span>{label}</span>
      <select className="text-input" value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
}
