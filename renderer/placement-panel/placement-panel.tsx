/** A suggested placement: what would move and why, the expected step before and after, and then the measured one. */
import type { ReactElement } from "react";
import { placementCommands } from "../commands/placement-commands.js";
import { CommandButton, CommandSwitch } from "../parts/command-button.js";
import { Note, Section } from "../parts/section.js";
import { usePlacement } from "../stores/placement-store.js";
import { texts } from "../texts/texts.js";
import { durationText } from "../ui/format.js";
import { AppliedSection } from "./applied-section.js";
import styles from "./placement-panel.module.css";
import { SuggestionView } from "./suggestion-view.js";

const words = texts.placementPanel.placementPanel;

export function PlacementPanel(): ReactElement {
  const searching = usePlacement((state) => state.search !== undefined);
  const suggestion = usePlacement((state) => state.suggestion);
  return (
    <div className={styles.panel}>
      <AppliedSection />
      {searching ? <Search /> : suggestion ? <SuggestionView suggestion={suggestion} /> : <Start />}
    </div>
  );
}

function Start(): ReactElement {
  return (
    <Section last>
      <p>{words.explanation}</p>
      <div className={styles.options}>
        <CommandSwitch command={placementCommands.keepPins} />
      </div>
      <div className={styles.buttons}>
        <CommandButton command={placementCommands.suggest} variant="primary" icon />
        <CommandButton command={placementCommands.measure} icon />
      </div>
    </Section>
  );
}

function Search(): ReactElement {
  const progress = usePlacement((state) => state.search?.progress);
  const { tried = 0, most = 1 } = progress ?? {};
  const text =
    progress === undefined
      ? words.readingGraph
      : words.progress({ tried, most, time: durationText(progress.micros / 1000) });
  return (
    <Section last>
      <div
        className={styles.progress}
        role="progressbar"
        aria-label={words.searching}
        aria-valuemin={0}
        aria-valuemax={most}
        aria-valuenow={tried}
        aria-valuetext={text}
      >
        <i className={styles.bar} style={{ width: `${((100 * tried) / most).toFixed(1)}%` }} />
      </div>
      <Note>{text}</Note>
      <div className={styles.buttons}>
        <CommandButton command={placementCommands.cancel} />
      </div>
    </Section>
  );
}
