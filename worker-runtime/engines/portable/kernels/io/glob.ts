/**
 * A pattern of paths as the functions below read it. On Windows, where TensorFlow takes slashes and backslashes alike, a
 * backslash escapes nothing.
 */
export function patternOf(path: string, platform: NodeJS.Platform = process.platform): string {
  return platform === "win32" ? path.replaceAll("\\", "/") : path;
}

/** A path that was found with such a pattern, as TensorFlow writes it: on Windows with backslashes alone. */
export function foundPath(path: string, platform: NodeJS.Platform = process.platform): string {
  return platform === "win32" ? path.replaceAll("/", "\\") : path;
}

/**
 * `matchesGlob` for the name of a file. On Windows TensorFlow leaves it to the system, which does not distinguish upper and
 * lower case and knows no sets: a bracket is one.
 */
export function matchesFileName(
  pattern: string,
  name: string,
  platform: NodeJS.Platform = process.platform,
): boolean {
  if (platform !== "win32") return matchesGlob(pattern, name);
  return matchesGlob(pattern.toLowerCase().replaceAll("[", "\\["), name.toLowerCase());
}

/** Whether a pattern contains a wildcard. */
export function hasWildcard(pattern: string): boolean {
  return /[*?[\\]/.test(pattern);
}

/**
 * Whether a file name matches a pattern: * for any characters, ? for one, [a-z] and [^a-z] for one of a set, \ to
 * escape the next character. Takes at most time proportional to name length times pattern length.
 */
export function matchesGlob(pattern: string, name: string): boolean {
  let at = 0;
  let textAt = 0;
  let star: { readonly at: number; readonly textAt: number } | undefined;
  while (textAt < name.length) {
    const step = pattern.charAt(at) === "*" ? undefined : matchOne(pattern, at, name.charAt(textAt));
    if (pattern.charAt(at) === "*") {
      star = { at: at + 1, textAt: textAt };
      at += 1;
    } else if (step !== undefined) {
      at = step;
      textAt += 1;
    } else if (star !== undefined) {
      // The last star consumes one more character.
      star = { at: star.at, textAt: star.textAt + 1 };
      ({ at, textAt: textAt } = star);
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(at));
}

/** The index in the pattern after matching a character; undefined if it does not match. */
function matchOne(pattern: string, at: number, character: string): number | undefined {
  const wanted = pattern.charAt(at);
  if (wanted === "?") {
    return at + 1;
  }
  if (wanted === "\\") {
    return pattern.charAt(at + 1) === character ? at + 2 : undefined;
  }
  const close = wanted === "[" ? pattern.indexOf("]", at + 2) : -1;
  if (close < 0) {
    return wanted === character ? at + 1 : undefined;
  }
  const negated = pattern.charAt(at + 1) === "^" || pattern.charAt(at + 1) === "!";
  let found = false;
  for (let index = at + (negated ? 2 : 1); index < close; index += 1) {
    const low = pattern.charAt(index);
    const isRange = pattern.charAt(index + 1) === "-" && index + 2 < close;
    const high = isRange ? pattern.charAt(index + 2) : low;
    found ||= character >= low && character <= high;
    index += isRange ? 2 : 0;
  }
  return found === negated ? undefined : close + 1;
}
