// A plugin of Vite: the page asks for the modules of the window at once, not only when its language has been chosen, and
// gets them as one file.

/**
 * main.ts loads the window with `import()`, as its language must be known first. Its modules are the same in every language,
 * so that the browser can fetch and compile them meanwhile. What they share with dialogs and tabs would be some fifty files,
 * each asked for from a program that is busy starting: they are one file, and what main.ts itself needs is another.
 *
 * @param {{ main: string; window: string }} modules the ends of the paths of main.ts and of the module that it loads so
 * @returns {import("vite").Plugin}
 */
export function preloadWindow({ main, window }) {
  let joined = new Set();
  return {
    name: "preload-window",
    apply: "build",
    config: () => ({
      build: {
        rolldownOptions: {
          output: {
            codeSplitting: {
              groups: [
                {
                  name: "window",
                  test: (id) => joined.has(id),
                  // They are all there; what else they need is in the file of main.ts, which does not import this one.
                  includeDependenciesRecursively: false,
                },
              ],
            },
          },
        },
      },
    }),
    buildEnd(error) {
      if (error) return;
      const importsOf = (id) => this.getModuleInfo(id)?.importedIds ?? [];
      const moduleAt = (path) => [...this.getModuleIds()].find((id) => id.endsWith(path));
      joined = closure(moduleAt(window), importsOf);
      for (const id of closure(moduleAt(main), importsOf)) joined.delete(id);
    },
    transformIndexHtml: {
      order: "post",
      handler(_, { bundle = {}, chunk: mainChunk }) {
        const chunks = Object.values(bundle).filter((one) => one.type === "chunk");
        const first = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(window)));
        if (!first) throw new Error(`The window has no module ${window}.`);
        return [...closure(first.fileName, (file) => bundle[file]?.imports ?? [])]
          .filter((file) => file !== mainChunk?.fileName && !mainChunk?.imports.includes(file))
          .map((file) => ({
            tag: "link",
            attrs: { rel: "modulepreload", crossorigin: true, href: `./${file}` },
            injectTo: "head",
          }));
      },
    },
  };
}

/** A module, or a file, and all that it needs before it can run. */
function closure(start, importsOf, found = new Set()) {
  if (start === undefined || found.has(start)) return found;
  found.add(start);
  for (const needed of importsOf(start)) closure(needed, importsOf, found);
  return found;
}
