import { type ReactElement, useMemo, useState } from "react";
import { gridOf, type Selection } from "../../../worker-runtime/protocol/selection.js";
import { type TensorView, tensorViewActions } from "../../stores/tensor-tabs.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { figureText, numberText } from "../../ui/format.js";
import { IconButton } from "../../ui/icon-button.js";
import textStyles from "../../ui/text.module.css";
import { TextInput } from "../../ui/text-input.js";
import styles from "./image-view.module.css";
import { Pixels } from "./pixels.js";
import { SavePng } from "./save-png.js";
import type { TensorSource } from "./tensor-source.js";
import { useTensorWork } from "./use-tensor-work.js";
import { WorkNote } from "./work-note.js";

const words = texts.dock.imageView;

interface ImageViewProps {
  readonly source: TensorSource;
  readonly view: TensorView;
}

/** Images of a batch that are shown at once. */
const PER_PAGE = 24;

/** Height, width and channels as an image; all further dimensions are a batch of images. */
export function ImageView({ source, view }: ImageViewProps): ReactElement {
  const { shape } = source;
  const { selection } = view;
  const [page, setPage] = useState(0);
  const outer = shape.length - 3;
  const isImage = selection.slice(outer).every((part) => typeof part === "object");
  if (!isImage) return <p className={textStyles.muted}>{words.notImages}</p>;
  const batch = gridOf(shape.slice(0, outer), selection.slice(0, outer), null);
  const pages = Math.ceil(batch.rows / PER_PAGE);
  const first = Math.min(page, Math.max(0, pages - 1)) * PER_PAGE;
  const images = Array.from({ length: Math.min(PER_PAGE, batch.rows - first) }, (_, i) => first + i);
  return (
    <section className={styles.view} aria-label={words.label({ source: source.name })}>
      <div className={styles.bar}>
        <b>
          {batch.rows === 1 ? words.image : `${numberText(first + 1)}–${numberText(first + images.length)}`}
        </b>
        <span className={textStyles.muted}>
          {batch.rows === 1 ? "" : words.ofImages({ count: batch.rows })}
        </span>
        {pages > 1 ? (
          <>
            <IconButton
              small
              icon="chevron-left"
              label={words.imagesBefore}
              disabled={first === 0}
              onClick={() => setPage(Math.max(0, page - 1))}
            />
            <IconButton
              small
              icon="chevron-right"
              label={words.imagesAfter}
              disabled={first + PER_PAGE >= batch.rows}
              onClick={() => setPage(page + 1)}
            />
          </>
        ) : null}
        <span className={textStyles.grow} />
        <RangeFields source={source} view={view} />
      </div>
      <ul className={styles.images}>
        {images.map((image) => {
          const indices = batch.indicesOf(image, 0);
          const part = [...indices, ...selection.slice(outer)];
          return (
            <Image
              key={indices.join()}
              source={source}
              view={view}
              selection={part}
              indices={indices}
              only={batch.rows === 1}
            />
          );
        })}
      </ul>
    </section>
  );
}

interface ImageProps extends ImageViewProps {
  readonly selection: Selection;
  /** Its place in the batch. */
  readonly indices: readonly number[];
  /** There is no other. */
  readonly only: boolean;
}

function Image({ source, view, selection, indices, only }: ImageProps): ReactElement {
  const work = useTensorWork(
    "tensors.image",
    { tensor: source.address, selection: [...selection], ...(view.range ? { range: view.range } : {}) },
    source.step,
  );
  const image = work.result;
  const rgba = useMemo(() => (image === undefined ? undefined : new Uint8ClampedArray(image.rgba)), [image]);
  const [pointed, setPointed] = useState<string>();
  const place = indices.length === 0 ? "" : `[${indices.join(", ")}]`;
  if (image === undefined || rgba === undefined) {
    return (
      <li className={styles.image}>
        <WorkNote work={work} />
      </li>
    );
  }
  const { width, height, fullWidth, fullHeight, channels, low, high } = image;
  const name = `${source.name}${place}`;
  return (
    <li className={only ? styles.single : styles.image}>
      <Pixels
        width={width}
        height={height}
        rgba={rgba}
        className={only ? styles.largePixels : styles.pixels}
        label={words.imageLabel({ name, width: fullWidth, height: fullHeight, channels })}
        onPoint={(x, y) => {
          const at = 4 * (y * width + x);
          const bytes = [...rgba.slice(at, at + (channels === 1 ? 1 : channels))];
          setPointed(`${y}, ${x}: ${bytes.join(" ")}`);
        }}
      />
      <div className={styles.caption}>
        <span>{place}</span>
        {only ? (
          <span className={textStyles.muted}>
            {(fullWidth > width || fullHeight > height ? words.reducedSize : words.size)({
              width: fullWidth,
              height: fullHeight,
              low: figureText(low),
              high: figureText(high),
            })}
          </span>
        ) : null}
        <span className={textStyles.muted}>{pointed}</span>
        {only ? <SavePng name={name} width={width} height={height} rgba={rgba} /> : null}
        {only ? null : (
          <Button
            size="small"
            variant="ghost"
            onClick={() => tensorViewActions.change(source, { selection })}
            aria-label={words.enlargePlace({ place })}
          >
            {words.enlarge}
          </Button>
        )}
      </div>
    </li>
  );
}

function RangeFields({ source, view }: ImageViewProps): ReactElement {
  const { range } = view;
  const field = (end: "low" | "high", label: string) => (
    <TextInput
      type="number"
      step="any"
      className={styles.range}
      aria-label={label}
      placeholder={words.auto}
      value={range?.[end] ?? ""}
      onChange={({ target: { value } }) => {
        const number = Number(value);
        if (value === "" || !Number.isFinite(number)) return;
        const next = { low: 0, high: 1, ...range, [end]: number };
        tensorViewActions.change(source, { range: next });
      }}
    />
  );
  return (
    <>
      <span className={textStyles.muted}>{words.black}</span>
      {field("low", words.blackTitle)}
      <span className={textStyles.muted}>{words.bright}</span>
      {field("high", words.brightTitle)}
      <Button
        size="small"
        variant="ghost"
        aria-pressed={range === undefined}
        onClick={() => tensorViewActions.change(source, { range: undefined })}
      >
        {words.fit}
      </Button>
    </>
  );
}
