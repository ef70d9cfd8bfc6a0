/** The run configurations of the document, and what the chosen one says beside what is fetched and fed. */
import { type ReactElement, useId } from "react";
import { MAX_STEPS } from "../../main/api/runs.js";
import { menuOf } from "../commands/menu-entry.js";
import { runConfigCommands, runConfigListCommands } from "../commands/run-config-commands.js";
import type { RunConfig } from "../document/model.js";
import { runConfigsOf } from "../document/run-configs.js";
import { type ChosenRun, evaluationOf } from "../document/run-inputs.js";
import type { ShapeMap } from "../document/shapes.js";
import { parseTensorName } from "../document/tensor-names.js";
import { CommandButton } from "../parts/command-button.js";
import { PropertyRow } from "../parts/property-row.js";
import { Section, SectionHeading } from "../parts/section.js";
import { TextField } from "../parts/text-field.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { numberText } from "../ui/format.js";
import { IconButton } from "../ui/icon-button.js";
import { Menu } from "../ui/menu.js";
import { Tag } from "../ui/tag.js";
import textStyles from "../ui/text.module.css";
import { CheckpointOptions } from "./checkpoint-options.js";
import { EvaluationOptions } from "./evaluation-options.js";
import { RunColumn } from "./run-column.js";
import styles from "./run-configs.module.css";
import { optionalNumber, orRefusal } from "./run-numbers.js";
import { StopConditions } from "./stop-conditions.js";

const words = texts.dock.runConfigs;

export function RunConfigColumn({ run }: { readonly run: ChosenRun }): ReactElement {
  const document = useDocument((state) => state.document);
  const { runConfig, defaultRun } = document;
  const configs = runConfigsOf(document);
  return (
    <RunColumn label={words.runConfigurations}>
      <Section>
        <SectionHeading>
          {words.runConfigurations}
          <span className={textStyles.grow} />
          <CommandButton command={runConfigListCommands.add} icon size="small" />
        </SectionHeading>
        <ul className={styles.list}>
          {configs.map((config) => (
            <ConfigRow
              key={config.name}
              config={config}
              chosen={config === runConfig}
              isDefault={configs.length > 1 && config.name === defaultRun}
            />
          ))}
        </ul>
      </Section>
      <Options key={runConfig.name} config={runConfig} run={run} />
    </RunColumn>
  );
}

interface ConfigRowProps {
  readonly config: RunConfig;
  readonly chosen: boolean;
  readonly isDefault: boolean;
}

function ConfigRow({ config, chosen, isDefault }: ConfigRowProps): ReactElement {
  const { duplicate, makeDefault, remove } = runConfigCommands;
  return (
    <li className={styles.row}>
      <label className={styles.choice}>
        <input
          type="radio"
          name="run-configuration"
          checked={chosen}
          onChange={() => void runConfigCommands.choose.on(config).run()}
        />
        <span className={textStyles.truncated}>{config.name}</span>
      </label>
      {isDefault ? <Tag>{words.default}</Tag> : null}
      <Menu
        align="end"
        label={words.choose({ name: config.name })}
        trigger={<IconButton small icon="more" label={words.menu({ name: config.name })} />}
        entries={() => menuOf(config, [[duplicate, makeDefault], [remove]])}
      />
    </li>
  );
}

function Options({ config, run }: { readonly config: RunConfig; readonly run: ChosenRun }): ReactElement {
  const document = useDocument((state) => state.document);
  const shapes = useDocument((state) => state.shapes);
  const others = document.otherRuns.map(({ name }) => name).sort();
  const tensors = scalarsOf([...run.fetches, ...(evaluationOf(document)?.fetches ?? [])], shapes);
  const nameId = useId();
  const stepsId = useId();
  const traceId = useId();
  return (
    <Section last>
      <PropertyRow wideName>
        <span id={nameId}>{words.name}</span>
        <TextField
          labelledBy={nameId}
          value={config.name}
          commit={(text) => orRefusal(documentActions.renameRunConfig(config.name, text))}
        />
      </PropertyRow>
      <PropertyRow wideName>
        <span id={stepsId}>{words.steps}</span>
        <TextField
          labelledBy={stepsId}
          value={config.steps === 1 ? "" : numberText(config.steps)}
          placeholder={words.stepsPlaceholder}
          commit={(text) => commitSteps(text, (steps) => documentActions.setSteps(steps ?? 1))}
        />
      </PropertyRow>
      <PropertyRow wideName>
        <span id={traceId}>{words.traceEvery}</span>
        <TextField
          labelledBy={traceId}
          value={config.traceEvery === undefined ? "" : numberText(config.traceEvery)}
          placeholder={words.tracePlaceholder}
          commit={(text) => commitSteps(text, documentActions.setTraceEvery)}
        />
      </PropertyRow>
      {others.length === 0 ? null : <EvaluationOptions evaluation={config.evaluation} others={others} />}
      <CheckpointOptions plan={config.checkpoints} tensors={tensors} />
      <StopConditions stops={config.stops} tensors={tensors} />
    </Section>
  );
}

/** Reads a number of steps; an empty text is none. */
function commitSteps(text: string, set: (steps: number | undefined) => boolean): string | undefined {
  const steps = optionalNumber(text, 1, MAX_STEPS);
  return typeof steps === "string" ? steps : orRefusal(set(steps));
}

/** A tensor with more than one element is no scalar; one of unknown shape may be one. */
function scalarsOf(fetches: readonly string[], shapes: ShapeMap): string[] {
  return [...new Set(fetches)].filter((name) => {
    const { node, output } = parseTensorName(name);
    const shape = shapes.outputs.get(node)?.[output];
    return shape === undefined || shape.every((size) => size === 1 || size < 0);
  });
}
