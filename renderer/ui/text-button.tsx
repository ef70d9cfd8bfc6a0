import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactElement, Ref } from "react";
import { classNames } from "./class-names.js";
import styles from "./text-button.module.css";

interface TextButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly ref?: Ref<HTMLButtonElement>;
}

/** A button that looks like a link in a line of text. */
export function TextButton({ className, ...rest }: TextButtonProps): ReactElement {
  return <button type="button" className={classNames(styles.textButton, className)} {...rest} />;
}

/** A link to a page outside Tensordeck, which opens in a window of its own. */
export function TextLink({ className, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement>): ReactElement {
  return (
    <a className={classNames(styles.textButton, className)} target="_blank" rel="noreferrer" {...rest} />
  );
}
