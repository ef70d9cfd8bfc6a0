/** How rows of files are divided over the steps of a run. */
import { type ReactElement, useId } from "react";
import { type FeedBatches, MAX_BATCH_SIZE } from "../../main/api/feeds.js";
import { PropertyRow } from "../parts/property-row.js";
import { TextField } from "../parts/text-field.js";
import { documentActions } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { numberText } from "../ui/format.js";
import styles from "./batch-options.module.css";
import { optionalNumber, orRefusal } from "./run-numbers.js";

const words = texts.dock.batchOptions;

const MOST_EPOCHS = 1_000_000;
const MOST_SEED = 0xffff_ffff;

export function BatchOptions({ batches }: { readonly batches: FeedBatches }): ReactElement {
  const sizeId = useId();
  const epochsId = useId();
  const seedId = useId();
  const { seed, epochs, ...rest } = batches;
  /** With the optional numbers that are given. */
  const set = (
    changed: Partial<FeedBatches>,
    numbers: { seed?: number | undefined; epochs?: number | undefined },
  ) =>
    orRefusal(
      documentActions.setBatches({
        ...rest,
        ...changed,
        ...(numbers.seed === undefined ? {} : { seed: numbers.seed }),
        ...(numbers.epochs === undefined ? {} : { epochs: numbers.epochs }),
      }),
    );
  return (
    <div className={styles.options}>
      <PropertyRow>
        <span id={sizeId}>{words.batch}</span>
        <TextField
          labelledBy={sizeId}
          value={numberText(batches.size)}
          commit={(text) => {
            const size = optionalNumber(text, 1, MAX_BATCH_SIZE);
            if (size === undefined) return words.wrongBatch;
            return typeof size === "string" ? size : set({ size }, { seed, epochs });
          }}
        />
      </PropertyRow>
      <PropertyRow>
        <span id={epochsId}>{words.epochs}</span>
        <TextField
          labelledBy={epochsId}
          value={epochs === undefined ? "" : numberText(epochs)}
          placeholder={words.epochsPlaceholder}
          commit={(text) => {
            const number = optionalNumber(text, 1, MOST_EPOCHS);
            return typeof number === "string" ? number : set({}, { seed, epochs: number });
          }}
        />
      </PropertyRow>
      <label className={styles.choice}>
        <input
          type="checkbox"
          checked={seed !== undefined}
          onChange={({ target }) => set({}, { seed: target.checked ? 0 : undefined, epochs })}
        />
        {words.shuffle}
      </label>
      {seed === undefined ? null : (
        <PropertyRow>
          <span id={seedId}>{words.seed}</span>
          <TextField
            labelledBy={seedId}
            value={String(seed)}
            commit={(text) => {
              const number = optionalNumber(text, 0, MOST_SEED);
              return typeof number === "string" ? number : set({}, { seed: number ?? 0, epochs });
            }}
          />
        </PropertyRow>
      )}
      <label className={styles.choice}>
        <input
          type="checkbox"
          checked={batches.dropLast}
          onChange={({ target }) => set({ dropLast: target.checked }, { seed, epochs })}
        />
        {words.dropRemainder}
      </label>
    </div>
  );
}
