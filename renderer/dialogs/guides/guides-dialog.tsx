import { type KeyboardEvent, type ReactElement, useEffect, useMemo, useRef, useState } from "react";
import { type Guide, guideGroupSchema } from "../../../main/api/app.js";
import { attempt } from "../../stores/app-store.js";
import { uiActions } from "../../stores/ui-store.js";
import { texts } from "../../texts/texts.js";
import { client } from "../../transport/client.js";
import { Dialog, DialogBody } from "../../ui/dialog.js";
import { Icon } from "../../ui/icon.js";
import { SearchField } from "../../ui/search-field.js";
import { GuidePage, type GuidePlace } from "./guide-page.js";
import { findInGuides, type GuideHit } from "./guide-search.js";
import styles from "./guides-dialog.module.css";

const words = texts.dialogs.guidesDialog;

/** The pages for users: a list by group, a search through all of them, and the chosen one. */
export function GuidesDialog({ name }: { readonly name?: string | undefined }): ReactElement {
  const [guides, setGuides] = useState<readonly Guide[]>([]);
  const [place, open] = useState<GuidePlace | undefined>(
    name === undefined ? undefined : { name, anchor: "" },
  );
  const [wanted, setWanted] = useState("");
  const list = useRef<HTMLElement>(null);
  const pages = useGuideTexts(guides);
  useEffect(() => attempt(async () => setGuides(await client().call("app.guides"))), []);

  const shown = guides.find((guide) => guide.name === place?.name) ?? guides[0];
  const searching = wanted.trim() !== "";
  const hits = useMemo(
    () =>
      findInGuides(
        guides.map((guide) => ({ ...guide, text: pages.get(guide.name) ?? "" })),
        wanted,
      ),
    [guides, pages, wanted],
  );
  const openHit = (hit: GuideHit) =>
    open({ name: hit.guide, anchor: hit.section.anchor, mark: hit.excerpt[1] });
  return (
    <Dialog title={words.title} width="table" onClose={uiActions.close}>
      <DialogBody className={styles.guides}>
        <div className={styles.side}>
          <SearchField size="filling">
            <Icon name="search" />
            <input
              type="search"
              aria-label={words.find}
              placeholder={words.find}
              value={wanted}
              onChange={({ target }) => setWanted(target.value)}
              onKeyDown={(event) => {
                if (event.key === "Enter" && hits[0]) openHit(hits[0]);
                if (event.key === "ArrowDown") moveInList(event, list.current);
              }}
            />
          </SearchField>
          <nav ref={list} aria-label={words.list} onKeyDown={(event) => moveInList(event, list.current)}>
            {searching ? (
              <Hits hits={hits} onOpen={openHit} />
            ) : (
              guideGroupSchema.options.map((group) => (
                <section key={group}>
                  <h3>{words.groups[group]}</h3>
                  {guides
                    .filter((guide) => guide.group === group)
                    .map((guide) => (
                      <button
                        key={guide.name}
                        type="button"
                        aria-current={guide === shown ? "page" : undefined}
                        onClick={() => open({ name: guide.name, anchor: "" })}
                      >
                        {guide.title}
                      </button>
                    ))}
                </section>
              ))
            )}
          </nav>
        </div>
        {shown === undefined ? null : (
          <GuidePage
            key={shown.name}
            guide={shown}
            text={pages.get(shown.name) ?? ""}
            guides={guides}
            place={place ?? { name: shown.name, anchor: "" }}
            onOpen={open}
          />
        )}
      </DialogBody>
    </Dialog>
  );
}

/** The texts of all guides, as they come: a search needs them all, and they are read from a file each. */
function useGuideTexts(guides: readonly Guide[]): ReadonlyMap<string, string> {
  const [pages, setPages] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    let left = false;
    for (const { name } of guides) {
      attempt(async () => {
        const text = await client().call("app.guide", { name });
        if (!left) setPages((before) => new Map(before).set(name, text));
      });
    }
    return () => {
      left = true;
    };
  }, [guides]);
  return pages;
}

interface HitsProps {
  readonly hits: readonly GuideHit[];
  onOpen(hit: GuideHit): void;
}

function Hits({ hits, onOpen }: HitsProps): ReactElement {
  return (
    <section aria-live="polite">
      <h3>{hits.length === 0 ? words.nothing : words.hits({ count: hits.length })}</h3>
      {hits.map((hit) => {
        const [before, found, after] = hit.excerpt;
        return (
          <button key={`${hit.guide} ${hit.section.anchor}`} type="button" onClick={() => onOpen(hit)}>
            <strong>{hit.section.heading || hit.title}</strong>
            {hit.section.heading === "" ? null : <small>{hit.title}</small>}
            <span className={styles.excerpt}>
              {before}
              <mark>{found}</mark>
              {after}
            </span>
          </button>
        );
      })}
    </section>
  );
}

const STEPS: Readonly<Record<string, number | undefined>> = { ArrowDown: 1, ArrowUp: -1 };

/** Arrow keys go from button to button of the list, into it from elsewhere. */
function moveInList(event: KeyboardEvent, list: Element | null): void {
  const step = STEPS[event.key];
  if (step === undefined || list === null) return;
  event.preventDefault();
  const buttons: readonly (Element | null)[] = [...list.querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement);
  const next = buttons[Math.max(0, Math.min(at + step, buttons.length - 1))];
  if (next instanceof HTMLElement) next.focus();
}
