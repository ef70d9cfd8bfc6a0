import { type ReactElement, useId } from "react";
import {
  applies,
  type ExportOption,
  type OptionName,
  type OptionValues,
  optionProblems,
  optionsOf,
} from "../../worker-runtime/cluster/orchestrators/export-options.js";
import type { ExportTarget } from "../../worker-runtime/cluster/orchestrators/export-targets.js";
import { texts } from "../texts/texts.js";
import { FieldLabel } from "../ui/field-label.js";
import { SelectInput, TextInput } from "../ui/text-input.js";
import styles from "./export-cluster-dialog.module.css";

const words = texts.clusterTable.exportOptions;

interface ExportOptionsFormProps {
  readonly target: ExportTarget;
  readonly values: OptionValues;
  onChange(name: OptionName, value: string): void;
}

/** A field for each option that the target takes and that matters with the other values. */
export function ExportOptionsForm({ target, values, onChange }: ExportOptionsFormProps): ReactElement {
  const problems = optionProblems(target, values);
  return (
    <>
      {optionsOf(target)
        .filter((option) => applies(option, values))
        .map((option) => (
          <OptionField
            key={option.name}
            option={option}
            value={values[option.name] ?? ""}
            byDefault={option.byDefault ?? option.defaultFor?.(values)}
            problem={problems[option.name]}
            onChange={(value) => onChange(option.name, value)}
          />
        ))}
    </>
  );
}

interface OptionFieldProps {
  readonly option: ExportOption;
  readonly value: string;
  readonly byDefault: string | undefined;
  readonly problem: string | undefined;
  onChange(value: string): void;
}

function OptionField({ option, value, byDefault, problem, onChange }: OptionFieldProps): ReactElement {
  const { name, choices } = option;
  const explanation = useId();
  const { label, hint } = words[name];
  const said = {
    value,
    "aria-invalid": problem !== undefined,
    "aria-describedby": explanation,
  };
  return (
    <div className={styles.option}>
      <FieldLabel>
        <span>{label}</span>
        {choices ? (
          <SelectInput {...said} onChange={(event) => onChange(event.target.value)}>
            {byDefault === undefined ? <option value="">{words.asTheCluster}</option> : null}
            {choices.map((choice) => (
              <option key={choice} value={choice === byDefault ? "" : choice}>
                {words.choices[choiceKey(choice)]}
              </option>
            ))}
          </SelectInput>
        ) : (
          <TextInput
            {...said}
            spellCheck={false}
            autoComplete="off"
            placeholder={byDefault ?? words.notSet}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </FieldLabel>
      {problem ? (
        <small className={styles.problem} id={explanation} role="alert">
          {words.problem({ option: label, problem })}
        </small>
      ) : (
        <small className={styles.hint} id={explanation}>
          {hint}
        </small>
      )}
    </div>
  );
}

type Choice = keyof typeof words.choices;

/** Choices of an option are the values of its flag, all of which have a text. */
function choiceKey(choice: string): Choice {
  const keys = Object.keys(words.choices) as Choice[];
  return keys.find((key) => key === choice) ?? "no";
}
