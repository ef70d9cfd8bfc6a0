import { parseSync } from "rolldown/utils";

export interface NamedModules {
  /** Specifiers that it imports or requires by literals. */
  readonly imported: string[];
  /** Files that it locates relative to itself. */
  readonly located: string[];
}

/** The modules that a built file names. */
export function namedModules(file: string, text: string): NamedModules {
  const { module } = parseSync(file, text);
  const literal = ({ start, end }: { start: number; end: number }) =>
    /^["'](.*)["']$/.exec(text.slice(start, end))?.slice(1) ?? [];
  const matches = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = ""]) => name);
  return {
    imported: [
      ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
      ...module.staticExports.flatMap(({ entries }) =>
        entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
      ),
      ...module.dynamicImports.flatMap(({ moduleRequest }) => literal(moduleRequest)),
      // The call of Node, neither a method of that name nor a comment.
      ...matches(/^(?! *[/*]).*(?<![.#\w$])require\("([^"]+)"\)/gm),
    ],
    located: matches(/\bnew URL\("([^"]+)", import\.meta\.url\)/g),
  };
}

/** The package of a specifier. */
export function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
