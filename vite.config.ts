import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { preloadWindow } from "./build/lib/preload-window.mjs";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at("renderer"),
  // Relative, so that the same files are served over HTTP and from Electron's own scheme.
  base: "./",
  plugins: [react(), preloadWindow({ main: "renderer/main.ts", window: "renderer/app/show-window.tsx" })],
  css: {
    modules: {
      // "canvas-graph-node-head" says in the inspector of a browser where a style is from, and is the same in every build.
      generateScopedName: (name, file) =>
        [basename(dirname(file)), basename(file, ".module.css"), name].join("-"),
    },
  },
  build: {
    outDir: at("build/out/renderer"),
    emptyOutDir: true,
    target: "es2023",
    // The page's content security policy allows scripts from files only; neither inline scripts nor data addresses.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: { checks: { bundlerTimings: false } },
    // The packages that are joined into these files do not come with the program otherwise, nor do their terms.
    license: { fileName: "licences.md" },
    // One small sheet: what is fetched later looks right at once.
    cssCodeSplit: false,
    // Served from this machine only, where half a megabyte more takes no time that a person could notice.
    chunkSizeWarningLimit: 2500,
  },
});
