import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at("renderer"),
  // Relative, so that the same files are served over HTTP and from Electron's own scheme.
  base: "./",
  plugins: [react()],
  build: {
    outDir: at("build/out/renderer"),
    emptyOutDir: true,
    target: "es2023",
    // The page's content security policy allows scripts from files only; neither inline scripts nor data addresses.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // Served from this machine only, where half a megabyte more takes no time that a person could notice.
    chunkSizeWarningLimit: 1200,
  },
});
