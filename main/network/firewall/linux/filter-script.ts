/** Scripts that change the kernel's packet filter. */
import { type Note, ok, warning } from "../notes.js";
import { type Opening, ruleNames } from "../rules.js";
import { quote, unlessUnchanged } from "../shell.js";
import type { Source } from "./adapters.js";
import type { InputChain, IptablesCommand, NftInputChain } from "./filter-chains.js";
import { iptablesCommands, nftCommands, nftFileLines } from "./filter-rules.js";
import type { LinuxSteps } from "./linux-inspection.js";

const NFT_FILE = "/etc/nftables.conf";
const FILE_BEGIN = "# Tensordeck: rules begin";
const FILE_END = "# Tensordeck: rules end";

const HAS = 'has() { command -v "$1" > /dev/null; }';

/** Whether an iptables command is in use: merely querying the older kind creates its tables. */
const USED =
  'used() { has "$1" && case "$1" in *-nft) :;; ' +
  "ip6*) grep -qsx filter /proc/net/ip6_tables_names;; *) grep -qsx filter /proc/net/ip_tables_names;; esac; }";

/** Older systems have only one kind of iptables, under the plain names. */
const ALL_IPTABLES = "iptables-nft ip6tables-nft iptables-legacy ip6tables-legacy iptables ip6tables";

const NAMES = `(${Object.values(ruleNames).join("|")})`;

/**
 * A rule of ours as nft lists it, for awk: one with the tag of this installation, or one exactly as created by versions
 * without tags. Other rules with the same name do not match.
 */
function nftPattern(tag: string): string {
  const former =
    '^[ \\t]+(ip|ip6) saddr [^ ]+ (tcp dport|udp dport|icmp type|icmpv6 type) [^"]*accept comment ';
  return `comment "${NAMES} ${tag}"|${former}"${NAMES}"( #|$)`;
}

/** The same for what iptables lists, for grep. */
function iptablesPattern(tag: string): string {
  return `^-A INPUT -s [^ ]+ -p [^"]*--comment "${NAMES}( ${tag})?" -j ACCEPT$`;
}

function functions(tag: string): string[] {
  return [
    HAS,
    USED,
    // Prints family, table, chain and handle of every rule of ours.
    "own_nft() { if has nft; then nft -a list ruleset | " +
      `awk '/^table/ { family = $2; table = $3 } /^\\tchain/ { chain = $2 } /${nftPattern(tag)}/ { print family, table, chain, $NF }'; fi; }`,
    // Prints the command and the rule as it was added, for every rule of ours.
    `own_iptables() { for tables in ${ALL_IPTABLES}; do if used $tables; then ` +
      `$tables -w -S INPUT 2> /dev/null | grep -E '${iptablesPattern(tag)}' | sed "s/^/$tables /"; fi; done; true; }`,
  ];
}

const REMOVE_NFT =
  'own_nft | while read -r family table chain handle; do nft delete rule "$family" "$table" "$chain" handle "$handle"; done';

/** xargs parses the quotation marks that iptables prints. */
const REMOVE_IPTABLES =
  "own_iptables | sed 's/ -A / -D /' | while read -r tables rule; do echo \"$rule\" | xargs $tables -w; done";

/**
 * Only our own lines between the marks are removed, and only if both marks are present: a file whose second mark was
 * deleted by hand keeps everything that follows.
 */
function removeFromFile(tag: string): string {
  const own = `^insert rule [^"]*accept comment "${NAMES}( ${tag})?"$`;
  const sieve =
    `$0 == "${FILE_BEGIN}" { flush(); held = $0; open = 1; next } ` +
    `open && $0 == "${FILE_END}" { held = ""; open = 0; next } ` +
    `open && /${own}/ { held = held "\\n" $0; next } ` +
    '{ flush(); print } END { flush() } function flush() { if (open) print held; held = ""; open = 0 }';
  return (
    `if grep -qsFx '${FILE_BEGIN}' ${NFT_FILE}; then kept=$(mktemp); ` +
    `awk '${sieve}' ${NFT_FILE} > "$kept"; cat "$kept" > ${NFT_FILE}; rm -f "$kept"; fi`
  );
}

function removeAll(tag: string): string[] {
  return [REMOVE_NFT, REMOVE_IPTABLES, removeFromFile(tag)];
}

/** Removes all of our rules, in whichever chains they are. */
export function removalSteps(tag: string): string[] {
  return [...functions(tag), ...removeAll(tag)];
}

/** Prints our rules without the counters and handles that differ each time. */
function listing(tag: string): string {
  return `{ if has nft; then nft list ruleset | awk '/${nftPattern(tag)}/'; fi; own_iptables; }`;
}

/**
 * @param file The file that nftables loads when the machine starts; empty if there is none.
 */
