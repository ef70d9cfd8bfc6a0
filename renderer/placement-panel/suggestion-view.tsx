import type { ReactElement } from "react";
import { placementCommands } from "../commands/placement-commands.js";
import { CommandButton, CommandSwitch } from "../parts/command-button.js";
import { PlacementShownChoice } from "../parts/placement-shown.js";
import { Note, Section, SectionHeading } from "../parts/section.js";
import type { PlacementMove } from "../placement/moves.js";
import { useDocument } from "../stores/document-store.js";
import { isCurrent, type Suggestion, toggleMove } from "../stores/placement-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { bytesText, durationText } from "../ui/format.js";
import textStyles from "../ui/text.module.css";
import { TextButton } from "../ui/text-button.js";
import { showInGraph } from "../viewport/travel.js";
import styles from "./placement-panel.module.css";
import { StepFigures } from "./step-figures.js";
import { sourceText, warningsOf } from "./suggestion-text.js";
import { TaskChip } from "./task-chip.js";

const words = texts.placementPanel.suggestionView;

export function SuggestionView({ suggestion }: { readonly suggestion: Suggestion }): ReactElement {
  const nodes = useDocument((state) => state.document.nodes);
  const { step, moves, skipped, before, after, measured } = suggestion;
  if (moves.length === 0) return <NothingBetter suggestion={suggestion} />;
  return (
    <>
      <Section>
        <StepFigures before={before} after={after} measuredBefore={measured} />
        <Note>{sourceText(step.sources, measured)}</Note>
        <div className={styles.options}>
          <PlacementShownChoice wide />
        </div>
      </Section>
      <Section className={styles.moves}>
        <SectionHeading>{words.moves({ count: moves.length })}</SectionHeading>
        <ul>
          {moves.map((move, index) => (
            <MoveRow
              key={`${move.label} ${move.from} ${move.to}`}
              move={move}
              suggestion={suggestion}
              isWanted={!skipped.has(index)}
              onToggle={() => toggleMove(index)}
            />
          ))}
        </ul>
      </Section>
      <Section last>
        {warningsOf(suggestion).map((warning) => (
          <Note key={warning}>{warning}</Note>
        ))}
        {isCurrent(suggestion) && nodes === suggestion.nodes ? null : <Note>{words.outdated}</Note>}
        <CommandSwitch command={placementCommands.keepPins} />
        <div className={styles.buttons}>
          <CommandButton command={placementCommands.apply} variant="primary" />
          <CommandButton command={placementCommands.suggest} />
          <CommandButton command={placementCommands.measure} icon />
          <CommandButton command={placementCommands.discard} variant="ghost" />
        </div>
        <Note>{words.undo}</Note>
      </Section>
    </>
  );
}

function NothingBetter({
  suggestion: { before, measured, step },
}: {
  readonly suggestion: Suggestion;
}): ReactElement {
  return (
    <Section last>
      <p role="status">{words.none({ time: durationText(before.micros / 1000) })}</p>
      <Note>{sourceText(step.sources, measured)}</Note>
      <CommandSwitch command={placementCommands.keepPins} />
      <div className={styles.buttons}>
        <CommandButton command={placementCommands.suggest} />
        <CommandButton command={placementCommands.measure} icon />
      </div>
    </Section>
  );
}

/** Names in a tooltip. */
const MOST_NAMED = 40;

interface MoveRowProps {
  readonly move: PlacementMove;
  readonly suggestion: Suggestion;
  readonly isWanted: boolean;
  onToggle(): void;
}

function MoveRow({ move, suggestion, isWanted, onToggle }: MoveRowProps): ReactElement {
  const { step } = suggestion;
  const { label, from, to, units, savedMicros, savedBytes, stops } = move;
  const names = units.flatMap((unit) => step.members[unit] ?? []);
  const name =
    label !== ""
      ? label
      : names.length === 1
        ? (names[0] ?? "")
        : words.andMore({ name: names[0] ?? "", count: names.length - 1 });
  return (
    <li className={classNames(styles.move, !isWanted && styles.unwanted)}>
      <div className={styles.moveHead}>
        <input
          type="checkbox"
          aria-label={words.move({ name, task: step.tasks[to]?.engine.name ?? "" })}
          checked={isWanted}
          onChange={onToggle}
        />
        <TextButton
          className={textStyles.truncated}
          title={names.slice(0, MOST_NAMED).join("\n")}
          aria-label={words.select({ name })}
          onClick={() => showInGraph(names)}
        >
          {name}
        </TextButton>
        {names.length > 1 && label !== "" ? (
          <span className={textStyles.muted}>{words.nodes({ count: names.length })}</span>
        ) : null}
        <span className={textStyles.grow} />
        <span>{signedText(-savedMicros)}</span>
      </div>
      <div className={styles.route}>
        <TaskChip task={step.tasks[from]} /> → <TaskChip task={step.tasks[to]} />
      </div>
      <p>{reasonText(step, stops)}</p>
      {savedBytes === 0 ? null : (
        <p className={textStyles.muted}>
          {(savedBytes > 0 ? words.saves : words.sends)({ bytes: bytesText(Math.abs(savedBytes)) })}
        </p>
      )}
    </li>
  );
}

function reasonText({ nodes, tasks }: Suggestion["step"], stops: PlacementMove["stops"]): string {
  if (!stops) return words.parallel;
  const way = {
    node: nodes[stops.node] ?? "",
    from: tasks[stops.from]?.engine.name ?? "",
    to: tasks[stops.to]?.engine.name ?? "",
  };
  return stops.bytes > 0 ? words.notSentBytes({ ...way, bytes: bytesText(stops.bytes) }) : words.notSent(way);
}

/** "−2.8 ms", "+0.1 ms". */
function signedText(micros: number): string {
  const text = durationText(Math.abs(micros) / 1000);
  return micros < 0 ? `−${text}` : `+${text}`;
}
