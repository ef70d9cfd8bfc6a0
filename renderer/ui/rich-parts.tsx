/** The elements that the usual tags of messages stand for. */
import type { RichPart } from "../texts/messages.js";
import textStyles from "./text.module.css";

export const bold: RichPart = (children) => <b>{children}</b>;
export const italic: RichPart = (children) => <i>{children}</i>;
export const code: RichPart = (children) => <code>{children}</code>;
export const monospace: RichPart = (children) => <span className={textStyles.monospace}>{children}</span>;
export const keyCap: RichPart = (children) => <kbd>{children}</kbd>;