export function filterSteps(
  chains: readonly InputChain[],
  wanted: readonly Opening[],
  sources: readonly Source[],
  file: string,
  tag: string,
): LinuxSteps {
  const nft = chains.filter((inputChain) => inputChain.kind === "nft");
  const kept = nft.filter((inputChain) => isInFile(inputChain, file));
  const fileLines = kept.flatMap((inputChain) => nftFileLines(inputChain, wanted, sources, tag));
  return {
    lines: changing(tag, [
      ...chains.flatMap((inputChain) =>
        inputChain.kind === "nft"
          ? nftCommands(inputChain, wanted, sources, tag)
          : iptablesCommands(inputChain.command, wanted, sources, tag),
      ),
      ...(fileLines.length > 0 ? appendToFile(fileLines) : []),
    ]),
    notes: persistenceNotes(chains, kept),
  };
}

/** Where the rules cannot be read: the script finds the chains itself. */
export function unknownFilterSteps(
  wanted: readonly Opening[],
  sources: readonly Source[],
  tag: string,
): LinuxSteps {
  const families = (["inet", "ip", "ip6"] as const).map((family) => {
    const inputChain: NftInputChain = { kind: "nft", family, table: '"$table"', chain: '"$chain"' };
    return `${family}) ${[...nftCommands(inputChain, wanted, sources, tag), ":"].join("; ")};;`;
  });
  // In `nft list chains` every chain that filters what comes in names its hook; iptables' own are left to iptables.
  const chains =
    "nft list chains | awk '/^table/ { family = $2; table = $3 } /^\\tchain/ { chain = $2 } " +
    '/type filter hook input/ { if (!(family != "inet" && table == "filter" && chain == "INPUT")) print family, table, chain }\'';
  const nftLine = `if has nft; then ${chains} | while read -r family table chain; do case "$family" in ${families.join(" ")} esac; done; fi`;
  const iptablesLines = commandNames.map((command) => {
    const commands = iptablesCommands(command, wanted, sources, tag);
    const drops = `${command} -w -S 2> /dev/null | grep -Eq '^-P INPUT DROP|-j (DROP|REJECT)'`;
    return `if used ${command} && ${drops}; then ${[...commands, ":"].join("; ")}; fi`;
  });
  return {
    lines: changing(tag, [nftLine, ...iptablesLines]),
    notes: [warning("The rules last until the machine restarts, unless its rules are saved by hand.")],
  };
}

const commandNames: readonly IptablesCommand[] = [
  "iptables-nft",
  "ip6tables-nft",
  "iptables-legacy",
  "ip6tables-legacy",
];

function changing(tag: string, lines: readonly string[]): string[] {
  return [...functions(tag), ...unlessUnchanged(listing(tag), [...removeAll(tag), ...lines])];
}

/** Whether the file makes this very chain, so that a rule for it can follow. */
function isInFile({ family, table, chain }: NftInputChain, file: string): boolean {
  const start = new RegExp(
    `^\\s*table\\s+${family === "ip" ? "(?:ip\\s+)?" : `${family}\\s+`}${escaped(table)}\\s*\\{`,
    "m",
  );
  const at = start.exec(file);
  if (!at) return false;
  const rest = file.slice(at.index + at[0].length);
  const end = rest.search(/^\s*table\s/m);
  const body = end === -1 ? rest : rest.slice(0, end);
  return new RegExp(`^\\s*chain\\s+${escaped(chain)}\\s*\\{`, "m").test(body);
}

function escaped(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\-]/g, "\\$&");
}

/** Adds the rules to the file, unless nft would not read it then; the file is only ever written whole. */
function appendToFile(lines: readonly string[]): string[] {
  const words = [FILE_BEGIN, ...lines, FILE_END].map(quote).join(" ");
  return [
    "copy=$(mktemp)",
    `cp ${NFT_FILE} "$copy"`,
    `printf '%s\\n' ${words} >> "$copy"`,
    'nft -c -f "$copy"',
    `cat "$copy" > ${NFT_FILE}`,
    'rm -f "$copy"',
  ];
}

function persistenceNotes(chains: readonly InputChain[], kept: readonly NftInputChain[]): Note[] {
  const lost = chains.filter((inputChain) => inputChain.kind === "iptables" || !kept.includes(inputChain));
  const notes: Note[] = [];
  if (kept.length > 0)
    notes.push(ok(`The rules are also added to ${NFT_FILE}, so they remain after a restart.`));
  if (lost.length > 0) {
    const where = lost.map((inputChain) =>
      inputChain.kind === "iptables"
        ? inputChain.command
        : `${inputChain.family} ${inputChain.table} ${inputChain.chain}`,
    );
    notes.push(
      warning(
        `The rules in ${where.join(", ")} last until the machine restarts: ` +
          `${kept.length > 0 ? "the rest" : "they"} must be kept by whatever loads that firewall at the start.`,
      ),
    );
  }
  return notes;
}
