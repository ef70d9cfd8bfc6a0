import type { ComponentProps, ReactElement } from "react";
import { classNames } from "./class-names.js";
import styles from "./text-input.module.css";

interface Monospaced {
  /** For what is typed exactly, as an address. */
  readonly monospace?: boolean;
}

function look({ monospace }: Monospaced, className: string | undefined): string | undefined {
  return classNames(styles.textInput, monospace && styles.monospace, className);
}

/** A field for one line of text or a number. */
export function TextInput(props: ComponentProps<"input"> & Monospaced): ReactElement {
  const { monospace = false, className, ...rest } = props;
  return <input className={look({ monospace }, className)} {...rest} />;
}

/** A field for several lines. */
export function TextArea(props: ComponentProps<"textarea"> & Monospaced): ReactElement {
  const { monospace = false, className, ...rest } = props;
  return <textarea className={look({ monospace }, className)} {...rest} />;
}

/** A choice of the browser's own, that looks like the other fields. */
export function SelectInput({ className, ...rest }: ComponentProps<"select">): ReactElement {
  return <select className={classNames(look({}, undefined), styles.choice, className)} {...rest} />;
}
