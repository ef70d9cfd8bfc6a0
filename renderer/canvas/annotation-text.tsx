import { type KeyboardEvent, type ReactElement, useRef } from "react";
import type { Annotation } from "../document/model.js";
import { annotationActions } from "../stores/annotation-actions.js";
import { texts } from "../texts/texts.js";
import { useCanvas } from "../viewport/view-store.js";
import styles from "./annotation-layer.module.css";

const words = texts.canvas.annotationText;

/** The field for the title of a frame, or for the words of a note, in which Shift+Enter begins a new line. */
export function AnnotationText({ annotation }: { readonly annotation: Annotation }): ReactElement {
  const { id, kind, text } = annotation;
  const cancelled = useRef(false);
  const close = (value: string) => {
    useCanvas.setState({ editedAnnotation: undefined });
    if (!cancelled.current && value !== text) annotationActions.change(id, { text: value });
  };
  const shared = {
    className: styles.field,
    defaultValue: text,
    autoFocus: true,
    onBlur: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      close(currentTarget.value),
    onKeyDown: (event: KeyboardEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      event.stopPropagation();
      const isEnd = event.key === "Enter" && !event.shiftKey;
      cancelled.current = event.key === "Escape";
      if (!isEnd && !cancelled.current) return;
      event.preventDefault();
      event.currentTarget.blur();
      document.querySelector<HTMLElement>("[data-canvas]")?.focus();
    },
  };
  return kind === "frame" ? (
    <input {...shared} aria-label={words.frameTitle} placeholder={words.titlePlaceholder} />
  ) : (
    <textarea {...shared} aria-label={words.noteText} placeholder={words.notePlaceholder} />
  );
}
