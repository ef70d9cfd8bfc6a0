import { Command as Cmdk } from "cmdk";
import { type ReactElement, useState } from "react";
import { taskNameOfDevice } from "../cluster/task-name.js";
import type { CommandGroup } from "../commands/command.js";
import { helpCommands } from "../commands/help-commands.js";
import { allCommands, COMMAND_GROUPS } from "../commands/registry.js";
import { useGraph } from "../stores/document-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import dialogStyles from "../ui/dialog.module.css";
import { EmptyText } from "../ui/empty-text.js";
import { Icon } from "../ui/icon.js";
import { shortcutText } from "../ui/shortcut.js";
import textStyles from "../ui/text.module.css";
import { opTitle } from "../viewport/node-text.js";
import { goToNode } from "../viewport/travel.js";
import styles from "./palette.module.css";
import { groupsOf, meantOffer, type Offer, score } from "./palette-order.js";

const words = texts.dialogs.palette;

/** Maximum number of listed nodes, which appear once something is typed. */
const MOST_NODES = 20;
/** Maximum number of commands of machines, tasks and files before anything is typed. */
const MOST_UNASKED = 12;
/** Maximum number of listed targets of one command, whose names contain the typed words. */
const MOST_TARGETS = 20;

/** Commands for the selection come first. */
function groupOrder(selected: boolean): readonly CommandGroup[] {
  const first: readonly CommandGroup[] = selected
    ? ["Graph", "Edit", "Run", "File"]
    : ["Run", "File", "Cluster"];
  return [...first, ...COMMAND_GROUPS.filter((group) => !first.includes(group))];
}

/** Every command with every target that it currently applies to. */
function offersNow(): {
  readonly single: readonly Offer[];
  readonly ofTargets: readonly (readonly Offer[])[];
} {
  const offers = allCommands
    .filter(({ id }) => id !== helpCommands.palette.id)
    .map(({ id, group, keywords, all }) =>
      all().map(
        (action, index): Offer => ({ key: `${id} ${index}`, group, text: action.named, keywords, action }),
      ),
    );
  return { single: offers.filter(isSingle).flat(), ofTargets: offers.filter((list) => !isSingle(list)) };
}

function isSingle(offers: readonly Offer[]): boolean {
  return offers.length === 1 && offers[0]?.text === offers[0]?.action.label;
}

/**
 * Before anything is typed, the enabled commands; then everything that contains the typed words, disabled commands with
 * the reason.
 */
function listed({ single, ofTargets }: ReturnType<typeof offersNow>, wanted: string): readonly Offer[] {
  if (wanted !== "") {
    const found = (offer: Offer) => score(offer, wanted) > 0;
    return [...single.filter(found), ...ofTargets.flatMap((one) => one.filter(found).slice(0, MOST_TARGETS))];
  }
  const enabled = ofTargets.flat().filter(({ action }) => action.reason === undefined);
  return [
    ...single.filter(({ action }) => action.reason === undefined),
    ...(enabled.length <= MOST_UNASKED ? enabled : []),
  ];
}

export function Palette(): ReactElement {
  const [search, setSearch] = useState("");
  const selected = useGraph((state) => state.selection.size > 0);
  const nodes = useGraph((state) => state.document.nodes);
  const wanted = search.trim().toLowerCase();
  const found =
    wanted === ""
      ? []
      : [...nodes.values()].filter(({ name }) => name.toLowerCase().includes(wanted)).slice(0, MOST_NODES);
  const close = () => uiActions.close();
  const change = (text: string) => {
    // No command and no node has one in its name.
    if (text === "?") helpCommands.shortcuts.now().run();
    else setSearch(text);
  };
  // The cluster changes every second; the commands shown when the palette opened stay.
  const [offers] = useState(offersNow);
  const shown = listed(offers, wanted);
  // A node whose name has what was typed can be gone to.
  const meant = found.length > 0 ? undefined : meantOffer(shown, wanted);
  return (
    <Cmdk.Dialog
      open
      onOpenChange={(open) => (open ? undefined : close())}
      label={words.commands}
      overlayClassName={dialogStyles.scrim ?? ""}
      contentClassName={styles.palette ?? ""}
      loop
      // It would sort what is already drawn, before React puts the rest in its place.
      shouldFilter={false}
    >
      <div className={styles.search}>
        <Icon name="prompt" />
        <Cmdk.Input value={search} onValueChange={change} placeholder={words.placeholder} />
        <kbd>{shortcutText("Escape")}</kbd>
      </div>
      <Cmdk.List className={styles.list} label={words.list}>
        <Cmdk.Empty>
          <EmptyText>{words.nothingFound({ search })}</EmptyText>
        </Cmdk.Empty>
        {groupsOf(shown, groupOrder(selected), wanted, meant).map(([group, offers]) => (
          <Cmdk.Group key={group} heading={texts.commands.groups[group]}>
            {offers.map((offer) => (
              <OfferItem
                key={offer.key}
                offer={offer}
                search={search}
                isMeant={offer === meant}
                onChoose={() => {
                  if (offer === meant) return;
                  close();
                  offer.action.run();
                }}
              />
            ))}
          </Cmdk.Group>
        ))}
        {found.length > 0 ? (
          <Cmdk.Group heading={words.nodes}>
            {found.map((node) => (
              <Cmdk.Item
                key={node.name}
                className={styles.item}
                value={`node ${node.name}`}
                onSelect={() => {
                  close();
                  goToNode(node.name);
                }}
              >
                <Icon name="cube" />
                <span className={textStyles.truncated}>
                  <Marked text={node.name} search={search} />
                </span>
                <span className={styles.end}>
                  {[opTitle(node), taskNameOfDevice(node.device)].filter(Boolean).join(", ")}
                </span>
              </Cmdk.Item>
            ))}
          </Cmdk.Group>
        ) : null}
      </Cmdk.List>
      <div className={styles.foot}>
        <span>{words.keys}</span>
        <span>{words.shortcutsKey}</span>
      </div>
    </Cmdk.Dialog>
  );
}

/** The text with the part that was searched for underlined. */
function Marked({ text, search }: { readonly text: string; readonly search: string }): ReactElement {
  const wanted = search.trim().toLowerCase();
  const at = wanted === "" ? -1 : text.toLowerCase().indexOf(wanted);
  if (at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + wanted.length)}</mark>
      {text.slice(at + wanted.length)}
    </>
  );
}

function switchText(checked: boolean | undefined): string | undefined {
  return checked === undefined ? undefined : checked ? words.on : words.off;
}

interface OfferItemProps {
  readonly offer: Offer;
  readonly search: string;
  /** It stays chosen, so that Enter runs no other one, and shows its reason. */
  readonly isMeant: boolean;
  onChoose(): void;
}

function OfferItem({ offer, search, isMeant, onChoose }: OfferItemProps): ReactElement {
  const { key, text, action } = offer;
  const { icon, shortcut, hint, checked, reason } = action;
  return (
    <Cmdk.Item
      className={styles.item}
      value={key}
      disabled={reason !== undefined && !isMeant}
      onSelect={onChoose}
    >
      {icon ? <Icon name={icon} /> : <span style={{ width: 16 }} />}
      <span className={styles.text}>
        <span className={textStyles.truncated}>
          <Marked text={text} search={search} />
        </span>
        {reason === undefined ? null : <span className={styles.reason}>{reason}</span>}
      </span>
      <span className={styles.end}>
        {reason === undefined ? (hint ?? switchText(checked)) : undefined}
        {shortcut ? <kbd>{shortcutText(shortcut)}</kbd> : null}
      </span>
    </Cmdk.Item>
  );
}
