/** The tour for new users: a card beside the control that each of its four steps is about. */
import { type ReactElement, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { endTour, showsWelcomeGraph } from "../actions/tour-actions.js";
import { fileCommands } from "../commands/file-commands.js";
import { onStateChange } from "../commands/state-changes.js";
import { CommandButton } from "../parts/command-button.js";
import { attempt } from "../stores/app-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { finishTourStep, TOUR_STEPS, type TourStep, useTour } from "../stores/tour-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import textStyles from "../ui/text.module.css";
import { cardPlace } from "./card-place.js";
import styles from "./tour.module.css";
import { tourResult } from "./tour-result.js";
import { STEPS, type StepOfUser } from "./tour-steps.js";
import { useBox } from "./use-box.js";

const words = texts.tour.tour;

const CANVAS_TOOLS = '[data-canvas] [role="toolbar"]';

export function Tour(): ReactElement | null {
  const step = useTour((state) => state.step);
  return step === undefined ? null : <OnWelcomeGraph step={step} />;
}

/** While another document is shown, there is nothing that the card could be beside; the step waits. */
function OnWelcomeGraph({ step }: { readonly step: TourStep }): ReactElement | null {
  const isShown = useSyncExternalStore(onStateChange, showsWelcomeGraph);
  return isShown ? <Card step={step} /> : null;
}

/** Ends the tour; the focus does not stay on what is gone. */
function close(card: HTMLElement | null): void {
  const hadFocus = card?.contains(document.activeElement) || document.activeElement === document.body;
  attempt(endTour);
  if (hadFocus) document.querySelector<HTMLElement>("[data-canvas]")?.focus({ preventScroll: true });
}

/**
 * Whether the focus moves to the card. What the user pressed may be gone with its step; a control that is still there keeps
 * the focus. So does what the user does when the tour comes by itself: an open menu would close, typed keys would be lost.
 */
function takesFocus(step: TourStep): boolean {
  const { activeElement } = document;
  if (activeElement === null || activeElement === document.body) return true;
  // The canvas has the focus from the start on.
  return step === TOUR_STEPS[0] && (useTour.getState().asked || activeElement.matches("[data-canvas]"));
}

function Card({ step }: { readonly step: TourStep }): ReactElement {
  const card = useRef<HTMLElement>(null);
  const shown = step === "end" ? undefined : STEPS[step];
  const target = useBox((shown ?? STEPS.look).target);
  const tools = useBox(CANVAS_TOOLS);
  const place = usePlace(card, target, tools, step);
  useStepDone(step);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { activeElement } = document;
      const isOwn = card.current?.contains(activeElement) || activeElement === document.body;
      if (event.key === "Escape" && isOwn && !event.defaultPrevented) close(card.current);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
  useEffect(() => {
    if (step !== "end") STEPS[step].prepare();
    if (takesFocus(step)) card.current?.focus({ preventScroll: true });
  }, [step]);
  return (
    <>
      {shown && target ? <div className={styles.ring} style={{ ...target }} aria-hidden="true" /> : null}
      <section
        ref={card}
        className={styles.card}
        style={place}
        role="dialog"
        aria-labelledby="tour-title"
        aria-describedby="tour-text"
        data-panel-name="tour"
        tabIndex={-1}
      >
        {shown ? <StepContent step={step} shown={shown} /> : <Ending />}
        <div className={styles.buttons}>
          {shown ? (
            <>
              <Perform key="do" shown={shown} />
              <Button variant="ghost" onClick={() => close(card.current)}>
                {words.skip}
              </Button>
            </>
          ) : (
            <>
              <Button key="do" variant="primary" onClick={() => close(card.current)}>
                {words.finish}
              </Button>
              <CommandButton
                command={fileCommands.examples}
                text="label"
                variant="ghost"
                before={() => close(card.current)}
              />
            </>
          )}
        </div>
      </section>
    </>
  );
}

function StepContent({ step, shown }: { readonly step: TourStep; readonly shown: StepOfUser }): ReactElement {
  const title = useSyncExternalStore(onStateChange, () => shown.title());
  const text = useSyncExternalStore(onStateChange, () => shown.text());
  const failed = useDocumentRun((state) => step === "run" && state.latest?.state === "failed");
  const number = words.step({
    step: TOUR_STEPS.indexOf(step) + 1,
    steps: TOUR_STEPS.length - 1,
  });
  return <Words number={number} title={title} text={failed ? words.runFailed({ text }) : text} />;
}

function Ending(): ReactElement {
  const { title, text } = tourResult();
  return <Words number={words.done} title={title} text={text} />;
}

interface WordsProps {
  readonly number: string;
  readonly title: string;
  readonly text: string;
}

/** Announced whenever they change. */
function Words({ number, title, text }: WordsProps): ReactElement {
  return (
    <div aria-live="polite">
      <div className={textStyles.muted}>{number}</div>
      <h2 id="tour-title" className={styles.title}>
        {title}
      </h2>
      <p id="tour-text">{text}</p>
    </div>
  );
}

function Perform({ shown }: { readonly shown: StepOfUser }): ReactElement {
  const underWay = useSyncExternalStore(onStateChange, () => shown.underWay());
  return (
    <Button
      variant="primary"
      aria-disabled={underWay !== undefined || undefined}
      onClick={() => {
        if (underWay === undefined) shown.perform();
      }}
    >
      {underWay ?? words.doIt}
    </Button>
  );
}

/** Goes on when the user has done the step, in whatever way. */
function useStepDone(step: TourStep): void {
  useEffect(() => {
    if (step === "end") return;
    const isDone = STEPS[step].begin();
    const look = () => {
      // The card is removed only after another document is shown, in which nothing is done for the tour.
      if (showsWelcomeGraph() && isDone()) finishTourStep(step);
    };
    look();
    return onStateChange(look);
  }, [step]);
}

/** Places the card once its size is known, and again when its text, the target or the window changes. */
function usePlace(
  card: { readonly current: HTMLElement | null },
  target: ReturnType<typeof useBox>,
  tools: ReturnType<typeof useBox>,
  step: TourStep,
): { readonly left: number; readonly top: number } {
  const [place, setPlace] = useState({ left: 0, top: 0 });
  const [size, setSize] = useState({ width: innerWidth, height: innerHeight });
  useEffect(() => {
    const update = () => setSize({ width: innerWidth, height: innerHeight });
    window.addEventListener("resize", update);
    return () => window.removeEventListener("resize", update);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step has a text, and so a height, of its own
  useLayoutEffect(() => {
    const { offsetWidth = 0, offsetHeight = 0 } = card.current ?? {};
    const next = cardPlace(target, { width: offsetWidth, height: offsetHeight }, size, tools ? [tools] : []);
    setPlace((before) => (before.left === next.left && before.top === next.top ? before : next));
  }, [card, target, tools, size, step]);
  return place;
}
