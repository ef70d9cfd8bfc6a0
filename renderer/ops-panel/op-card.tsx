/** The inputs, outputs and attributes of an op, beside its row. */
import { type ReactElement, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { opCommands } from "../commands/op-commands.js";
import { argumentHelp, opHelp } from "../document/op-help.js";
import { attrNotes, docsUrl, signatureText } from "../document/op-text.js";
import { CommandLink } from "../parts/command-button.js";
import { lookupOp } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { Icon } from "../ui/icon.js";
import { Tag } from "../ui/tag.js";
import textStyles from "../ui/text.module.css";
import { TextLink } from "../ui/text-button.js";
import styles from "./op-card.module.css";

const words = texts.opsPanel.opCard;

const GAP = 8;

interface OpCardProps {
  readonly op: string;
  /** Top of the op's row, in client coordinates. */
  readonly top: number;
  readonly panel: RefObject<HTMLElement | null>;
}

export function OpCard({ op, top, panel }: OpCardProps): ReactElement | null {
  const frame = useRef<HTMLDivElement>(null);
  const [shift, setShift] = useState(0);
  const opDef = lookupOp(op);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another op has a card of another height
  useLayoutEffect(() => {
    const height = frame.current?.offsetHeight ?? 0;
    setShift(Math.min(0, window.innerHeight - GAP - (top + height)));
  }, [op, top]);
  if (!opDef) return null;
  const left = (panel.current?.getBoundingClientRect().right ?? 0) + GAP;
  const notes = attrNotes(opDef);
  const help = opHelp(op) ?? opDef.summary;
  const inputs = opDef.inputArg.flatMap(({ name }) => {
    const text = argumentHelp(name);
    return text === undefined ? [] : [{ name, text }];
  });
  return createPortal(
    <div ref={frame} className={styles.card} style={{ left, top: top + shift }} role="tooltip">
      <div className={styles.head}>
        <b>{op}</b>
        {opDef.isStateful ? <Tag>{words.stateful}</Tag> : null}
        {opDef.deprecation ? <Tag tone="warning">{words.deprecated}</Tag> : null}
      </div>
      <div className={classNames(styles.signature, textStyles.monospace)}>
        <span className={textStyles.muted}>{op}</span>
        {signatureText(opDef)}
      </div>
      {help ? <p>{help}</p> : null}
      {opDef.deprecation?.explanation ? <p>{opDef.deprecation.explanation}</p> : null}
      {inputs.length + notes.length > 0 ? (
        <dl className={styles.arguments}>
          {inputs.map(({ name, text }) => (
            <div key={`input ${name}`}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
          {notes.map(({ name, text }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {argumentHelp(name)} <span className={textStyles.muted}>{text}</span>
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
      <div className={styles.foot}>
        <span className={styles.howTo}>{words.howTo}</span>
        <CommandLink command={opCommands.favourite} target={op} spoken="named" />
        <CommandLink command={opCommands.add} target={op} spoken="named" />
        <TextLink href={docsUrl(op)}>
          {words.docs}
          <Icon name="external" size={14} />
        </TextLink>
      </div>
    </div>,
    document.body,
  );
}
