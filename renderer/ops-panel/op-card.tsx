/** What an op takes, gives and can be told, beside its row. */

import { type ReactElement, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { opCommands } from "../commands/op-commands.js";
import { attrNotes, docsUrl, signatureText } from "../document/op-text.js";
import { CommandLink } from "../parts/command-button.js";
import { lookupOp } from "../stores/document-store.js";
import { Icon } from "../ui/icon.js";

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
  return createPortal(
    <div ref={frame} className="op-card" style={{ left, top: top + shift }} role="tooltip">
      <div className="ph0">
        <b>{op}</b>
        {opDef.isStateful ? <span className="tag2">keeps state</span> : null}
        {opDef.deprecation ? <span className="tag2 warn">deprecated</span> : null}
      </div>
      <div className="sig mono">
        <span className="fg2">{op}</span>
        {signatureText(opDef)}
      </div>
      {opDef.summary ? <p>{opDef.summary}</p> : null}
      {opDef.deprecation?.explanation ? <p>{opDef.deprecation.explanation}</p> : null}
      {notes.length > 0 ? (
        <dl className="kv">
          {notes.map(({ name, text }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      <div className="hft">
        <span className="fg2">Drag onto the canvas, or Enter to add beside the selection</span>
        <CommandLink command={opCommands.add} target={op} spoken="named" />
        <a className="lk" href={docsUrl(op)} target="_blank" rel="noreferrer">
          Docs
          <Icon name="external" size={14} />
        </a>
      </div>
    </div>,
    document.body,
  );
}
