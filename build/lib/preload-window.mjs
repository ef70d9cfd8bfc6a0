// A plugin of Vite: the page asks for the modules of the window at once, not only when its language has been chosen.

/**
 * main.ts loads the window with `import()`, as its language must be known first. Its modules are the same in every language, so
 * that the browser can fetch and compile them meanwhile.
 *
 * @param {string} entry the end of the path of the module that is loaded so
 * @returns {import("vite").Plugin}
 */
export function preloadWindow(entry) {
  return {
    name: "preload-window",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_, { bundle = {}, chunk: main }) {
        const chunks = Object.values(bundle).filter((one) => one.type === "chunk");
        const first = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(entry)));
        if (!first) throw new Error(`The window has no module ${entry}.`);
        return [...withImports(first.fileName, bundle)]
          .filter((file) => file !== main?.fileName && !main?.imports.includes(file))
          .map((file) => ({
            tag: "link",
            attrs: { rel: "modulepreload", crossorigin: true, href: `./${file}` },
            injectTo: "head",
          }));
      },
    },
  };
}

/** The file of a chunk, and of all that it needs before it can run. */
function withImports(fileName, bundle, found = new Set()) {
  if (found.has(fileName)) return found;
  found.add(fileName);
  for (const needed of bundle[fileName]?.imports ?? []) withImports(needed, bundle, found);
  return found;
}
